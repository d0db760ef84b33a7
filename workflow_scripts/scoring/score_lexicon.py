"""Step `score_lexicon`: scores of the translations that a pair of encoders found."""

from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.rankings import RankedTranslation, read_rankings
from workflow_scripts.retrieval.suite_files import read_dataset
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.measurement import bootstrap_scores
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def score_lexicon(
    *,
    encoder: str,
    items: Path,
    ranks: Path,
    metrics: dict[str, Any],
    output: Path,
    details: Path,
) -> None:
    """Score the translations that a pair of encoders found for the test words of a lexicon.

    Args:
        encoder: ids: model--model/recipe/corpus--corpus/seedN
        items: items.json of the lexicon
        ranks: output of induce_lexicon, tsv
        metrics: names of its metrics by its id, the primary one first, as JSON
        output: scores, tsv
        details: bootstrap replicates, npz
    """
    ids, entry = EncoderIds.parse(encoder), read_dataset(items)
    dataset, ranked = entry["dataset"], read_rankings(ranks, RankedTranslation)
    measured = measure_translations(dataset, entry, ranked, metrics[dataset])
    scores, replicates = bootstrap_scores(ids, [measured])
    write_replicates(details, replicates)
    write_scores(output, scores)


main = command(score_lexicon)

if __name__ == "__main__":
    run_command(main)
