"""Train classifiers on the vectors of a suite, and write what they say of its test items."""

import argparse
from pathlib import Path

from workflow_scripts import rooms
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.imports import quick_imports
from workflow_scripts.retrieval.suite_files import read_datasets, read_vectors
from workflow_scripts.scoring.predictions import write_predictions


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--items", type=Path, required=True, help="items.json of the suite")
    add("--vectors", type=Path, required=True, help="vectors of the suite, npy")
    add("--protocol", required=True, help="of SentEval: default, prototyping or notebook")
    add("--threads", type=int, default=1)
    add("--output", type=Path, required=True, help="predictions, tsv")
    arguments = parser.parse_args(argv)
    with quick_imports():
        import torch

        from workflow_scripts.scoring.trained_predictions import predict

    torch.set_num_threads(arguments.threads)
    datasets, vectors = read_datasets(arguments.items), read_vectors(arguments.vectors)
    found = {}
    for name, entry in datasets.items():
        if "predictions" in rooms.load("scoring.tasks", entry["task"]).NEEDS:
            try:
                found[name] = predict(vectors, entry, arguments.protocol)
            except UserError as error:
                raise UserError(f"dataset {name}: {error}") from error
    write_predictions(arguments.output, found)


if __name__ == "__main__":
    run_command(main)
