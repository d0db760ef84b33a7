"""Drawing a corpus from the strings of its source and writing it with a record of what was done."""

import argparse
import json
import platform
import random
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.corpora.catalogue import check_block, raw_files
from workflow_scripts.datasets.strings import normalise_whitespace, unique_in_order
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of, write_json, write_text


@dataclass(frozen=True)
class Corpus:
    """Strings to tune on, and counts of the source.

    `found` strings, of which `blank` ones and `duplicates` of earlier ones; `available` are those
    that could be drawn, those passed over at the front included.
    """

    strings: list[str]
    found: int
    blank: int
    duplicates: int
    available: int


def draw_corpus(
    source: Iterable[str], size: int | str, deduplicate: bool, seed: int | None, skip: int = 0
) -> Corpus:
    """Return `size` strings of the source with whitespace normalised, in the source's order.

    Strings are drawn at random without replacement, the same ones for the same seed; with seed
    None the first ones are taken (words by frequency). The first `skip` strings are passed over.
    `size` "all", or above what there is, takes all. With `deduplicate` a string counts once.
    """
    normalised = [normalise_whitespace(string) for string in source]
    strings = [string for string in normalised if string]
    unique = unique_in_order(strings)
    pool = unique if deduplicate else strings
    chosen = pool[skip:]
    if size != "all" and size < len(chosen):
        if seed is None:
            chosen = chosen[:size]
        else:
            indices = random.Random(seed).sample(range(len(chosen)), size)
            chosen = [chosen[index] for index in sorted(indices)]
    blank = len(normalised) - len(strings)
    return Corpus(chosen, len(normalised), blank, len(strings) - len(unique), len(pool))


def parse_arguments(argv: list[str] | None, kind: str, description: str) -> argparse.Namespace:
    """Return the arguments of a command that draws corpora of a kind, `block` checked and filled.

    `sources` are the files that the corpus is made from. Raises `UserError` if the block is not
    valid JSON or is of another kind.
    """
    parser = corpus_parser(description)
    parser.add_argument("--root", required=True, type=Path, metavar="DIR", help="data root")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the sample (default %(default)s)"
    )
    arguments = check_arguments(parser.parse_args(argv), kind)
    arguments.sources = raw_files(arguments.root, arguments.given)
    return arguments


def corpus_parser(description: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments that all commands that make corpora have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--block", required=True, metavar="JSON", help="the corpus' block of config"
    )
    parser.add_argument("--output", required=True, type=Path, help="output: a string per line")
    parser.add_argument("--record", required=True, type=Path, help="output: what was done, as JSON")
    return parser


def check_arguments(arguments: argparse.Namespace, kind: str) -> argparse.Namespace:
    """Add the block as given (`given`) and checked and filled (`options`) to the arguments.

    Raises `UserError` if the block is not valid JSON or is of another kind.
    """
    try:
        block = json.loads(arguments.block)
    except json.JSONDecodeError as error:
        raise UserError(f"--block is not valid JSON ({error.msg})") from error
    name = arguments.output.stem
    arguments.options = check_block(name, block)
    if arguments.options["kind"] != kind:
        raise UserError(f"corpus {name!r}: kind {block['kind']!r} is not made by this command")
    arguments.given = block
    return arguments


def write_corpus(
    arguments: argparse.Namespace, corpus: Corpus, versions: Mapping[str, str], seed: int | None
) -> None:
    """Write the strings, one per line, and the record.

    Warns on stderr if there are fewer strings than asked for. Raises `UserError` if there is none,
    with nothing written.
    """
    name, size = arguments.output.stem, arguments.options.get("size", "all")
    files = arguments.sources
    if not corpus.strings:
        place = ", ".join(map(str, files)) or "the source"
        raise UserError(f"corpus {name!r}: no strings in {place}; check the file and the options")
    if size != "all" and len(corpus.strings) < size:
        print(
            f"warning: corpus {name!r}: {size} strings asked for, {len(corpus.strings)} found; "
            "all of them are taken",
            file=sys.stderr,
        )
    write_text(arguments.output, "".join(string + "\n" for string in corpus.strings))
    record: dict[str, Any] = {
        "block": arguments.given,
        "seed": seed,
        "strings": len(corpus.strings),
        "requested": size,
        "found": corpus.found,
        "blank": corpus.blank,
        "duplicates": corpus.duplicates,
        "available": corpus.available,
        "sha256": sha256_of(arguments.output),
        "source_sha256": [sha256_of(path) for path in files],
        "versions": {"python": platform.python_version(), **versions},
    }
    write_json(arguments.record, record)
