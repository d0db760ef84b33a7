"""Score the translations that a pair of encoders found for the test words of a lexicon."""

import argparse
from pathlib import Path

from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.rankings import RankedTranslation, read_rankings
from workflow_scripts.retrieval.suite_files import read_dataset, side_of
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.measurement import bootstrap_scores
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--encoder", required=True, help="ids: model--model/recipe/corpus--corpus/seedN")
    add("--items", type=Path, required=True, help="items.json of the lexicon")
    add("--ranks", type=Path, required=True, help="output of induce_lexicon, tsv")
    add("--output", type=Path, required=True, help="scores, tsv")
    add("--details", type=Path, required=True, help="bootstrap replicates, npz")
    arguments = parser.parse_args(argv)

    encoder, entry = EncoderIds.parse(arguments.encoder), read_dataset(arguments.items)
    source, target = (side_of(entry, side) for side in SIDES)
    ranks = read_rankings(arguments.ranks, RankedTranslation)
    measured = measure_translations(entry["dataset"], source, target, ranks)
    scores, details = bootstrap_scores(encoder, [measured])
    write_replicates(arguments.details, details)
    write_scores(arguments.output, scores)


if __name__ == "__main__":
    run_command(main)
