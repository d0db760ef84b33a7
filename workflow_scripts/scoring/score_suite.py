"""Score an encoder on all datasets of a suite, lexicons left out."""

import argparse
from pathlib import Path

from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.rankings import RankedName, read_rankings
from workflow_scripts.retrieval.suite_files import read_datasets, read_vectors
from workflow_scripts.scoring.details import write_details
from workflow_scripts.scoring.measurement import bootstrap_scores
from workflow_scripts.scoring.suite_scores import ACCURACIES, measure_datasets
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def main(argv: list[str] | None = None) -> None:
    """Read items, vectors and links of a suite, write tidy scores and their details."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True, help="ids: model/recipe/corpus/seedN")
    parser.add_argument("--items", type=Path, required=True, help="items.json of the suite")
    parser.add_argument("--vectors", type=Path, required=True, help="vectors of the suite, npy")
    parser.add_argument("--links", type=Path, help="ranked names by link_entities, tsv")
    parser.add_argument(
        "--accuracy-at",
        type=int,
        nargs="+",
        default=list(ACCURACIES),
        metavar="K",
        help="names that may hold the answer of a mention (default: 1 5)",
    )
    parser.add_argument("--output", type=Path, required=True, help="scores, tsv")
    parser.add_argument(
        "--details", type=Path, required=True, help="bootstrap replicates and cosines, npz"
    )
    arguments = parser.parse_args(argv)
    if min(arguments.accuracy_at) < 1:
        parser.error("--accuracy-at: give numbers from 1")

    encoder = EncoderIds.parse(arguments.encoder)
    measured = measure_datasets(
        encoder,
        read_datasets(arguments.items),
        read_vectors(arguments.vectors),
        None if arguments.links is None else read_rankings(arguments.links, RankedName),
        arguments.accuracy_at,
    )
    scores, details = bootstrap_scores(encoder, measured)
    write_details(arguments.details, details)
    write_scores(arguments.output, scores)


if __name__ == "__main__":
    run_command(main)
