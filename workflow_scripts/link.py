"""Command: link mentions to the names of an ontology or a list, with any encoder."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.cli import check_files
from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.name_lists import (
    Choices,
    NamesFormat,
    check_choices,
    read_names,
)
from workflow_scripts.embedding.chosen_encoder import (
    EncoderOptions,
    check_counts,
    check_encoder_options,
    open_encoder,
)
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.vector_shards import SHARD_SIZE, Dtype, Quantization
from workflow_scripts.errors import UserError, data_output
from workflow_scripts.files import STDIN, atomic_text, check_new_file, without_link
from workflow_scripts.imports import MachineOptions, quick_imports
from workflow_scripts.locking import drop_left_lock, sole_run
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval import name_index
from workflow_scripts.retrieval.link_options import LinkOptions, MentionOptions, Similarity
from workflow_scripts.retrieval.mention_links import (
    BATCH,
    Link,
    LinkWriter,
    MentionBatch,
    has_concept,
    is_linked,
    is_right,
    mention_batches,
    read_mentions,
)
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.rankings import Format

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.retrieval.rescored_search import RescoredSearch

EXAMPLE = """
printf 'D1\\theart attack\\nD2\\tasthma\\n' > names.tsv
echo angina | COMMAND --encoder my-encoder --names names.tsv --index my-index --mentions -
"""
# of the folder of an index
_FILES = (
    "names.tsv",
    "vectors.npy",
    "index.json",
    "ivf.faiss",
    "codes.faiss",
    ".vectors.npy.shards",
)


def link_mentions(
    encoder: NameEncoder,
    index: name_index.NameIndex,
    mentions: Sequence[str],
    options: LinkOptions,
    *,
    each_name: bool = False,
    threads: int = 1,
    rescored: "RescoredSearch | None" = None,
) -> list[list[Link]]:
    """Return the best ids of each mention, best first; none of a mention that is not linked.

    The vectors of the index are those of the same encoder: `name_index.index_names` makes one of
    names in memory. `rescored` searches them with less memory, and may miss some.
    """
    # one more, which the margin is taken to
    vectors = encoder.encode_mentions(mentions)
    with quick_imports():
        from workflow_scripts.retrieval.linked_ids import rank_ids

    ranked = rank_ids(
        *(index, vectors, options.k + 1),
        each_name=each_name,
        threads=threads,
        approximate=None if rescored is None else rescored.search,
    )
    return [links[: options.k] if is_linked(links, options) else [] for links in ranked]


@dataclass(frozen=True)
class NamesOptions:
    """What is linked to.

    Args:
        names: names with ids (default: those of a finished --index)
        names_format: default: by the file's name and first lines
        name_column: of tables (CSV, TSV, JSON lines, Parquet): the names
        id_column: of tables: their ids (default: a name is its own)
        where: of tables, COLUMN=VALUE: the rows to read; repeatable
        language: of MRCONSO.RRF (default: ENG)
        sources: of MRCONSO.RRF, SAB (default: all)
        suppress: of MRCONSO.RRF, flags to take (default: N)
        index: folder that keeps the names and their vectors
        dtype: float16 takes half the disk and rounds
        shard_size: names of a shard
    """

    names: Sequence[Path] | None = None
    names_format: NamesFormat | None = None
    name_column: str | None = None
    id_column: str | None = None
    where: Sequence[str] | None = None
    language: str | None = None
    sources: Sequence[str] | None = None
    suppress: Sequence[str] | None = None
    index: Path | None = None
    dtype: Dtype = "float32"
    shard_size: int = SHARD_SIZE


@dataclass(frozen=True)
class OutputOptions:
    """What is written where.

    Args:
        output: links (default, and -: standard output)
        errors: mentions whose best id is not a gold one, tsv
        format: of the links
        overwrite: replace the outputs
    """

    output: Path | None = None
    errors: Path | None = None
    format: Format = "tsv"
    overwrite: bool = False

    @property
    def links(self) -> Path | None:
        """Return the file of the links, None for standard output."""
        return None if str(self.output) == STDIN else self.output


def read_choices(names: NamesOptions, lower_case: bool) -> Choices:
    """Return how names are read: by the options, and without --names as those of the index were.

    Raises `UserError` for an option that says otherwise than the index.
    """
    keys = ("language", "sources", "suppress", "name_column", "id_column", "where")
    options = {key: getattr(names, key) for key in keys}
    options |= {"form": names.names_format, "lower_case": lower_case}
    choices: dict[str, Any] = {key: value for key, value in options.items() if value}
    if not names.names and names.index is not None:
        choices = name_index.read_choices(names.index, choices)
    return Choices(**choices)


def check_index_folder(folder: Path, names: Sequence[Path]) -> None:
    """Raise `UserError` for a folder that holds other files than an index, which could be lost."""
    for path in names:
        if path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"--index {folder}", f"{path} is read from", "give another folder")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--index {folder}", "is a file", "give a folder")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name not in _FILES and not path.name.endswith(".tmp"):
            raise UserError(
                f"--index {folder}", f"holds {path.name}", "give a folder for the index alone"
            )


def check_options(names: NamesOptions, mentions: MentionOptions, output: OutputOptions) -> None:
    """Raise `UserError` for what is wrong before anything is read."""
    files = names.names or ()
    taken: list[str | Path | None] = [mentions.mentions, *files]
    for option, path in (("--output", output.links), ("--errors", output.errors)):
        if path is not None:
            check_new_file(option, path, output.overwrite, taken)
            taken.append(path)
    if names.index is not None:
        check_index_folder(names.index, files)
    if output.errors is not None and mentions.gold_column is None:
        problem = "no right ids to compare with"
        raise UserError("--errors", problem, "give --gold-column too")
    if names.index is None and output.links is None:
        problem = "no folder for the vectors of the names, since links go to standard output"
        raise UserError("--index", problem, "give --index FOLDER, or --output FILE")
    if not files and not (names.index and name_index.is_finished(names.index)):
        raise UserError("--names", "give files of names, or --index with a finished index", None)
    check_files("--mentions", mentions.mentions, stdin=True)
    check_files("--names", *files)


def open_or_make_index(
    folder: Path, names: NamesOptions, choices: Choices, encoder: NameEncoder
) -> name_index.NameIndex:
    """Return the index of the names in a folder, made there where it is not finished."""
    source = None
    if names.names:
        source = name_index.describe_files(names.names, asdict(choices))
        if not name_index.is_finished(folder):
            name_index.make_index(
                folder,
                read_names(names.names, choices),
                source,
                encoder.provenance,
                encoder.encode_names,
                encoder.dimension,
                names.dtype,
                names.shard_size,
            )
    return name_index.open_index(folder, encoder.provenance, source)


def write_links(
    encoder: NameEncoder,
    index: name_index.NameIndex,
    batches: Iterable[MentionBatch],
    links: LinkOptions,
    output: OutputOptions,
    rescored: "RescoredSearch | None",
    each_name: bool,
    precision: float | None,
    threads: int,
) -> None:
    """Write the links of mentions, and print how many there are."""
    # Only now: FAISS takes a while, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.retrieval.linked_ids import rank_ids

    approximate = None if rescored is None else rescored.search
    with ExitStack() as stack:
        stream, errors = (
            None if path is None else stack.enter_context(atomic_text(path))
            for path in (output.links, output.errors)
        )
        writer = LinkWriter(stream or data_output(), errors, links, output.format)
        for batch in batches:
            vectors = encoder.encode_mentions(batch.distinct)
            is_first = not writer.report.mentions and len(vectors) > 0
            if is_first and encoder.encoder.settings.dimensions is not None:
                _say(truncation_line(encoder, index, batch))
            if is_first and rescored is not None:
                recall = rescored.recall(vectors, links.k)
                _say(f"{rescored.name}: recall@{links.k} {recall:.4f} on a sample")
                _say_accuracies(batch, vectors, index, rescored, each_name, threads)
            # one more than is written, which the margin is taken to
            ranked = rank_ids(
                index,
                vectors,
                links.k + 1,
                each_name=each_name,
                threads=threads,
                approximate=approximate,
            )
            writer.write(batch, ranked)
    ids = (index[row][0] for row in range(len(index)))
    report = writer.report
    lines = (*report.lines(), *report.lines_of_thresholds(precision), *report.lines_of_unknown(ids))
    for line in lines:
        _say(line)


def _say_accuracies(
    batch: MentionBatch,
    vectors: "np.ndarray",
    index: name_index.NameIndex,
    rescored: "RescoredSearch",
    each_name: bool,
    threads: int,
) -> None:
    """Print the share of mentions whose best id is right, and that of exact search, on a sample."""
    with quick_imports():
        from workflow_scripts.retrieval.linked_ids import rank_ids
        from workflow_scripts.retrieval.rescored_search import SAMPLE

    rows = {text: row for row, text in enumerate(batch.distinct)}
    gold = [
        (rows[text], mention)
        for mention, text in zip(batch.mentions, batch.texts, strict=True)
        if has_concept(mention)
    ][:SAMPLE]
    if not gold:
        return
    some = vectors[[row for row, _ in gold]]
    shares = []
    for search in (rescored.search, None):
        ranked = rank_ids(index, some, 1, each_name=each_name, threads=threads, approximate=search)
        right = [is_right(mention, links) for (_, mention), links in zip(gold, ranked, strict=True)]
        shares.append(sum(right) / len(right))
    _say(
        f"{rescored.name}: accuracy@1 {shares[0]:.4f}, of exact search {shares[1]:.4f}, on the "
        f"first {len(gold)} mentions with gold ids"
    )


def truncation_line(encoder: NameEncoder, index: name_index.NameIndex, batch: MentionBatch) -> str:
    """Return a line on what the encoder's `dimensions` lose among a sample of the names."""
    from workflow_scripts.retrieval import vector_loss

    step = max(1, -(-len(index) // vector_loss.SEARCHED))
    names = [index[row][1] for row in range(0, len(index), step)]
    return vector_loss.truncation_line(
        vector_loss.SampledStrings(encoder.encoder, "passage", names),
        vector_loss.SampledStrings(encoder.encoder, "query", batch.distinct),
        cosine=encoder.similarity == "cosine",
    )


def _sole_writer(index: Path | None, links: Path | None) -> AbstractContextManager[Any]:
    """Return what keeps other runs from the vectors of the names; a finished index is shared."""
    if index is None:
        assert links is not None  # see `check_options`
        return sole_run("--output", links)
    if not name_index.is_finished(index):
        return sole_run("--index", index)
    drop_left_lock(index)
    return nullcontext()


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def link(
    *,
    encoder: str,
    names: NamesOptions,
    mentions: MentionOptions,
    links: LinkOptions,
    output: OutputOptions,
    similarity: Similarity = "cosine",
    each_name: bool = False,
    target_precision: float | None = None,
    approximate: int | None = None,
    quantization: Quantization | None = None,
    unbuffered: bool = False,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Link mentions to the names of an ontology or a list, with any encoder.

    Each mention gets the ids of its nearest names by exact search; a run that was stopped goes on.

    Args:
        encoder: model folder or hub id (id@revision)
        similarity: dot: of the vectors as they are, as the tables have it
        each_name: k names, not ids: an id counts each time
        target_precision: print the threshold above which this share of links is right
        approximate: search the N nearest lists alone (FAISS IVF); the recall is printed
        quantization: search codes, rescored by the float vectors; the recall is printed
        unbuffered: answer each line of standard input at once
    """
    check_encoder_options(embedding, machine)
    check_counts(k=links.k, shard_size=names.shard_size, approximate=approximate)
    check_options(names, mentions, output)
    if target_precision is not None and not 0 < target_precision <= 1:
        where = f"--target-precision {target_precision:g}"
        raise UserError(where, "give a share from 0 to 1", None)
    if target_precision is not None and mentions.gold_column is None:
        raise UserError(
            "--target-precision", "no right ids to compare with", "give --gold-column too"
        )
    if approximate is not None and quantization is not None:
        raise UserError("--quantization", "--approximate is given too", "give one of them")
    settings = settle_settings(encoder, embedding)
    choices = read_choices(names, mentions.lower_case)
    check_choices(names.names or (), choices)
    # without an index the vectors are kept next to the output until it is written
    passing = output.links and output.links.with_name(f".{output.links.name}.index")
    folder: Any = names.index or (passing and without_link(passing))
    with _sole_writer(names.index, output.links):
        opened, provenance = open_encoder(encoder, settings, embedding, machine)
        provenance |= {"similarity": similarity, "dtype": names.dtype}
        if quantization is not None:
            provenance["quantization"] = quantization
        name_encoder = NameEncoder(opened, similarity, encoder, provenance)
        index = open_or_make_index(folder, names, choices, name_encoder)
        rescored: RescoredSearch | None = None
        vectors, digest = index.vectors, index.vectors_sha256
        if approximate is not None:
            from workflow_scripts.retrieval.approximate_search import ApproximateIndex

            file = folder / "ivf.faiss"
            rescored = ApproximateIndex(vectors, digest, file, approximate, machine.threads)
        elif quantization is not None and len(index):
            from workflow_scripts.retrieval.quantization import QuantizedIndex

            file = folder / "codes.faiss"
            rescored = QuantizedIndex(vectors, quantization, digest, file, machine.threads)
        mentions_read = read_mentions(
            mentions.mentions, mentions.mention_column, mentions.gold_column
        )
        # what comes by and by is answered by and by
        size = 1 if mentions.mentions == STDIN and unbuffered else BATCH
        batches = mention_batches(mentions_read, choices.lower_case, size)
        threads = machine.threads
        write_links(
            name_encoder,
            index,
            batches,
            links,
            output,
            rescored,
            each_name,
            target_precision,
            threads,
        )
        if names.index is None:
            shutil.rmtree(folder)


main = command(link, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
