"""Command: nearest sentences, near-duplicates and translations in files of one string a line."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.chosen_encoder import (
    EncoderOptions,
    check_counts,
    check_encoder_options,
    open_encoder,
)
from workflow_scripts.embedding.progress import Advance
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.vector_shards import (
    SHARD_SIZE,
    Quantization,
    ShardedJob,
    embed_once,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import STDIN, without_link, write_json
from workflow_scripts.imports import MachineOptions
from workflow_scripts.locking import sole_run
from workflow_scripts.option_paths import check_files, check_new_file, check_own_json
from workflow_scripts.path_functions import command_of_modes
from workflow_scripts.reports.page import Report, check_report, name_of, write_report
from workflow_scripts.reports.search_report import nearest_report, pairs_report
from workflow_scripts.retrieval.margin_mining import NEIGHBOURS, Margin, check_neighbours
from workflow_scripts.retrieval.near_duplicates import near_duplicates
from workflow_scripts.retrieval.nearest_strings import (
    NEAREST,
    PAIR,
    find_nearest,
    find_translations,
    nearest_rows,
    pair_rows,
)
from workflow_scripts.retrieval.numbered_lines import NumberedLines, read_numbered_lines
from workflow_scripts.retrieval.rankings import Format, write_found
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_loss import SampledStrings, truncation_line
from workflow_scripts.string_columns import FORMS, TableOptions, form_of

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder

ABOUT = """Find nearest sentences, near-duplicates and translations in files of one string a line.

The search is exact. Equal lines count as one string, under the number of the first; empty lines are
skipped; both are counted at the end. Vectors are kept in a folder next to the output until it is
written: if a run is stopped, the same command continues it."""
EXAMPLE = """
echo 'cardiac infarction' | COMMAND nearest --encoder my-encoder --queries - \\
    --strings resources/sample_data/names/biomedical_names.txt --k 3 --output nearest.tsv
"""
Files = dict[str, NumberedLines]
Vectors = dict[str, np.ndarray]


class Result(NamedTuple):
    """Rows of the output, how many of what they are, and what makes the report of them."""

    rows: Iterator[tuple[Any, ...]]
    summary: str
    report: Callable[[], Report]


@dataclass(frozen=True)
class OutputOptions:
    """What is written where.

    Args:
        output: file for the results, best first
        format: default: jsonl where the output's name ends so, else tsv
        record: write inputs, settings and versions there, as JSON
        report: write an HTML page with a chart of the scores and the doubtful rows
        shard_size: strings per shard
        overwrite: replace the output
    """

    output: Path
    format: Format | None = None
    record: Path | None = None
    report: Path | None = None
    shard_size: int = SHARD_SIZE
    overwrite: bool = False

    @property
    def form(self) -> Format:
        return self.format or ("jsonl" if self.output.suffix == ".jsonl" else "tsv")


class Job(NamedTuple):
    """What a mode reads, embeds and writes.

    `inputs` are its files by part: "strings", and "queries" or "targets". `encoders` has the
    "encoder" and, of other targets, the "target_encoder". `options` are those that are recorded.
    """

    mode: str
    inputs: Mapping[str, Path]
    encoders: Mapping[str, str]
    options: Mapping[str, Any]
    output: OutputOptions
    embedding: EncoderOptions
    machine: MachineOptions
    table: TableOptions
    # of the strings of parts, others have none
    roles: Mapping[str, str] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return NEAREST if self.mode == "nearest" else PAIR


def read_files(job: Job) -> Files:
    """Return the lines of the inputs; `UserError` for what is wrong before anything is embedded."""
    output = job.output
    check_encoder_options(job.embedding, job.machine)
    check_counts(k=job.options["k"], shard_size=output.shard_size)
    threshold = job.options["threshold"]
    if "margin" not in job.options and threshold is not None and abs(threshold) > 1:
        raise UserError(f"--threshold {threshold}", "give a cosine, from -1 to 1", None)
    check_new_file("--output", output.output, output.overwrite, job.inputs.values())
    if output.record is not None:
        check_own_json("--record", output.record, "mode", [*job.inputs.values(), output.output])
    written = [*job.inputs.values(), output.output, output.record]
    check_report("--report", output.report, written)
    for part, path in job.inputs.items():
        check_files(f"--{part}", path, stdin=True, folders=bool(job.table.column))
    check_table(job)
    is_tsv = output.form == "tsv"
    return {part: read_numbered_lines(path, is_tsv, job.table) for part, path in job.inputs.items()}


def check_table(job: Job) -> None:
    """Raise `UserError` for tables without a column to read, and a column without a table."""
    files = {part: path for part, path in job.inputs.items() if str(path) != STDIN}
    job.table.check("--column")
    for part, path in files.items():
        job.table.check(f"--{part}", path)
    if job.table.column and not any(map(form_of, files.values())):
        remedy = f"remove it, or give a file named .{FORMS}"
        raise UserError("--column", "no file has the name of a table", remedy)


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


def encode_files(job: Job, files: Files, folder: Path) -> tuple[Vectors, dict[str, Any]]:
    """Return the vectors of each file, kept in `folder`, and which encoders made them, as JSON."""
    chosen = {name: settle_settings(model, job.embedding) for name, model in job.encoders.items()}
    opened = {
        name: open_encoder(job.encoders[name], settings, job.embedding, job.machine)
        for name, settings in chosen.items()
    }
    sizes = [encoder.dimension for encoder, _ in opened.values()]
    if len(set(sizes)) > 1:
        raise UserError(
            f"--target-encoder {job.encoders['target_encoder']}",
            f"its vectors have {sizes[1]} dimensions, those of {job.encoders['encoder']} "
            f"{sizes[0]}",
            "give two encoders that share a vector space",
        )
    vectors, sampled = {}, []
    for part, lines in files.items():
        # the languages of two files may have an encoder each
        own = "target_encoder" if part == "targets" else "encoder"
        encoder, provenance = opened.get(own, opened["encoder"])
        role = job.roles.get(part, "default")
        sampled.append(SampledStrings(encoder, role, lines.strings))
        if prompt := encoder.settings.prompt(role):
            provenance = provenance | {"prompt": prompt}
        what = (folder / f"{part}.npy", lines.strings, encoder.dimension, provenance)
        sharded = ShardedJob(*what, shard_size=job.output.shard_size)
        vectors[part] = embed_once(sharded, partial(encode_unit, encoder, role, lines))
    if any(each.encoder.settings.dimensions is not None for each in sampled):
        # of two files the nearest are sought in one of them
        first, *others = sampled if job.mode == "nearest" else sampled[::-1]
        print(truncation_line(first, *others), file=sys.stderr)
    return vectors, {name: provenance for name, (_, provenance) in opened.items()}


def write_result(job: Job, files: Files, find: Callable[[Vectors], Result]) -> None:
    """Write what `find` finds, and the record; print how many of what they are."""
    output = job.output.output
    with sole_run("--output", output):
        folder = without_link(output.with_name(f".{output.name}.vectors"))
        vectors, record = encode_files(job, files, folder)
        result = find(vectors)
        write_found(output, job.output.form, job.columns, result.rows, ".6f")
        if job.output.report is not None:
            write_report(job.output.report, result.report())
        if job.output.record:
            record |= {part: lines.as_record() for part, lines in files.items()}
            write_json(job.output.record, record | {"mode": job.mode, **job.options})
        shutil.rmtree(folder)
    read = "; ".join(lines.summary() for lines in files.values())
    print(f"{output}: {result.summary}; {read}", file=sys.stderr)


def nearest(
    *,
    encoder: str,
    strings: Path,
    queries: Path,
    k: int = 10,
    threshold: float | None = None,
    quantization: Quantization | None = None,
    table: TableOptions,
    output: OutputOptions,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Find the strings of a file that are nearest to each query by cosine.

    Args:
        encoder: model folder or hub id (id@revision)
        strings: UTF-8 text file, one string per line, or a table
        queries: text file, one query per line, or a table; - for standard input
        k: most strings per query
        threshold: lowest cosine to report
        quantization: search quantised vectors and rescore with float vectors; the recall is printed
    """
    inputs = {"strings": strings, "queries": queries}
    options: dict[str, Any] = {"k": k, "threshold": threshold}
    if quantization is not None:
        options["quantization"] = quantization
    roles = {"strings": "passage", "queries": "query"}
    encoders = {"encoder": encoder}
    job = Job("nearest", inputs, encoders, options, output, embedding, machine, table, roles)
    files = read_files(job)

    def find(vectors: Vectors) -> Result:
        best = find_nearest(
            *(vectors["queries"], vectors["strings"], k, threshold),
            threads=machine.threads,
            quantization=quantization,
        )
        if quantization is not None:
            print(best.recall_line(quantization), file=sys.stderr)
        counts = best.counts[files["queries"].order]
        summary = f"{int(counts.sum())} strings for {len(counts)} queries"
        if none := int((counts == 0).sum()):
            summary += f" (none for {none} of them)"
        both = files["queries"], files["strings"]
        report = partial(nearest_report, name_of(encoder), *both, *best[:2], threshold)
        return Result(nearest_rows(*both, best), summary, report)

    write_result(job, files, find)


def duplicates(
    *,
    encoder: str,
    strings: Path,
    threshold: float,
    k: int = 100,
    table: TableOptions,
    output: OutputOptions,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Find pairs of strings in a file that are close to each other by cosine.

    Args:
        encoder: model folder or hub id (id@revision)
        strings: UTF-8 text file, one string per line, or a table
        threshold: lowest cosine to report
        k: most neighbours of a string to compare
    """
    inputs, options = {"strings": strings}, {"k": k, "threshold": threshold}
    job = Job(
        "duplicates", inputs, {"encoder": encoder}, options, output, embedding, machine, table
    )
    files = read_files(job)

    def find(vectors: Vectors) -> Result:
        pairs = near_duplicates(vectors["strings"], k, threshold, threads=machine.threads)
        summary = f"{len(pairs.scores)} pairs"
        if pairs.full_rows:
            many = f"strings with {k} such neighbours or more: {pairs.full_rows}"
            summary += f" ({many}; raise --k for all)"
        both, title = (files["strings"], files["strings"]), f"Near-duplicates by {name_of(encoder)}"
        report = partial(pairs_report, title, *both, *pairs[:3], "cosine", threshold)
        return Result(pair_rows(*both, *pairs[:3]), summary, report)

    write_result(job, files, find)


def bitext(
    *,
    encoder: str,
    strings: Path,
    targets: Path,
    target_encoder: str | None = None,
    margin: Margin = "ratio",
    k: int = NEIGHBOURS,
    threshold: float | None = None,
    table: TableOptions,
    output: OutputOptions,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Find translations between two files, one to one, by margin (Artetxe and Schwenk 2019).

    Args:
        encoder: model folder or hub id (id@revision)
        strings: UTF-8 text file, one string per line, or a table
        targets: file in the other language
        target_encoder: encoder of the targets, whose vectors share a space with those of --encoder
        margin: cosine divided by that of the neighbours, minus it, or unchanged
        k: neighbours that a cosine is compared with
        threshold: lowest margin to report
    """
    encoders = {"encoder": encoder}
    if target_encoder is not None:
        encoders["target_encoder"] = target_encoder
    inputs = {"strings": strings, "targets": targets}
    options = {"k": k, "threshold": threshold, "margin": margin}
    job = Job("bitext", inputs, encoders, options, output, embedding, machine, table)
    files = read_files(job)
    # which should not wait for the vectors
    check_neighbours(k, *(len(lines.strings) for lines in files.values()))

    def find(vectors: Vectors) -> Result:
        both = vectors["strings"], vectors["targets"]
        pairs = find_translations(*both, k, margin, threshold, threads=machine.threads)
        lines, title = (files["strings"], files["targets"]), f"Translations by {name_of(encoder)}"
        report = partial(pairs_report, title, *lines, *pairs, "margin", threshold)
        return Result(pair_rows(*lines, *pairs), f"{len(pairs.scores)} pairs", report)

    write_result(job, files, find)


MODES: dict[str, Callable[..., None]] = {
    "nearest": nearest,
    "duplicates": duplicates,
    "bitext": bitext,
}
main = command_of_modes(MODES, ABOUT, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
