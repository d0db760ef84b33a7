"""Front door: link mentions to the names of an ontology or a list, with any encoder.

Each mention gets the ids whose names are nearest, best first; the search is exact. With --index the
vectors of the names are kept for the next call; a run that was stopped goes on when the same
command is given again.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from workflow_scripts.datasets.dictionaries import split_concept_ids
from workflow_scripts.datasets.name_lists import FORMATS, Choices, read_names
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.embedding.chosen_encoder import (
    add_encoder_arguments,
    check_counts,
    check_encoder_arguments,
    open_encoder,
)
from workflow_scripts.embedding.recorded_choices import settle_pooling
from workflow_scripts.embedding.vector_shards import DTYPES, SHARD_SIZE
from workflow_scripts.errors import UserError, nearest_name, run_command
from workflow_scripts.files import STDIN, atomic_file, check_new_file, given_lines
from workflow_scripts.imports import quick_imports

if TYPE_CHECKING:
    from workflow_scripts.retrieval.linked_ids import Link

OUTPUT_FORMATS = ("tsv", "jsonl")
COLUMNS = ("mention", "rank", "id", "name", "score")
# Mentions searched together: each batch goes over all names once.
BATCH = 4096


class Mention(NamedTuple):
    text: str
    gold: str = ""


def read_mentions(source: str, column: str | None, gold: str | None) -> Iterator[Mention]:
    """Yield the mentions of a file, or of stdin for "-": a line each, or columns of a tsv.

    A column is a number from 1, or a name of the header. Blank mentions are yielded as "".
    """
    name, lines = given_lines(source)
    path = Path(name)
    if column is None and gold is None:
        yield from (Mention(normalise_whitespace(text)) for text in lines)
        return
    places: list[int] | None = None
    wanted = [column or "1", *([gold] if gold else [])]
    if all(one.isdigit() for one in wanted):
        places = [int(one) - 1 for one in wanted]
    for number, text in enumerate(lines, start=1):
        fields = text.split("\t")
        if places is None:
            if unknown := [one for one in wanted if one not in fields]:
                hint = nearest_name(unknown[0], fields)
                raise UserError(f"{path}:1: no column {unknown[0]!r}; {hint}")
            places = [fields.index(one) for one in wanted]
            continue
        if max(places) >= len(fields) or min(places) < 0:
            raise malformed(path, number, f"no column {max(places) + 1}, found {len(fields)}")
        mention, *others = (normalise_whitespace(fields[place]) for place in places)
        yield Mention(mention, *others)


class Report:
    """Counts of what was linked, and accuracy where the gold ids are told."""

    def __init__(self, k: int, errors: TextIO | None) -> None:
        self.mentions = self.blank = self.below = self.known = 0
        self.hits = [0] * k
        self._errors = errors
        if errors is not None:
            errors.write("mention\tgold\tid\tname\tscore\trank of the gold id\n")

    def add(self, mention: Mention, links: list[tuple[str, str, float]], linked: bool) -> None:
        self.mentions += 1
        self.below += not linked
        if not mention.gold:
            return
        gold = {*split_concept_ids(mention.gold)}
        ranks = (n for n, one in enumerate(links) if gold & {*split_concept_ids(one[0])})
        rank = next(ranks, None) if linked else None
        self.known += 1
        for place in range(len(self.hits)):
            self.hits[place] += rank is not None and rank <= place
        if rank != 0 and self._errors is not None:
            best = [*links[0][:2], f"{links[0][2]:.6f}"] if linked else ["", "", ""]
            shown = "-" if rank is None else str(rank + 1)
            self._errors.write("\t".join([*mention, *best, shown]) + "\n")

    def lines(self) -> Iterator[str]:
        left = f", {self.blank} blank ones left out" if self.blank else ""
        below = f", {self.below} of them not linked" if self.below else ""
        yield f"{self.mentions} mentions{below}{left}"
        if self.known:
            places = sorted({1, len(self.hits)})
            found = (f"accuracy@{k} {self.hits[k - 1] / self.known:.4f}" for k in places)
            yield f"{self.known} with gold ids: {', '.join(found)}"


def write_links(
    stream: TextIO, form: str, mention: Mention, links: list[tuple[str, str, float]]
) -> None:
    """Write the links of a mention; of none, a row of rank 0."""
    if form == "jsonl":
        rows = [
            {"rank": rank, "id": identity, "name": name, "score": round(score, 6)}
            for rank, (identity, name, score) in enumerate(links, start=1)
        ]
        content = {"mention": mention.text, "links": rows}
        stream.write(json.dumps(content, ensure_ascii=False) + "\n")
        return
    for rank, (identity, name, score) in enumerate(links, start=1):
        stream.write(f"{mention.text}\t{rank}\t{identity}\t{name}\t{score:.6f}\n")
    if not links:
        stream.write(f"{mention.text}\t0\t\t\t\n")


def link(arguments: argparse.Namespace, choices: Choices, pooling: str, max_length: int) -> None:
    # Only now: they take seconds, which bad arguments should not wait for.
    with quick_imports():
        import numpy as np

        from workflow_scripts.retrieval import name_index
        from workflow_scripts.retrieval.linked_ids import best_links, scaled
        from workflow_scripts.retrieval.vector_search import search_blocks

    folder = arguments.index or arguments.output.with_name(f".{arguments.output.name}.index")
    encoder, maker = open_encoder(arguments, arguments.encoder, pooling, max_length)
    maker |= {"similarity": arguments.similarity, "dtype": arguments.dtype}
    similarity = arguments.similarity

    def encode(strings: Any, advance: Any = lambda count: None) -> np.ndarray:
        return scaled(encoder.encode(strings, advance), similarity, arguments.encoder)

    source = None
    if arguments.names:
        source = name_index.describe_files(arguments.names, asdict(choices))
    if not name_index.is_finished(folder):
        found = read_names(arguments.names, choices)
        sizes = (encoder.dimension, arguments.dtype, arguments.shard_size)
        name_index.make_index(folder, found, source, maker, encode, *sizes)
        del found
    index = name_index.open_index(folder, maker, source)
    search: Any = partial(search_blocks, targets=index.vectors, threads=arguments.threads)
    approximate = None
    if arguments.approximate is not None:
        from workflow_scripts.retrieval.approximate_search import ApproximateIndex

        how = (arguments.approximate, arguments.threads)
        approximate = ApproximateIndex(index.vectors, folder / "ivf.faiss", *how)
        search = approximate.search
    asked = read_mentions(arguments.mentions, arguments.mention_column, arguments.gold_column)
    with ExitStack() as stack:
        output, errors = (
            None if path is None else _opened(path, stack)
            for path in (arguments.output, arguments.errors)
        )
        report = Report(arguments.k, errors)
        output = output or sys.stdout
        if arguments.format == "tsv":
            output.write("\t".join(COLUMNS) + "\n")
        # what comes by and by is answered by and by
        size = 1 if arguments.mentions == STDIN and arguments.unbuffered else BATCH
        while batch := list(islice(asked, size)):
            given = [one for one in batch if one.text]
            report.blank += len(batch) - len(given)
            lower = choices.lower_case
            texts = [one.text.lower() if lower else one.text for one in given]
            distinct = list(dict.fromkeys(texts))
            vectors = encode(distinct) if distinct else np.empty((0, encoder.dimension))
            # one more, by which the margin is told
            if approximate is not None and not report.mentions and len(vectors):
                share = approximate.recall(vectors, arguments.k)
                _say(f"approximate search: recall@{arguments.k} {share:.4f} on a sample")
            grouped = not arguments.each_name
            ranked = best_links(index, vectors, arguments.k + 1, search, grouped=grouped)
            answers = dict(zip(distinct, ranked, strict=True))
            for mention, text in zip(given, texts, strict=True):
                found = answers[text]
                links = [(index.ids[row], index.names[row], score) for row, score in found]
                linked = _is_linked(found, arguments.threshold, arguments.margin)
                links = links[: arguments.k]
                write_links(output, arguments.format, mention, links if linked else [])
                report.add(mention, links, linked)
            output.flush()
    for line in report.lines():
        _say(line)
    if arguments.index is None:
        shutil.rmtree(folder)


def _is_linked(found: "list[Link]", threshold: float | None, margin: float | None) -> bool:
    if threshold is not None and found[0].score < threshold:
        return False
    return margin is None or len(found) < 2 or found[0].score - found[1].score >= margin


def _opened(path: Path, stack: ExitStack) -> TextIO:
    temporary = stack.enter_context(atomic_file(path))
    return stack.enter_context(open(temporary, "w", encoding="utf-8", newline=""))


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def check_index_folder(folder: Path, names: Sequence[Path]) -> None:
    """Raise `UserError` for a folder that holds other files than an index, which could be lost."""
    for path in names:
        if path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"--index {folder}: {path} is read from; give another folder")
    ours = ("names.tsv", "vectors.npy", "index.json", "ivf.faiss", ".vectors.npy.shards")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--index {folder}: is a file; give a folder")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in ours and not path.name.endswith(".tmp"):
            raise UserError(
                f"--index {folder}: holds {path.name}; give a folder for the index alone"
            )


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m workflow_scripts.link", description=__doc__)
    add = parser.add_argument
    add("--encoder", required=True, help="model folder or hub id (id@revision)")
    add("--names", nargs="+", type=Path, help="names with ids; needless with a finished --index")
    known = f"{', '.join(FORMATS)} (default: by the file's name and first line)"
    add("--names-format", choices=FORMATS, metavar="FORMAT", help=known)
    add("--language", default="ENG", help="of MRCONSO.RRF (default: ENG)")
    add("--sources", nargs="+", help="of MRCONSO.RRF, SAB (default: all)")
    add("--suppress", nargs="+", default=["N"], help="of MRCONSO.RRF, flags to take (default: N)")
    add("--mentions", required=True, help="a mention a line, or tsv; - for standard input")
    add("--mention-column", help="number from 1, or name in the header (default: the line)")
    add("--gold-column", help="ids that are right, joined by |: accuracy is told")
    add("--errors", type=Path, help="mentions whose best id is not a gold one, tsv")
    add("--output", type=Path, help="links (default, and -: standard output)")
    add("--format", choices=OUTPUT_FORMATS, default="tsv", help="of the links (default: tsv)")
    add("--index", type=Path, help="folder that keeps the names and their vectors")
    add("--k", type=int, default=5, help="ids of a mention (default: 5)")
    add("--each-name", action="store_true", help="k names, not ids: an id counts each time")
    similarity = "cosine, or dot, of the vectors as they are, as the tables have it"
    add("--similarity", choices=("cosine", "dot"), default="cosine", help=similarity)
    add("--threshold", type=float, help="mentions whose best score is lower are not linked")
    add("--margin", type=float, help="nor those whose second best is nearer to it than that")
    lists = "search the N nearest lists of an inverted file alone (FAISS IVF), recall told"
    add("--approximate", type=int, metavar="N", help=lists)
    add("--lower-case", action="store_true", help="names and mentions")
    add("--unbuffered", action="store_true", help="answer each line of standard input at once")
    kept = "of the names' vectors; float16 takes half the disk and rounds (default: float32)"
    add("--dtype", choices=DTYPES, default="float32", help=kept)
    add_encoder_arguments(parser)
    add("--shard-size", type=int, default=SHARD_SIZE, help="names of a shard")
    add("--overwrite", action="store_true", help="replace the outputs")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    arguments = _parse(argv)
    if str(arguments.output) == STDIN:
        arguments.output = None
    check_encoder_arguments(arguments)
    check_counts(arguments, "k", "shard_size", "approximate")
    inputs = [arguments.mentions, *(arguments.names or ())]
    for option in ("output", "errors"):
        if (path := getattr(arguments, option)) is not None:
            check_new_file(f"--{option}", path, arguments.overwrite, inputs)
    if arguments.index is not None:
        check_index_folder(arguments.index, arguments.names or ())
    if arguments.errors is not None and arguments.gold_column is None:
        raise UserError("--errors: against what? give --gold-column too")
    if arguments.index is None and arguments.output is None:
        raise UserError("--output: without it the vectors of the names need a place; give --index")
    if not arguments.names and not (arguments.index and (arguments.index / "index.json").is_file()):
        raise UserError("--names: give files of names, or --index with a finished index")
    if arguments.mentions != STDIN and not Path(arguments.mentions).is_file():
        raise UserError(f"--mentions {arguments.mentions}: no such file; check the path")
    for path in arguments.names or ():
        if not path.is_file():
            raise UserError(f"--names {path}: no such file; check the path")
    pooling, max_length = settle_pooling(arguments.encoder, arguments.pooling, arguments.max_length)
    options = {"language": arguments.language, "sources": arguments.sources}
    options |= {"suppress": arguments.suppress, "lower_case": arguments.lower_case}
    link(arguments, Choices(arguments.names_format, **options), pooling, max_length)


if __name__ == "__main__":
    run_command(main)
