"""Score an encoder on data sets; lexicons are left to `score_lexicon`."""

import argparse
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import damaged_file_error, run_command
from workflow_scripts.retrieval.rankings import RankedName, read_rankings, rows_by_dataset
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.measurement import bootstrap_scores, measure_dataset
from workflow_scripts.scoring.predictions import read_predictions
from workflow_scripts.scoring.tidy_scores import EncoderIds, write_scores


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--encoder", required=True, help="ids: model/recipe/corpus/seedN")
    add("--items", type=Path, nargs="+", required=True, help="items.json of the data sets")
    add("--vectors", type=Path, required=True, help="vectors of their strings, npy")
    add("--links", type=Path, help="ranked names by link_entities, tsv")
    add("--predictions", type=Path, help="predictions by classify_texts, tsv")
    add("--output", type=Path, required=True, help="scores, tsv")
    add("--details", type=Path, required=True, help="bootstrap replicates and cosines, npz")
    arguments = parser.parse_args(argv)

    encoder = EncoderIds.parse(arguments.encoder)
    datasets = read_datasets(arguments.items)
    made: dict[str, Any] = {}
    if arguments.links:
        with damaged_file_error(arguments.links):
            made |= rows_by_dataset(read_rankings(arguments.links, RankedName))
    if arguments.predictions:
        made |= read_predictions(arguments.predictions)
    measured = []
    for name, entry in datasets.items():
        vectors = read_string_vectors(arguments.vectors, name)
        measured.append(measure_dataset(encoder, entry, vectors, made.get(name)))
    scores, details = bootstrap_scores(encoder, measured)
    write_replicates(arguments.details, details)
    write_scores(arguments.output, scores)


if __name__ == "__main__":
    run_command(main)
