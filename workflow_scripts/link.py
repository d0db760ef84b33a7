"""Command: link mentions to the names of an ontology or a list, with any encoder."""

import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.name_lists import (
    Choices,
    NamesFormat,
    check_choices,
    files_read,
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
from workflow_scripts.files import STDIN, atomic_text, without_link
from workflow_scripts.imports import MachineOptions, quick_imports
from workflow_scripts.locking import drop_left_lock, sole_run
from workflow_scripts.option_paths import check_files, check_new_file
from workflow_scripts.path_functions import command
from workflow_scripts.reports.link_report import link_report
from workflow_scripts.reports.link_survey import LinkSurvey
from workflow_scripts.reports.page import check_report, name_of, write_report
from workflow_scripts.retrieval import name_index
from workflow_scripts.retrieval.link_calibration import (
    CalibrationPlan,
    SettledLinks,
    made_by,
    read_calibration,
    settle_links,
)
from workflow_scripts.retrieval.link_options import LinkOptions, MentionOptions, Similarity
from workflow_scripts.retrieval.mention_links import LinkWriter, Report
from workflow_scripts.retrieval.mentions import BATCH, mention_batches, mentions_of
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.name_index import provenance_of_vectors
from workflow_scripts.retrieval.rankings import Format

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


@dataclass(frozen=True)
class NamesOptions:
    """What is linked to.

    Args:
        names: files of names with ids (default: the names of a finished --index)
        names_format: default: guessed from the file's name and first lines
        name_column: column of the names in a table (CSV, TSV, JSON lines, Parquet)
        id_column: column of their ids in a table (default: each name is its own id)
        where: COLUMN=VALUE: read only these rows (table, MRCONSO.RRF); repeatable
        language: language in MRCONSO.RRF (default: ENG)
        sources: sources (SAB) in MRCONSO.RRF (default: all)
        suppress: SUPPRESS flags to accept in MRCONSO.RRF (default: N)
        semantic_types: of MRCONSO.RRF, as T047 or by name; needs MRSTY.RRF next to it
        index: folder that stores the names and their vectors
        dtype: float16 needs half the disk space and rounds
        shard_size: names per shard
    """

    names: Sequence[Path] | None = None
    names_format: NamesFormat | None = None
    name_column: str | None = None
    id_column: str | None = None
    where: Sequence[str] | None = None
    language: str | None = None
    sources: Sequence[str] | None = None
    suppress: Sequence[str] | None = None
    semantic_types: Sequence[str] | None = None
    index: Path | None = None
    dtype: Dtype = "float32"
    shard_size: int = SHARD_SIZE


@dataclass(frozen=True)
class OutputOptions:
    """What is written where.

    Args:
        output: links (default, and -: standard output)
        errors: write mentions whose best id is not a gold id there, as tsv
        report: write an HTML page with charts of the scores and the doubtful links
        format: format of the links
        overwrite: replace the outputs
    """

    output: Path | None = None
    errors: Path | None = None
    report: Path | None = None
    format: Format = "tsv"
    overwrite: bool = False

    @property
    def links(self) -> Path | None:
        """Return the file of the links, None for standard output."""
        return None if str(self.output) == STDIN else self.output


@dataclass(frozen=True)
class CalibrationOptions:
    """How sure links have to be.

    Args:
        target_precision: link only above the score from which this share of the links is correct
        write_calibration: fit confidences on half of the gold ids, for --calibration
        calibration: file written by --write-calibration: adds confidences without gold ids
        seed: seed that draws the half
    """

    target_precision: float | None = None
    write_calibration: Path | None = None
    calibration: Path | None = None
    seed: int = 33

    @property
    def fit(self) -> bool:
        """Return whether mentions with gold ids are fitted on."""
        return self.calibration is None and (
            self.write_calibration is not None or self.target_precision is not None
        )


def read_choices(names: NamesOptions, lower_case: bool) -> Choices:
    """Return how names are read: by the options, and without --names as those of the index were.

    Raises `UserError` for an option that says otherwise than the index.
    """
    options = asdict(names) | {"form": names.names_format, "lower_case": lower_case}
    choices = {key.name: options[key.name] for key in fields(Choices) if options[key.name]}
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


def check_options(
    names: NamesOptions,
    mentions: MentionOptions,
    output: OutputOptions,
    calibration: CalibrationOptions,
) -> None:
    """Raise `UserError` for files that are wrong or missing, before any is read."""
    files = names.names or ()
    taken: list[str | Path | None] = [mentions.mentions, calibration.calibration, *files]
    for option, path in (
        ("--output", output.links),
        ("--errors", output.errors),
        ("--write-calibration", calibration.write_calibration),
    ):
        if path is not None:
            check_new_file(option, path, output.overwrite, taken)
            taken.append(path)
    check_report("--report", output.report, taken)
    if names.index is not None:
        check_index_folder(names.index, files)
    if output.errors is not None and mentions.gold_column is None:
        problem = "no correct ids to compare with"
        raise UserError("--errors", problem, "give --gold-column too")
    if names.index is None and output.links is None:
        problem = "links go to standard output, so there is no folder for the vectors of the names"
        raise UserError("--index", problem, "give --index FOLDER, or --output FILE")
    if not files and not (names.index and name_index.is_finished(names.index)):
        raise UserError("--names", "give files of names, or a finished --index", None)
    check_files("--mentions", mentions.mentions, stdin=True)
    check_files("--names", *files)
    if mentions.documents is not None and mentions.document_column is None:
        problem = "no column with the names of its files"
        raise UserError("--documents", problem, "give --document-column too")
    if mentions.documents is not None and not mentions.documents.is_dir():
        raise UserError(f"--documents {mentions.documents}", "no such folder", "check the path")


def check_calibration(
    mentions: MentionOptions, links: LinkOptions, calibration: CalibrationOptions, unbuffered: bool
) -> None:
    """Raise `UserError` for options of a calibration that have nothing to work on."""
    check_files("--calibration", calibration.calibration)
    target = calibration.target_precision
    if calibration.calibration is not None and calibration.write_calibration is not None:
        raise UserError("--write-calibration", "--calibration is given too", "give one of them")
    if target is not None:
        check_target(f"--target-precision {target:g}", target, links)
    if calibration.fit and mentions.gold_column is None:
        option = "--target-precision" if target is not None else "--write-calibration"
        other = "" if calibration.write_calibration else ", or --calibration"
        raise UserError(option, "no correct ids to compare with", f"give --gold-column{other}")
    has_gold = mentions.gold_column is not None
    if unbuffered and has_gold and (calibration.calibration or calibration.fit):
        problem = "confidences fitted on gold ids are only available after all mentions are read"
        raise UserError("--unbuffered", problem, "leave it out")


def check_target(where: str, target: float, links: LinkOptions) -> None:
    """Raise `UserError` for a precision outside (0, 1] or together with another threshold."""
    if not 0 < target <= 1:
        raise UserError(where, "give a share from 0 to 1", None)
    for key in ("threshold", "margin"):
        if getattr(links, key) is not None:
            raise UserError(where, f"sets the threshold, but a {key} is given too", "give one")


def open_or_make_index(
    folder: Path, names: NamesOptions, choices: Choices, encoder: NameEncoder
) -> name_index.NameIndex:
    """Return the index of the names in a folder, made there where it is not finished.

    Without --index the folder is one of this command's own: what another run left there goes.
    """
    source = None
    if names.names:
        source = name_index.describe_files(files_read(names.names, choices), asdict(choices))
        if names.index is None and name_index.is_finished(folder):
            try:
                return name_index.open_index(folder, encoder.provenance, source)
            except UserError:
                shutil.rmtree(folder)
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
    settled: SettledLinks,
    index: name_index.NameIndex,
    output: OutputOptions,
    expanded: bool,
    encoder: str,
) -> None:
    """Write the links of mentions, and print how many there are."""
    survey = None if output.report is None else LinkSurvey()
    with ExitStack() as stack:
        stream, errors = (
            None if path is None else stack.enter_context(atomic_text(path))
            for path in (output.links, output.errors)
        )
        writer = LinkWriter(
            *(stream or data_output(), errors, settled.options, output.format),
            confidence=settled.confidence,
            expanded=expanded,
        )
        for batch, ranked in settled.answers:
            writer.write(batch, ranked)
            if survey is not None:
                survey.add_batch(batch, ranked, settled.options)
    ids = (index[row][0] for row in range(len(index)))
    report = writer.report
    lines = (*report.lines(), *report.lines_of_thresholds(), *report.lines_of_unknown(ids))
    for line in (*lines, *settled.lines):
        _say(line)
    if survey is not None and output.report is not None:
        write_link_report(output.report, encoder, survey, settled, report, len(index))


def write_link_report(
    path: Path,
    encoder: str,
    survey: LinkSurvey,
    settled: SettledLinks,
    counts: Report,
    names: int,
) -> None:
    """Write the page of a report; `names` are how many names there are."""
    lines = [*counts.lines(), *settled.lines]
    notes = [("Names", f"{names:,}"), *(("Counts", line) for line in lines)]
    options, name = settled.options, name_of(encoder)
    write_report(path, link_report(name, survey, options, counts, settled.confidence, notes))


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
    calibration: CalibrationOptions,
    approximate: int | None = None,
    quantization: Quantization | None = None,
    unbuffered: bool = False,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Link mentions to the names of an ontology or a list, with any encoder.

    Exact search finds the ids of the nearest names. The same command continues a stopped run.

    Args:
        encoder: model folder or hub id (id@revision)
        similarity: dot: inner product of unnormalised vectors
        each_name: return names, not ids: an id may occur several times
        approximate: search only the N nearest lists (FAISS IVF); the recall is printed
        quantization: search quantised vectors, rescore in float; the recall is printed
        unbuffered: answer each line of standard input at once
    """
    check_encoder_options(embedding, machine)
    check_counts(k=links.k, shard_size=names.shard_size, approximate=approximate)
    check_options(names, mentions, output, calibration)
    check_calibration(mentions, links, calibration, unbuffered)
    if approximate is not None and quantization is not None:
        raise UserError("--quantization", "--approximate is given too", "give one of them")
    file = calibration.calibration
    fitted = None if file is None else read_calibration(file)
    where_fitted = f"--calibration {file}"
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
        if fitted is not None:
            # before the names are embedded; those are checked thereafter
            fitted.check(provenance_of_vectors(provenance), where_fitted)
        index = open_or_make_index(folder, names, choices, name_encoder)
        # Only now: FAISS takes a while, which bad arguments should not wait for.
        with quick_imports():
            from workflow_scripts.retrieval.linker import Linker, lossy_search
        rescored = lossy_search(index, folder, approximate, quantization, machine.threads)
        linker = Linker(name_encoder, index, each_name, rescored, machine.threads)
        # mentions that arrive one at a time are answered one at a time
        size = 1 if mentions.mentions == STDIN and unbuffered else BATCH
        batches = mention_batches(mentions_of(mentions), choices.lower_case, size)
        plan = CalibrationPlan(
            made_by(provenance, index),
            calibration.fit,
            fitted,
            calibration.target_precision,
            mentions.gold_column is not None,
            calibration.seed,
            where_fitted,
        )
        settled = settle_links(linker.answer(batches, links.k, _say), links, plan)
        write_links(settled, index, output, mentions.document_column is not None, encoder)
        if calibration.write_calibration is not None and settled.calibration is not None:
            settled.calibration.save(calibration.write_calibration)
            _say(f"calibration written to {calibration.write_calibration}")
        if names.index is None:
            shutil.rmtree(folder)


main = command(link, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
