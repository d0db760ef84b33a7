"""Command: link mentions to the names of an ontology or a list, with any encoder.

Each mention gets the ids whose names are nearest, best first; the search is exact. With --index the
vectors of the names are kept for the next call; a run that was stopped goes on when the same
command is given again.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.datasets.name_lists import (
    FORMATS,
    Choices,
    read_names,
    refuse_unused_choices,
)
from workflow_scripts.embedding.chosen_encoder import (
    add_encoder_arguments,
    check_counts,
    check_encoder_options,
    open_encoder,
    options_of,
)
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.vector_shards import DTYPES, SHARD_SIZE
from workflow_scripts.errors import UserError, data_output, run_command
from workflow_scripts.files import STDIN, atomic_text, check_new_file, without_link
from workflow_scripts.imports import quick_imports
from workflow_scripts.locking import drop_left_lock, sole_run
from workflow_scripts.retrieval import name_index
from workflow_scripts.retrieval.mention_links import (
    BATCH,
    LinkWriter,
    add_link_arguments,
    add_mention_arguments,
    mention_batches,
    read_mentions,
)
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.rankings import FORMATS as OUTPUT_FORMATS

EXAMPLE = """
printf 'D1\\theart attack\\nD2\\tasthma\\n' > names.tsv
echo 'cardiac infarction' | COMMAND --encoder my-encoder --names names.tsv \\
    --index my-index --mentions -
"""


def read_choices(arguments: argparse.Namespace) -> Choices:
    """Return how names are read: by the options, and without --names as those of the index were.

    Raises `UserError` for an option that says otherwise than the index.
    """
    options = ("language", "sources", "suppress", "lower_case")
    given = {"form": arguments.names_format} | {key: getattr(arguments, key) for key in options}
    given = {key: value for key, value in given.items() if value}
    if not arguments.names:
        given = name_index.read_choices(arguments.index, given)
    return Choices(**given)


def link(arguments: argparse.Namespace, choices: Choices, settings: EncoderSettings) -> None:
    # Only now: they take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.retrieval.linked_ids import best_links, named_links
        from workflow_scripts.retrieval.vector_search import search_blocks

    passing = arguments.output and arguments.output.with_name(f".{arguments.output.name}.index")
    folder = arguments.index or without_link(passing)
    opened, provenance = open_encoder(arguments.encoder, settings, *options_of(arguments))
    provenance |= {"similarity": arguments.similarity, "dtype": arguments.dtype}
    encoder = NameEncoder(opened, arguments.similarity, arguments.encoder, provenance)
    source = None
    if arguments.names:
        source = name_index.describe_files(arguments.names, asdict(choices))
    if not name_index.is_finished(folder):
        refuse_unused_choices(arguments.names, choices)
        found = read_names(arguments.names, choices)
        sizes = (encoder.dimension, arguments.dtype, arguments.shard_size)
        name_index.make_index(folder, found, source, provenance, encoder.encode_names, *sizes)
        del found
    index = name_index.open_index(folder, provenance, source)
    search: Any = partial(search_blocks, targets=index.vectors, threads=arguments.threads)
    approximate = None
    if arguments.approximate is not None:
        from workflow_scripts.retrieval.approximate_search import ApproximateIndex

        how = (arguments.approximate, arguments.threads)
        vectors = (index.vectors, index.vectors_sha256)
        approximate = ApproximateIndex(*vectors, folder / "ivf.faiss", *how)
    asked = read_mentions(arguments.mentions, arguments.mention_column, arguments.gold_column)
    with ExitStack() as stack:
        output, errors = (
            None if path is None else stack.enter_context(atomic_text(path))
            for path in (arguments.output, arguments.errors)
        )
        how = (arguments.format, arguments.k, arguments.threshold, arguments.margin)
        writer = LinkWriter(output or data_output(), errors, *how)
        # what comes by and by is answered by and by
        size = 1 if arguments.mentions == STDIN and arguments.unbuffered else BATCH
        for batch in mention_batches(asked, choices.lower_case, size):
            vectors = encoder.encode_mentions(batch.distinct)
            if approximate is not None and not writer.report.mentions and len(vectors):
                share = approximate.recall(vectors, arguments.k)
                _say(f"approximate search: recall@{arguments.k} {share:.4f} on a sample")
            grouped = not arguments.each_name
            # one more, by which the margin is told
            nearest = approximate and approximate.search
            ranked = best_links(
                *(index, vectors, arguments.k + 1, search), grouped=grouped, approximate=nearest
            )
            writer.write(batch, (named_links(index, links) for links in ranked))
    ids = (index[row][0] for row in range(len(index)))
    for line in (*writer.report.lines(), *writer.report.lines_of_unknown(ids)):
        _say(line)
    if arguments.index is None:
        shutil.rmtree(folder)


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def check_index_folder(folder: Path, names: Sequence[Path]) -> None:
    """Raise `UserError` for a folder that holds other files than an index, which could be lost."""
    for path in names:
        if path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"--index {folder}", f"{path} is read from", "give another folder")
    ours = ("names.tsv", "vectors.npy", "index.json", "ivf.faiss", ".vectors.npy.shards")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--index {folder}", "is a file", "give a folder")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in ours and not path.name.endswith(".tmp"):
            raise UserError(
                f"--index {folder}", f"holds {path.name}", "give a folder for the index alone"
            )


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = command_parser("link", __doc__, EXAMPLE)
    add = parser.add_argument
    add("--encoder", required=True, help="model folder or hub id (id@revision)")
    without = "names with ids; without, those of a finished --index, as they were read"
    add("--names", nargs="+", type=Path, help=without)
    known = f"{', '.join(FORMATS)} (default: by the file's name and first lines)"
    add("--names-format", choices=FORMATS, metavar="FORMAT", help=known)
    add("--language", help="of MRCONSO.RRF (default: ENG)")
    add("--sources", nargs="+", help="of MRCONSO.RRF, SAB (default: all)")
    add("--suppress", nargs="+", help="of MRCONSO.RRF, flags to take (default: N)")
    add_mention_arguments(parser)
    add("--errors", type=Path, help="mentions whose best id is not a gold one, tsv")
    add("--output", type=Path, help="links (default, and -: standard output)")
    add("--format", choices=OUTPUT_FORMATS, default="tsv", help="of the links (default: tsv)")
    add("--index", type=Path, help="folder that keeps the names and their vectors")
    add_link_arguments(parser)
    add("--each-name", action="store_true", help="k names, not ids: an id counts each time")
    lists = "search the N nearest lists of an inverted file alone (FAISS IVF), recall told"
    add("--approximate", type=int, metavar="N", help=lists)
    add("--unbuffered", action="store_true", help="answer each line of standard input at once")
    kept = "of the names' vectors; float16 takes half the disk and rounds (default: float32)"
    add("--dtype", choices=DTYPES, default="float32", help=kept)
    similarity = "cosine, or dot, of the vectors as they are, as the tables have it"
    add("--similarity", choices=("cosine", "dot"), default="cosine", help=similarity)
    add_encoder_arguments(parser)
    add("--shard-size", type=int, default=SHARD_SIZE, help="names of a shard")
    add("--overwrite", action="store_true", help="replace the outputs")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    arguments = _parse(argv)
    if str(arguments.output) == STDIN:
        arguments.output = None
    check_encoder_options(*options_of(arguments))
    check_counts(k=arguments.k, shard_size=arguments.shard_size, approximate=arguments.approximate)
    taken = [arguments.mentions, *(arguments.names or ())]
    for option in ("output", "errors"):
        if (path := getattr(arguments, option)) is not None:
            check_new_file(f"--{option}", path, arguments.overwrite, taken)
            taken.append(path)
    if arguments.index is not None:
        check_index_folder(arguments.index, arguments.names or ())
    if arguments.errors is not None and arguments.gold_column is None:
        problem = "no right ids to compare with"
        raise UserError("--errors", problem, "give --gold-column too")
    if arguments.index is None and arguments.output is None:
        raise UserError(
            "--output", "without it the vectors of the names need a place", "give --index"
        )
    if not arguments.names and not (arguments.index and name_index.is_finished(arguments.index)):
        raise UserError("--names", "give files of names, or --index with a finished index", None)
    check_files("--mentions", arguments.mentions, stdin=True)
    check_files("--names", *(arguments.names or ()))
    settings = settle_settings(arguments.encoder, arguments)
    choices = read_choices(arguments)
    alone: Any = nullcontext()
    if arguments.index is None:
        alone = sole_run("--output", arguments.output)
    # a finished one is shared
    elif not name_index.is_finished(arguments.index):
        alone = sole_run("--index", arguments.index)
    else:
        drop_left_lock(arguments.index)
    with alone:
        link(arguments, choices, settings)


if __name__ == "__main__":
    run_command(main)
