"""Step `score_suite`: scores of an encoder on data sets; lexicons are left to `score_lexicon`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.rankings import RankedName, read_rankings, rows_by_dataset
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.measurement import bootstrap_scores, measure_dataset
from workflow_scripts.scoring.predictions import read_predictions
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def score_suite(
    *,
    encoder: str,
    items: Sequence[Path],
    vectors: Path,
    links: Path | None = None,
    predictions: Path | None = None,
    metrics: dict[str, Any],
    output: Path,
    details: Path,
) -> None:
    """Score an encoder on data sets; lexicons are left to `score_lexicon`.

    Args:
        encoder: ids: model/recipe/corpus/seedN
        items: items.json of the data sets
        vectors: vectors of their strings, npy
        links: ranked names by link_entities, tsv
        predictions: predictions by classify_texts, tsv
        metrics: names of the metrics of each data set, the primary one first, as JSON
        output: scores, tsv
        details: bootstrap replicates and cosines, npz
    """
    ids = EncoderIds.parse(encoder)
    datasets = read_datasets(items)
    if datasets.keys() != metrics.keys():
        problem = f"names {', '.join(metrics)}; the items are of {', '.join(datasets)}"
        raise UserError("--metrics", problem, "name the metrics of each data set")
    made: dict[str, Any] = {}
    if links is not None:
        with damaged_file_error(links):
            made |= rows_by_dataset(read_rankings(links, RankedName))
    if predictions is not None:
        made |= read_predictions(predictions)
    measured = []
    for name, entry in datasets.items():
        own = read_string_vectors(vectors, name)
        measured.append(measure_dataset(ids, entry, own, metrics[name], made.get(name)))
    scores, replicates = bootstrap_scores(ids, measured)
    write_replicates(details, replicates)
    write_scores(output, scores)


main = command(score_suite)

if __name__ == "__main__":
    run_command(main)
