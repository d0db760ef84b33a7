"""Readers under damaged files: each case gives a result or one error, in little time and memory.

    python -m tools.fuzz_readers --cases 20000

A case is a data set of the catalogue, a reader of text, of vectors or of configs, with one of its
files of resources/sampler changed: bits flipped, lines and columns cut, odd values put in.
"""

import argparse
import gzip
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import psutil

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.corpora.kinds.bitext import PairFiles
from workflow_scripts.corpora.text_readers import READERS, read_documents
from workflow_scripts.dag.typed import read_typed
from workflow_scripts.datasets.entry import raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.name_lists import Choices, read_names
from workflow_scripts.datasets.read_suite import read_dataset
from workflow_scripts.datasets.word_pairs import read_pairs
from workflow_scripts.embedding.static_vectors import first_words, read_word_vectors
from workflow_scripts.errors import UserError

PROJECT = Path(__file__).resolve().parents[1]
SAMPLER = PROJECT / "resources" / "sampler"
SECONDS, BYTES = 10, 10**9
ODD = (
    "",
    "nan",
    "-1e999",
    "9" * 5000,
    "\u00b2",
    "\0",
    "\t",
    '"',
    "||",
    "|",
    "{",
    "[" * 9999,
    "\\ud800",
)
ODD += ("\u2028", "\ufeff", "1_0", "-0", "x" * 100_000, "\r", ",,", "&a [*a]", "1000000000000 2")


class Case(NamedTuple):
    """What is read below a folder, and the files there of which one is damaged."""

    read: Callable[[Path], object]
    files: tuple[Path, ...]


def all_cases() -> dict[str, Case]:
    """Return the readers by name; files are relative to the sampler."""
    cases = {}
    for catalogue in sorted((PROJECT / "config").glob("datasets*.yaml")):
        for name, block in read_mapping(catalogue)["datasets"].items():
            entry = read_entry(name, block)
            files = [] if entry.corpora() else raw_files(SAMPLER, entry)
            if files and all(file.is_file() for file in files):
                relative = tuple(file.relative_to(SAMPLER) for file in files)
                cases[name] = Case(partial(read_dataset, entry=entry, name=name), relative)
    for reader in READERS:
        cases[f"text {reader}"] = _on("running-text/en.txt", partial(_text, reader))
    pairs = "wikimatrix/WikiMatrix.en-es.tsv"
    margin = PairFiles(path=pairs, margin=1.0)
    cases["bitext"] = Case(lambda root: list(margin.pairs(root)), (Path(pairs),))
    cases["vectors"] = _on("static-vectors/en.vec", lambda path: read_word_vectors(path, {"the"}))
    cases["first words"] = _on("static-vectors/en.vec", lambda path: first_words(path, 50))
    cases["word pairs"] = _on("bli-xling-eval/en-fr/yacle.test.freq.2k.en-fr.tsv", read_pairs)
    cases["names"] = _on("mesh-2015/terms.tsv", lambda path: read_names([path], Choices(None)))
    for file in sorted((PROJECT / "config").glob("*.yaml")):
        cases[f"config {file.name}"] = _on(f"../../config/{file.name}", _config)
    return cases


def _on(file: str, read: Callable[[Path], object]) -> Case:
    return Case(lambda root: read(root / Path(file).name), (Path(file),))


def _text(reader: str, path: Path) -> object:
    return list(read_documents(reader, path))


def _config(path: Path) -> object:
    return read_typed(read_layers([path]))


def damage(body: bytes, chance: random.Random) -> bytes:
    """Return `body` with one to three faults."""
    for _ in range(chance.randint(1, 3)):
        lines = body.split(b"\n")
        place = chance.randrange(len(lines))
        separator = chance.choice([b"\t", b",", b"|", b" ", b": "])
        cells = lines[place].split(separator)
        cell = chance.randrange(len(cells))
        match chance.randrange(6):
            case 0 if body:
                bit = chance.randrange(8 * len(body))
                changed = bytes([body[bit // 8] ^ 1 << bit % 8])
                body = body[: bit // 8] + changed + body[bit // 8 + 1 :]
            case 1:
                body = body[: chance.randrange(len(body) + 1)]
            case 2:
                body = b"\n".join([*lines[:place], *lines[place + 1 :]])
            case 3:
                del cells[cell]
                body = b"\n".join([*lines[:place], separator.join(cells), *lines[place + 1 :]])
            case 4:
                cells[cell] = chance.choice(ODD).encode()
                body = b"\n".join([*lines[:place], separator.join(cells), *lines[place + 1 :]])
            case _:
                body = b"\n".join([*lines[:place], lines[place], *lines[place:]])
    return body


def run_case(case: Case, chance: random.Random, folder: Path) -> str | None:
    """Return what is wrong with how a case ends, None where nothing is."""
    flat = len(case.files) == 1
    chosen = chance.choice(case.files)
    for file in case.files:
        target = folder / (file.name if flat else file)
        if flat:
            # both forms: readers of one file by its name, data sets by its path
            (folder / file.parent.name).mkdir(exist_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        body = (SAMPLER / file).read_bytes()
        if file == chosen:
            packed = file.suffix == ".gz" and chance.random() < 0.5
            body = (
                gzip.compress(damage(gzip.decompress(body), chance))
                if packed
                else damage(body, chance)
            )
        for path in {target, folder / file} if ".." not in file.parts else {target}:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
    # what the process had before is not the reader's
    before = psutil.Process().memory_info().rss
    Path("/proc/self/clear_refs").write_text("5")
    started = time.monotonic()
    try:
        case.read(folder)
    except UserError as error:
        if len(str(error)) > 2000:
            return f"a message of {len(str(error))} characters"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}: {str(error)[:100]}"
    if (seconds := time.monotonic() - started) > SECONDS:
        return f"took {seconds:.0f} s"
    status = Path("/proc/self/status").read_text()
    if 1024 * int(status.partition("VmHWM:")[2].split()[0]) - before > BYTES:
        return "took more than 1 GB"
    return None


def fuzz(
    cases: Mapping[str, Case], count: int, seed: int, seconds: float
) -> tuple[int, Counter[str]]:
    """Run `count` cases, or as many as `seconds` allow; return their number and what was wrong."""
    names, wrong = sorted(cases), Counter()
    started = time.monotonic()
    for number in range(count):
        if time.monotonic() - started > seconds:
            return number, wrong
        name = names[number % len(names)]
        with tempfile.TemporaryDirectory() as folder:
            if found := run_case(cases[name], random.Random(f"{seed} {number}"), Path(folder)):
                wrong[f"{name}: {found}"] += 1
    return count, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--minutes", type=float, default=30)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    done, wrong = fuzz(all_cases(), arguments.cases, arguments.seed, 60 * arguments.minutes)
    for what, times in wrong.most_common():
        print(f"{times} times: {what}")
    print(f"{done} cases, {sum(wrong.values())} of them wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
