"""Score the translations that a pair of encoders found for the test words of a lexicon."""

import argparse
from pathlib import Path

from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.lexicon_sides import read_side
from workflow_scripts.retrieval.rankings import RankedTranslation, read_rankings
from workflow_scripts.scoring.details import write_details
from workflow_scripts.scoring.lexicon import ACCURACIES, measure_translations
from workflow_scripts.scoring.measurement import bootstrap_scores
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def main(argv: list[str] | None = None) -> None:
    """Read both items and the ranked translations, write tidy scores and their details."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--encoder", required=True, help="ids: model--model/recipe/corpus--corpus/seedN"
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-items", type=Path, required=True, help=f"items.json of the {side} suite"
        )
    parser.add_argument("--dataset", required=True, help="lexicon dataset, such as bli-en-fr")
    parser.add_argument("--ranks", type=Path, required=True, help="output of induce_lexicon, tsv")
    parser.add_argument(
        "--accuracy-at",
        type=int,
        nargs="+",
        default=list(ACCURACIES),
        metavar="K",
        help="words that may hold a translation (default: 1 5)",
    )
    parser.add_argument("--output", type=Path, required=True, help="scores, tsv")
    parser.add_argument("--details", type=Path, required=True, help="bootstrap replicates, npz")
    arguments = parser.parse_args(argv)
    if min(arguments.accuracy_at) < 1:
        parser.error("--accuracy-at: give numbers from 1")

    encoder = EncoderIds.parse(arguments.encoder)
    measured = measure_translations(
        encoder,
        arguments.dataset,
        read_side(arguments.source_items, arguments.dataset, "source"),
        read_side(arguments.target_items, arguments.dataset, "target"),
        read_rankings(arguments.ranks, RankedTranslation),
        arguments.accuracy_at,
    )
    scores, details = bootstrap_scores(encoder, [measured])
    write_details(arguments.details, details)
    write_scores(arguments.output, scores)


if __name__ == "__main__":
    run_command(main)
