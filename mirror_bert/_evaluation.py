"""Scores as a table of pandas."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from workflow_scripts.configuration.layers import DEFAULT
from workflow_scripts.datasets.catalogues import CATALOGUES
from workflow_scripts.datasets.own_pairs import list_own_pairs
from workflow_scripts.embedding.encoder import Encoder
from workflow_scripts.errors import UserError
from workflow_scripts.reports.evaluation_report import evaluation_report
from workflow_scripts.reports.page import check_report, write_report
from workflow_scripts.scoring.evaluation import evaluate_encoder, read_sets
from workflow_scripts.scoring.mteb_results import FURTHER_METRICS, mteb_tasks, write_mteb_results

if TYPE_CHECKING:
    import pandas


def evaluate(
    encoder: Encoder,
    data_root: str | Path | None = None,
    datasets: str | Sequence[str] = (),
    *,
    pairs: Mapping[str, Iterable[tuple[str, str, float]]] | None = None,
    against: Encoder | None = None,
    catalogues: Sequence[str | Path] = CATALOGUES,
    config: str | Path = DEFAULT,
    strict: bool = False,
    own_classifier: bool = False,
    report: str | Path | None = None,
    mteb: str | Path | None = None,
) -> "pandas.DataFrame":
    """Return the scores of an encoder on data sets, as `mirror-bert evaluate` computes them.

    A row for each data set and metric: `dataset`, `metric`, `value` (a fraction, higher is better
    unless the metric says otherwise), `low` and `high` (95% interval over items, bootstrap), `n`
    items, `coverage`, `dropped` (items left out, by reason). With `against`, another encoder, also
    `against`, `difference`, `difference_low`, `difference_high` and `p_value` of the paired
    bootstrap.

    `frame.attrs["verdicts"]` has one sentence per comparison: whether the items show a difference.
    `pairs` holds your own sets by name, as triples of left string, right string and score; sets
    with scores 0 and 1 also get the area under the ROC curve.

    `data_root` is the folder of the raw files; `datasets` are ids or patterns ("sts*") from the
    `catalogues`; `config` sets the protocol of retrieval and classification. A data set whose files
    are missing is left out and listed in `frame.attrs["missing"]`; with `strict` it is an error.
    `frame.attrs["record"]` has the inputs, settings and versions. `own_classifier` uses the
    classifier that the encoder was trained with. `report` is a file for an HTML page with charts of
    the scores. `mteb` is a folder for the scores in MTEB's format, for data sets that are MTEB
    tasks, with Pearson's correlation and F1. Raises `UserError`.
    """
    import pandas

    page = None if report is None else Path(report)
    check_report("report", page)
    names = [datasets] if isinstance(datasets, str) else list(datasets)
    files = [Path(file) for file in catalogues]
    own = [list_own_pairs(rows, name) for name, rows in (pairs or {}).items()]
    if not names and not own:
        raise UserError("datasets", "nothing to score on", "give datasets, pairs or both")
    root = None if data_root is None else Path(data_root)
    sets = read_sets(root, names, files, Path(config), strict, own)
    tasks = mteb_tasks(sets.entries) if mteb is not None else {}
    evaluation = evaluate_encoder(
        encoder,
        sets,
        against=against,
        own_classifier=own_classifier,
        threads=torch.get_num_threads(),
        further=FURTHER_METRICS if tasks else {},
    )
    if page is not None:
        base = None if against is None else against.name
        write_report(page, evaluation_report(evaluation, encoder.name, base))
    if mteb is not None:
        weights = encoder.loaded.weights_sha256
        write_mteb_results(Path(mteb), evaluation.rows, tasks, encoder.name, weights)
    frame = pandas.DataFrame(evaluation.rows)
    frame.attrs = {"record": evaluation.record, "missing": evaluation.missing}
    frame.attrs["verdicts"] = evaluation.verdicts
    return frame
