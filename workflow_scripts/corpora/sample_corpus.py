"""Write a corpus of config: one string per line, and a record of what was done.

Between documents of running text is a blank line.
"""

import platform
import random
import sys
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.blocks import Whitespace, read_block
from workflow_scripts.corpora.block import CorpusBlock, missing_file_error, raw_files
from workflow_scripts.datasets.strings import on_one_line, unique_in_order
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_text, sha256_of, write_json, write_text
from workflow_scripts.path_functions import command


def draw_corpus(
    source: Iterable[str],
    size: int | str,
    deduplicate: bool,
    seed: int | None,
    skip: int = 0,
    whitespace: Whitespace = "kept",
) -> tuple[list[str], dict[str, int]]:
    """Return `size` strings of the source that are not blank, in its order, and counts of it.

    They are drawn without replacement or, with seed None, the first (words by frequency), after
    `skip` strings. `size` "all", or above what there is, takes all. Of the counts, `available` are
    those that could be drawn or were skipped.
    """
    lines = [on_one_line(string, whitespace) for string in source]
    strings = [string for string in lines if string.strip()]
    unique = unique_in_order(strings)
    pool = unique if deduplicate else strings
    chosen = pool[skip:]
    if not isinstance(size, str) and size < len(chosen):
        if seed is not None:
            indices = sorted(random.Random(seed).sample(range(len(chosen)), size))
            chosen = [chosen[index] for index in indices]
        chosen = chosen[:size]
    counts = {"found": len(lines), "blank": len(lines) - len(strings), "strings": len(chosen)}
    return chosen, counts | {"duplicates": len(strings) - len(unique), "available": len(pool)}


def write_documents(path: Path, documents: Iterable[list[str]]) -> dict[str, int]:
    """Write documents, a string a line and a blank line between two; return how much it was.

    A single one is followed by a blank line, which distinguishes it from strings without documents.
    """
    counts = {"strings": 0, "documents": 0}
    with atomic_text(path) as file:
        for document in documents:
            if counts["documents"]:
                file.write("\n")
            file.writelines(string + "\n" for string in document)
            counts["documents"] += 1
            counts["strings"] += len(document)
        if counts["documents"] == 1:
            file.write("\n")
    return counts


def sample_corpus(
    *, block: dict[str, Any], root: Path, seed: int = 0, output: Path, record: Path
) -> None:
    """Write a corpus of config: one string per line, and a record of what was done.

    Between documents of running text is a blank line. They are streamed, for they may be larger
    than memory. Raises `UserError` for a missing file and an empty corpus.

    Args:
        block: its block, as JSON
        root: data root; of a corpus that is made of others, their folder
        seed: seed of the sample
        output: output: a string per line
        record: output: what was done, as JSON
    """
    name, kind = output.stem, plugins.load("corpora.kinds", block["kind"]).Options
    options: CorpusBlock = read_block(kind, block, f"corpora.{name}")
    files = options.list_files(root)
    if absent := [path for path in raw_files(root, options) if not path.is_file()]:
        raise missing_file_error(name, options, absent[0])
    size, skip = getattr(options, "size", "all"), getattr(options, "skip", 0)
    dropped: Counter[str] = Counter()
    if (documents := options.documents(root, seed, dropped)) is not None:
        counts = write_documents(output, documents)
    else:
        deduplicate = options.deduplicate and not options.repeats()
        drawing = (deduplicate, seed if options.random else None, skip, options.whitespace)
        strings, counts = draw_corpus(options.strings(root, seed, dropped), size, *drawing)
        if not strings:
            sources = ", ".join(map(str, files)) or "the source"
            problem, remedy = f"no strings in {sources}", "check the file and the options"
            if available := counts["available"]:
                problem = f"skip {skip} leaves none of the {available} words"
                remedy = "lower it"
            raise UserError(f"corpus {name!r}", problem, remedy)
        write_text(output, "".join(string + "\n" for string in strings))
    if not isinstance(size, str) and counts["strings"] < size:
        shortage = f"{size} strings asked for, {counts['strings']} found; all of them are taken"
        print(f"warning: corpus {name!r}: {shortage}", file=sys.stderr)
    packages = {package: version(package) for package in options.packages()}
    content = {
        **counts,
        "dropped": dropped,
        "block": block,
        "seed": seed if options.random or options.repeats() else None,
        "requested": size,
        "sha256": sha256_of(output),
        "source_sha256": [sha256_of(path) for path in files],
        "versions": {"python": platform.python_version(), **packages},
    }
    write_json(record, content)


main = command(sample_corpus)

if __name__ == "__main__":
    run_command(main)
