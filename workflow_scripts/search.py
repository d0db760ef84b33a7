"""Command: nearest sentences, near-duplicates and translations in files of one string a line.

All is exact. Lines that are equal are one string, under the first of them; empty ones are skipped;
both are counted at the end. Vectors are kept in a folder beside the output until it is written: a
run that was stopped goes on when the same command is given again.
"""

import argparse
import math
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.embedding.chosen_encoder import (
    add_encoder_arguments,
    check_counts,
    check_encoder_options,
    open_encoder,
    options_of,
)
from workflow_scripts.embedding.progress import Advance
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.vector_shards import SHARD_SIZE, ShardedJob, embed_once
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import check_new_file, check_own_json, without_link, write_json
from workflow_scripts.locking import sole_run
from workflow_scripts.retrieval.margin_mining import (
    MARGINS,
    NEIGHBOURS,
    check_neighbours,
    mine_pairs,
)
from workflow_scripts.retrieval.near_duplicates import near_duplicates
from workflow_scripts.retrieval.numbered_lines import NumberedLines, read_numbered_lines
from workflow_scripts.retrieval.rankings import FORMATS, as_written, write_found
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_search import search_blocks

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder


EXAMPLE = """
echo 'cardiac infarction' | COMMAND nearest --encoder my-encoder --queries - \\
    --strings resources/sample_data/names/biomedical_names.txt --k 3 --output nearest.tsv
"""
# Pairs that are made rows of the output at once.
PAIRS_AT_ONCE = 1 << 16
Files = dict[str, NumberedLines]
Vectors = dict[str, np.ndarray]
# rows of the output, and how many of what they are
Found = tuple[Iterator[tuple[Any, ...]], str]


def find_nearest(arguments: argparse.Namespace, files: Files, vectors: Vectors) -> Found:
    strings, queries = files["strings"], files["queries"]
    k, threads = min(arguments.k, len(strings.strings)), arguments.threads
    near, scores = search_blocks(vectors["queries"], vectors["strings"], k, threads=threads)
    counts = (as_written(scores) >= arguments.threshold).sum(axis=1)[queries.order]

    def rows() -> Iterator[tuple[Any, ...]]:
        for query, count in zip(queries.order, counts.tolist(), strict=True):
            best = zip(near[query, :count].tolist(), scores[query, :count].tolist(), strict=True)
            for rank, (row, score) in enumerate(best, start=1):
                found = (strings.numbers[row], score, strings.strings[row])
                yield queries.strings[query], rank, *found

    told = f"{int(counts.sum())} strings for {len(counts)} queries"
    if none := int((counts == 0).sum()):
        told += f" (none for {none} of them)"
    return rows(), told


def find_duplicates(arguments: argparse.Namespace, files: Files, vectors: Vectors) -> Found:
    strings, k = files["strings"], arguments.k
    found = near_duplicates(vectors["strings"], k, arguments.threshold, threads=arguments.threads)
    told = f"{len(found.scores)} pairs"
    if found.full_rows:
        told += f" (strings with {k} such neighbours or more: {found.full_rows}; raise --k for all)"
    return pair_rows(strings, strings, *found[:3]), told


def find_translations(arguments: argparse.Namespace, files: Files, vectors: Vectors) -> Found:
    both, how = (vectors["strings"], vectors["targets"]), (arguments.k, arguments.margin)
    found = mine_pairs(*both, *how, threads=arguments.threads)
    kept = [part[as_written(found.scores) >= arguments.threshold] for part in found]
    return pair_rows(files["strings"], files["targets"], *kept), f"{len(kept[0])} pairs"


def pair_rows(
    left: NumberedLines,
    right: NumberedLines,
    rows: np.ndarray,
    others: np.ndarray,
    scores: np.ndarray,
) -> Iterator[tuple[Any, ...]]:
    # as Python's numbers all pairs of many equal strings would take gigabytes
    for start in range(0, len(rows), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        pairs = zip(rows[part].tolist(), others[part].tolist(), scores[part].tolist(), strict=True)
        for row, other, score in pairs:
            numbers = left.numbers[row], right.numbers[other]
            yield score, *numbers, left.strings[row], right.strings[other]


class Mode(NamedTuple):
    """What a mode does, reads beside --strings, and writes; `roles` choose the prompts of files."""

    find: Callable[[argparse.Namespace, Files, Vectors], Found]
    files: tuple[str, ...]
    columns: tuple[str, ...]
    help: str
    roles: Mapping[str, str] = {}


PAIR = ("score", "line", "other_line", "string", "other")
MODES = {
    "nearest": Mode(
        *(find_nearest, ("queries",), ("query", "rank", "line", "score", "string")),
        help="the strings of a file that are nearest to each query, by cosine",
        roles={"strings": "passage", "queries": "query"},
    ),
    "duplicates": Mode(
        find_duplicates, (), PAIR, help="pairs of a file that are near each other, by cosine"
    ),
    "bitext": Mode(
        *(find_translations, ("targets",), PAIR),
        help="translations between two files, one to one, by margin (Artetxe and Schwenk 2019)",
    ),
}


def encode_unit(
    encoder: "StringEncoder",
    role: str,
    lines: NumberedLines,
    strings: Sequence[str],
    advance: Advance,
) -> np.ndarray:
    """Return vectors [strings, dimension] of unit length; `strings` are a slice of the lines'."""
    first = lines.strings.index(strings[0])
    vectors = encoder.encode(strings, advance, role=role)
    return normalise(vectors, lines.name, lines.numbers[first : first + len(strings)])


def encode_files(
    arguments: argparse.Namespace, files: Files, folder: Path
) -> tuple[Vectors, dict[str, Any]]:
    """Return the vectors of each file, kept in `folder`, and which encoders made them, as JSON."""
    models, encoder_of = {"encoder": arguments.encoder}, dict.fromkeys(files, "encoder")
    # the languages of two files may have an encoder each
    if (target := getattr(arguments, "target_encoder", None)) is not None:
        models["target_encoder"], encoder_of["targets"] = target, "target_encoder"
    chosen = {name: settle_settings(model, arguments) for name, model in models.items()}
    opened = {
        name: open_encoder(models[name], settings, *options_of(arguments))
        for name, settings in chosen.items()
    }
    sizes = [encoder.dimension for encoder, _ in opened.values()]
    if len(set(sizes)) > 1:
        raise UserError(
            f"--target-encoder {target}",
            f"its vectors have {sizes[1]} dimensions, those of {arguments.encoder} {sizes[0]}",
            "give two encoders that share a space",
        )
    vectors = {}
    for part, name in encoder_of.items():
        encoder, provenance = opened[name]
        role = MODES[arguments.mode].roles.get(part, "default")
        if prompt := encoder.settings.prompt(role):
            provenance = provenance | {"prompt": prompt}
        output, strings = folder / f"{part}.npy", files[part].strings
        job = ShardedJob(
            output, strings, encoder.dimension, provenance, shard_size=arguments.shard_size
        )
        vectors[part] = embed_once(job, partial(encode_unit, encoder, role, files[part]))
    return vectors, {name: provenance for name, (_, provenance) in opened.items()}


def read_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = command_parser("search", __doc__, EXAMPLE)
    named: Any = {"dest": "mode", "metavar": "|".join(MODES), "prog": parser.prog}
    modes = parser.add_subparsers(required=True, **named)
    shape = parser.formatter_class
    for name, mode in MODES.items():
        one = modes.add_parser(name, help=mode.help, description=mode.help, formatter_class=shape)
        add = one.add_argument
        add("--encoder", required=True, help="model folder or hub id (id@revision)")
        add("--strings", required=True, type=Path, help="UTF-8 text file, one string a line")
        k, neighbours, least = 10, "strings a query, at most", "cosine that a string has at least"
        if name == "nearest":
            add("--queries", required=True, type=Path, help="text file, one a line; - is stdin")
        elif name == "duplicates":
            k, neighbours = 100, "neighbours of a string that are looked at, at most"
            least = "cosine that a pair has at least"
        else:
            add("--target-encoder", help="encoder of the targets, in the same space")
            add("--targets", required=True, type=Path, help="text file of the other language")
            margin = "cosine over that of the neighbours, less it, or as it is (%(default)s)"
            add("--margin", choices=MARGINS, default=MARGINS[0], help=margin)
            k, neighbours = NEIGHBOURS, "neighbours that a cosine is set against"
            least = "margin that a pair has at least"
        add("--k", type=int, default=k, help=f"{neighbours} (default {k})")
        required = name == "duplicates"
        add("--threshold", type=float, required=required, default=-math.inf, help=least)
        add("--output", required=True, type=Path, help="what is found, best first")
        form = "default: jsonl where the output's name ends so, else tsv"
        add("--format", choices=FORMATS, help=form)
        add("--record", type=Path, help="what was searched with what, as JSON")
        add_encoder_arguments(one)
        add("--shard-size", type=int, default=SHARD_SIZE, help="strings of a shard")
        add("--overwrite", action="store_true", help="replace the output")
    return parser.parse_args(argv)


def check_arguments(arguments: argparse.Namespace, inputs: dict[str, Path]) -> None:
    """Raise `UserError` for what is wrong before anything is read."""
    check_encoder_options(*options_of(arguments))
    check_counts(k=arguments.k, shard_size=arguments.shard_size)
    threshold, is_cosine = arguments.threshold, arguments.mode != "bitext"
    if is_cosine and 1 < abs(threshold) < math.inf:
        raise UserError(f"--threshold {threshold}", "give a cosine, from -1 to 1", None)
    check_new_file("--output", arguments.output, arguments.overwrite, inputs.values())
    if arguments.record is not None:
        taken = [*inputs.values(), arguments.output]
        check_own_json("--record", arguments.record, "mode", taken)


def main(argv: list[str] | None = None) -> None:
    arguments = read_arguments(argv)
    mode = MODES[arguments.mode]
    inputs = {part: getattr(arguments, part) for part in ("strings", *mode.files)}
    check_arguments(arguments, inputs)
    for part, path in inputs.items():
        check_files(f"--{part}", path, stdin=True)
    form = arguments.format or ("jsonl" if arguments.output.suffix == ".jsonl" else "tsv")
    files = {part: read_numbered_lines(path, form == "tsv") for part, path in inputs.items()}
    if arguments.mode == "bitext":
        # which should not wait for the vectors
        check_neighbours(arguments.k, *(len(files[part].strings) for part in inputs))
    with sole_run("--output", arguments.output):
        told = search(arguments, mode, files, form)
    read = "; ".join(lines.summary() for lines in files.values())
    print(f"{arguments.output}: {told}; {read}", file=sys.stderr)


def search(arguments: argparse.Namespace, mode: Mode, files: Files, form: str) -> str:
    """Write what is found, and the record; return how many of what they are."""
    folder = without_link(arguments.output.with_name(f".{arguments.output.name}.vectors"))
    vectors, record = encode_files(arguments, files, folder)
    rows, told = mode.find(arguments, files, vectors)
    write_found(arguments.output, form, mode.columns, rows, ".6f")
    if arguments.record:
        record |= {part: lines.as_record() for part, lines in files.items()}
        known = ("mode", "k", "threshold", "margin")
        options = {name: getattr(arguments, name) for name in known if hasattr(arguments, name)}
        if math.isinf(arguments.threshold):
            options["threshold"] = None
        write_json(arguments.record, record | options)
    shutil.rmtree(folder)
    return told


if __name__ == "__main__":
    run_command(main)
