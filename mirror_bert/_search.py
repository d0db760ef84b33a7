"""Nearest strings as a table of pandas."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from workflow_scripts.embedding.encoder import Encoder, list_of_strings
from workflow_scripts.embedding.vector_shards import Quantization
from workflow_scripts.errors import UserError
from workflow_scripts.reports.page import check_report, write_report
from workflow_scripts.reports.search_report import nearest_report
from workflow_scripts.retrieval.nearest_strings import NEAREST, find_nearest, nearest_rows
from workflow_scripts.retrieval.numbered_lines import number_lines
from workflow_scripts.retrieval.suite_files import normalise

if TYPE_CHECKING:
    import pandas


def search(
    encoder: Encoder,
    queries: Sequence[str],
    strings: Sequence[str],
    *,
    k: int = 10,
    threshold: float | None = None,
    quantization: Quantization | None = None,
    report: str | Path | None = None,
) -> "pandas.DataFrame":
    """Return the `k` strings that are nearest to each query, by cosine, best first.

    A row for each query and neighbour, in the order of the queries: `query`, `rank` (from 1),
    `line` (the number of the string in `strings`, from 1), `score` (the cosine) and `string`. Equal
    strings count once, under the number of the first; blank strings and queries are left out. With
    a `threshold`, neighbours with a lower cosine are left out. Strings get the prompt of role
    "passage", queries that of "query". The search is exact. With `quantization` "int8" or "binary"
    it uses one byte or bit per dimension and scores the candidates again with the float vectors;
    `frame.attrs["recall"]` states the share of the nearest strings that this finds. `report` is a
    file for an HTML page with a chart of the scores and the doubtful hits first. Raises `UserError`
    for lists without a string, for `k` below 1 and for a threshold outside -1 to 1.
    """
    import pandas

    if k < 1:
        raise UserError(f"k {k}", "below 1", "give 1 or more")
    if threshold is not None and not -1 <= threshold <= 1:
        raise UserError(f"threshold {threshold}", "no cosine", "give one from -1 to 1")
    page = None if report is None else Path(report)
    check_report("report", page)
    asked = number_lines("queries", list_of_strings(queries))
    known = number_lines("strings", list_of_strings(strings))
    best = find_nearest(
        normalise(encoder.encode(asked.strings, role="query"), "queries", asked.numbers),
        normalise(encoder.encode(known.strings, role="passage"), "strings", known.numbers),
        k,
        threshold,
        threads=torch.get_num_threads(),
        quantization=quantization,
    )
    if page is not None:
        write_report(page, nearest_report(encoder.name, asked, known, *best[:2], threshold))
    rows = nearest_rows(asked, known, best)
    frame = pandas.DataFrame(rows, columns=list(NEAREST))
    if quantization is not None:
        frame.attrs["recall"] = best.recall_line(quantization)
    return frame
