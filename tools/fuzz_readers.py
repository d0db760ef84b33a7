"""Readers under damaged files: data sets of the catalogues, texts, vectors, archives, configs."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.archives import make_archive
from tests.support.fasttext_files import write_model
from tools.fuzz_limits import Case
from workflow_scripts.check_config import main as check_config
from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.corpora.kinds.bitext import PairFiles
from workflow_scripts.corpora.text_readers import READERS, read_documents
from workflow_scripts.datasets.entry import raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.name_lists import FORMATS, Choices, read_names
from workflow_scripts.datasets.read_dataset import read_dataset
from workflow_scripts.datasets.word_pairs import read_pairs
from workflow_scripts.downloads.model_folders import HubModel, read_file_list
from workflow_scripts.downloads.registry import read_registry
from workflow_scripts.downloads.unpacking import unpack
from workflow_scripts.embedding.static_vectors import first_words, read_word_vectors
from workflow_scripts.plan.typed import read_typed

PROJECT = Path(__file__).resolve().parents[1]
SAMPLE_DATA = PROJECT / "resources" / "sample_data"
CONFIGS = PROJECT / "config"
# of formats a file that has something of each
_TEXTS = {"wikiextractor": "articles.json", "doc-blocks": "doc.txt", "gutenberg": "book.txt"}
_TEXTS |= {"numbered-lines": "numbered.tsv", "conllu": "trees.conllu", "obo": "terms.obo"}
_NAMES = {
    "obo": "terms.obo",
    "mrconso": "MRCONSO.RRF",
    "medic": "medic.txt",
    "ctd-chemicals": "chemicals.csv",
    "mesh-terms": "mesh-terms.tsv",
    "id-name": "pairs.txt",
    "id-tab-name": "ids.tsv",
}
_WORDS = ("cat", "dog", "the")


def reader_cases(made: Path) -> dict[str, Case]:
    """Return the readers by name; what the sample data lacks is written to the folder `made`."""
    cases = {}
    for name, block in read_layers([CONFIGS / "config.yaml"]).config["datasets"].items():
        entry = read_entry(name, block)
        files = [] if entry.corpora() else raw_files(SAMPLE_DATA, entry)
        if files and all(file.is_file() for file in files):
            relative = {str(file.relative_to(SAMPLE_DATA)): file for file in files}
            read = partial(read_dataset, Path(), entry=entry, name=name)
            cases[f"data set {name}"] = Case(_without_words(read), relative)
    for name, body in _written_files().items():
        (made / name).write_bytes(body)
    english = SAMPLE_DATA / "running-text" / "en.txt"
    for reader in READERS:
        file = made / _TEXTS[reader] if reader in _TEXTS else english
        cases[f"text {reader}"] = _on(file, partial(_text, reader))
    for form in FORMATS:
        file = made / _NAMES[form] if form in _NAMES else SAMPLE_DATA / "mesh-2015" / "terms.tsv"
        cases[f"names {form}"] = _on(file, partial(_names, form))
    pairs = SAMPLE_DATA / "wikimatrix" / "WikiMatrix.en-es.tsv"
    cases["bitext"] = _on(pairs, lambda p: list(PairFiles(path=str(p), margin=1.0).pairs(Path())))
    static = SAMPLE_DATA / "static-vectors" / "en.vec"
    fasttext = write_model(made / "model.bin")
    for name, file in (("vectors", static), ("fasttext", fasttext)):
        cases[name] = _on(file, lambda path: read_word_vectors(path, _WORDS))
        cases[f"{name} first words"] = _on(file, lambda path: first_words(path, 50))
    words = SAMPLE_DATA / "bli-xling-eval" / "en-fr" / "yacle.test.freq.2k.en-fr.tsv"
    cases["word pairs"] = _on(words, read_pairs)
    wanted = {"a/b.txt": b"one\ntwo\n" * 200}
    others = {"README": b"no data\n", "a/c.txt": b"c" * 3000}
    for name in ("a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.bz2", "a.txt.gz"):
        # the last holds one file
        members = wanted if name == "a.txt.gz" else wanted | others
        cases[f"archive {name}"] = _on(make_archive(made / name, members), _unpacked)
    listed = HubModel("some/model", "0" * 40)
    cases["files.json"] = _on(made / "files.json", lambda path: read_file_list(path, listed))
    cases["registry"] = _on(CONFIGS / "registry.yaml", read_registry)
    configs = {
        str(file.relative_to(CONFIGS)): file
        for pattern in ("*.yaml", "papers/*.yaml", "reference/*/*.tsv")
        for file in sorted(CONFIGS.glob(pattern))
    }
    for name in configs:
        if name.endswith(".yaml") and not name.startswith(("papers/", "registry")):
            read = partial(_config, Path(name))
            cases[f"config {name}"] = Case(_without_words(read), configs, damaged=[name])
    damaged = [name for name in configs if not name.startswith("registry")]
    cases["plan of config.yaml"] = Case(_plan, configs, damaged=damaged)
    return cases


def _without_words(read: Callable[[], object]) -> Callable[[list[str]], object]:
    return lambda words: read()


def _on(file: Path, read: Callable[[Path], object]) -> Case:
    return Case(lambda words: read(Path(file.name)), {file.name: file})


def _text(reader: str, path: Path) -> object:
    return list(read_documents(reader, path))


def _names(form: str, path: Path) -> object:
    return read_names([path], Choices(form))


def _config(path: Path) -> object:
    return read_typed(read_layers([path]))


def _plan(words: list[str]) -> object:
    Path("resources").symlink_to(PROJECT / "resources")
    return check_config(["config.yaml"])


def _unpacked(archive: Path) -> object:
    into = Path("into")
    into.mkdir()
    return unpack(archive, archive.name, {"a/b.txt": None}, into, largest=10**8)


def _written_files() -> dict[str, bytes]:
    """Return what the sample data has no file of: formats of names and text, a list of a model."""
    body = (SAMPLE_DATA / "mesh-2015" / "terms.tsv").read_bytes()
    rows = [line.split("\t")[:2] for line in body.decode().splitlines()[:40]]
    texts = (SAMPLE_DATA / "running-text" / "en.txt").read_text(encoding="utf-8").splitlines()[:40]
    obo = "".join(
        f'[Term]\nid: X:{n}\nname: {row[1]}\nsynonym: "a {row[0]}" EXACT []\n\n'
        for n, row in enumerate(rows)
    )
    umls = "".join(
        f"C{n:07}|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|MH|D1|{row[1]}|0|N|256|\n"
        for n, row in enumerate(rows)
    )
    five = "\t" * 6
    chemicals = "".join(f"{r[1]}\tMESH:D{n}{five}one|two\n" for n, r in enumerate(rows))
    model: dict[str, Any] = {"repository": "some/model", "revision": "0" * 40}
    model["files"] = [{"name": "config.json", "size": 7, "sha256": "0" * 64}]
    model["files"] += [{"name": "model.safetensors", "size": 70, "sha256": "1" * 64}]
    return {
        "terms.obo": f"format-version: 1.2\n\n{obo}".encode(),
        "MRCONSO.RRF": umls.encode(),
        "medic.txt": "".join(f"D{n}|7||{r[1]}|b\n" for n, r in enumerate(rows)).encode(),
        "chemicals.csv": chemicals.encode(),
        "mesh-terms.tsv": body,
        "pairs.txt": "".join(f"D{n}||{row[1]}\n" for n, row in enumerate(rows)).encode(),
        "ids.tsv": "".join(f"D{n}\t{row[1]}\t7\n" for n, row in enumerate(rows)).encode(),
        "articles.json": "".join(json.dumps({"text": one}) + "\n" for one in texts).encode(),
        "doc.txt": "".join(f'<doc id="1">\n{one}\n</doc>\n' for one in texts).encode(),
        "book.txt": "\n".join(["*** START ***", *texts, "*** END ***"]).encode(),
        "numbered.tsv": "".join(f"{n}\t{one}\n" for n, one in enumerate(texts)).encode(),
        "trees.conllu": "".join(f"# text = {one}\n" for one in texts).encode(),
        "files.json": json.dumps(model, indent=1).encode(),
    }
