"""Links of mentions to the names of an ontology as a table of pandas."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from workflow_scripts.datasets.name_lists import Choices, NamesFormat, check_choices
from workflow_scripts.datasets.name_lists import read_names as read_names_of_files
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.embedding.encoder import Encoder, list_of_strings
from workflow_scripts.embedding.string_encoding import torch_encoder
from workflow_scripts.embedding.vector_shards import Quantization
from workflow_scripts.errors import UserError
from workflow_scripts.link import check_target, write_link_report
from workflow_scripts.reports.link_survey import LinkSurvey
from workflow_scripts.reports.page import check_report
from workflow_scripts.retrieval.link_calibration import (
    Calibration,
    CalibrationPlan,
    made_by,
    read_calibration,
    settle_links,
)
from workflow_scripts.retrieval.link_options import LinkOptions, Similarity
from workflow_scripts.retrieval.linker import Linker
from workflow_scripts.retrieval.mention_links import (
    Report,
    columns_of_links,
    link_rows,
    linked_mentions,
)
from workflow_scripts.retrieval.mentions import Mention, mention_batches, mention_of_document
from workflow_scripts.retrieval.name_encoder import NameEncoder
from workflow_scripts.retrieval.name_index import index_names
from workflow_scripts.retrieval.quantization import QuantizedIndex

if TYPE_CHECKING:
    import pandas


def link(
    encoder: Encoder,
    names: Path | Sequence[Path] | Iterable[tuple[str, str]],
    mentions: Sequence[str],
    *,
    k: int = 5,
    threshold: float | None = None,
    margin: float | None = None,
    similarity: Similarity = "cosine",
    each_name: bool = False,
    quantization: Quantization | None = None,
    gold: Sequence[str | None] | None = None,
    target_precision: float | None = None,
    calibration: Calibration | str | Path | None = None,
    seed: int = 33,
    documents: Sequence[str | None] | None = None,
    report: str | Path | None = None,
) -> "pandas.DataFrame":
    """Return the `k` ids whose names are nearest to each mention, best first.

    `names` are pairs (id, name), or files of names as `mirror-bert link` reads them (tsv, OBO,
    MRCONSO.RRF, ...; `read_names` selects among them). A row for each mention and id: `mention`,
    `rank` (from 1), `id`, `name` (the nearest name of that id) and `score`. A mention is linked if
    its best score is at least `threshold` and exceeds the second best by `margin`; an unlinked
    mention has one row, of rank 0. White space is collapsed. `similarity` is "cosine", or "dot" for
    the inner product of unnormalised vectors; with `each_name` the k nearest names are returned
    instead of ids. Names get the prompt of role "passage", mentions that of "query". The search is
    exact. With `quantization` "int8" or "binary" it uses one byte or bit per dimension and scores
    the candidates again with the float vectors; `frame.attrs["recall"]` states the share of the
    nearest names that this finds. Vectors of names are kept in memory, 4 bytes per dimension (the
    command keeps them on disk).

    `gold` has the correct ids of each mention (joined by |; None for unknown). On half of the
    mentions, drawn by `seed`, a map from the score of the best link to the probability that it is
    correct is fitted; column `confidence` holds this probability. Without `gold`, `calibration`
    gives the confidences: `frame.attrs["calibration"]` of an earlier call, or a file that its
    `save` wrote. `target_precision` chooses the threshold above which this share of the links was
    correct. `frame.attrs["report"]` has the lines that the command prints. `documents` are the
    texts that mentions come from: abbreviations that they define are expanded, in the column
    `expanded`. `report` is a file for an HTML page with charts of the scores and the doubtful links
    first. Raises `UserError`.
    """
    import pandas

    if k < 1:
        raise UserError(f"k {k}", "below 1", "give 1 or more")
    options = LinkOptions(k, threshold, margin)
    page = None if report is None else Path(report)
    check_report("report", page)
    if isinstance(calibration, str | Path):
        calibration = read_calibration(calibration)
    if target_precision is not None:
        check_target(f"target_precision {target_precision:g}", target_precision, options)
        if gold is None and calibration is None:
            problem, remedy = "no correct ids to compare with", "give gold, or calibration"
            raise UserError("target_precision", problem, remedy)
    batches = [*mention_batches(_mentions(mentions, gold, documents), lower_case=False)]
    ids, texts = ids_and_texts(names)
    of_strings = torch_encoder(encoder.loaded, encoder.settings)
    provenance = encoder.loaded.provenance(encoder.settings) | {"similarity": similarity}
    # as the command has them by default
    provenance |= {"backend": "torch", "precision": "float32", "dtype": "float32"}
    name_encoder = NameEncoder(of_strings, similarity, encoder.name, provenance)
    index = index_names(ids, texts, name_encoder.encode_names(texts, lambda _: None))
    threads = torch.get_num_threads()
    rescored: QuantizedIndex | None = None
    if quantization is not None and len(index):
        rescored = QuantizedIndex(index.vectors, quantization, threads=threads)
    linker = Linker(name_encoder, index, each_name, rescored, threads)
    lines: list[str] = []
    fit = gold is not None and calibration is None
    plan = CalibrationPlan(
        made_by(provenance, index), fit, calibration, target_precision, gold is not None, seed
    )
    settled = settle_links(linker.answer(batches, k, lines.append), options, plan)
    confidence = settled.confidence
    columns = columns_of_links(confidence is not None, documents is not None)
    survey = None if page is None else LinkSurvey()
    counts, rows = Report(k, None), []
    for batch, ranked in settled.answers:
        counts.blank += batch.blank
        if survey is not None:
            survey.add_batch(batch, ranked, settled.options)
        for mention, links, how in linked_mentions(batch, ranked, settled.options):
            counts.add(mention, links, **how._asdict())
            rows += link_rows(mention, links if how.linked else [], confidence)
    frame = pandas.DataFrame(rows, columns=columns)
    frame.attrs["report"] = [*counts.lines(), *counts.lines_of_thresholds(), *settled.lines]
    frame.attrs["calibration"] = settled.calibration
    # other lines are on what fewer dimensions lose
    for line in lines:
        if line.startswith(f"{quantization}: recall@"):
            frame.attrs["recall"] = line
    if survey is not None and page is not None:
        write_link_report(page, encoder.name, survey, settled, counts, len(index))
    return frame


def read_names(
    files: str | Path | Sequence[str | Path],
    *,
    names_format: NamesFormat | None = None,
    name_column: str | None = None,
    id_column: str | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    language: str = "ENG",
    sources: Sequence[str] | None = None,
    suppress: Sequence[str] = ("N",),
    semantic_types: Sequence[str] | None = None,
) -> list[tuple[str, str]]:
    """Return the pairs (id, name) of files of names, for `link`, as `mirror-bert link` reads them.

    For tables, `name_column` and `id_column` name the columns (without the latter, a name is its
    own id), and `where` selects rows: the accepted value or values of each column. UMLS's
    MRCONSO.RRF is filtered by `language` (LAT), `sources` (SAB), the flags `suppress`, `where` on
    any column, and `semantic_types`, such as "T047" or "Disease or Syndrome", which need MRSTY.RRF
    next to it. Raises `UserError`.
    """
    paths = [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]
    conditions = [
        f"{column}={value}"
        for column, values in (where or {}).items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    choices = Choices(
        *(names_format, False, language, sources, suppress, name_column, id_column),
        *(conditions or None, semantic_types),
    )
    check_choices(paths, choices)
    read = read_names_of_files(paths, choices)
    return [*zip(read.ids, read.names, strict=True)]


def _mentions(
    mentions: Sequence[str],
    gold: Sequence[str | None] | None,
    documents: Sequence[str | None] | None,
) -> Iterator[Mention]:
    """Yield the mentions with what belongs to each."""
    texts = list_of_strings(mentions)
    columns: list[Sequence[str | None]] = []
    for name, values in (("gold", gold), ("documents", documents)):
        if values is not None and (isinstance(values, str) or len(values) != len(texts)):
            problem = "not one per mention"
            raise UserError(name, problem, f"give {len(texts)}, with None for unknown ones")
        columns.append([None] * len(texts) if values is None else values)
    for text, ids, document in zip(texts, *columns, strict=True):
        of_text = ("" if ids is None else ids) if gold is not None else None
        yield mention_of_document(normalise_whitespace(text), of_text, document)


def ids_and_texts(
    names: Path | Sequence[Path] | Iterable[tuple[str, str]],
) -> tuple[list[str], list[str]]:
    """Return the ids and the names of pairs (id, name) or of files, row by row."""
    if isinstance(names, str):
        raise UserError("names", "a single string", "give pairs (id, name), or a Path")
    listed: list[Any] = [names] if isinstance(names, Path) else list(names)
    paths = [path for path in listed if isinstance(path, Path)]
    if paths and len(paths) == len(listed):
        read = read_names_of_files(paths, Choices())
        return read.ids, read.names
    pairs: dict[tuple[str, str], None] = {}
    for number, pair in enumerate(listed):
        is_pair = isinstance(pair, tuple | list) and len(pair) == 2
        if not is_pair or not all(isinstance(part, str) and part.strip() for part in pair):
            problem, remedy = (
                "not a pair of an id and a name",
                "give pairs of two strings that are not blank",
            )
            raise UserError(f"names[{number}]", problem, remedy)
        if any(mark in part for part in pair for mark in "\t\n\r"):
            raise UserError(f"names[{number}]", "holds a tab or a line break", "replace it")
        identity, name = map(normalise_whitespace, pair)
        pairs[identity, name] = None
    if not pairs:
        raise UserError("names", "no names", "give at least one pair (id, name)")
    return [identity for identity, _ in pairs], [name for _, name in pairs]
