"""Train classifiers on the vectors of data sets, and write what they say of the test items.

Or take the classifier that came with the encoder.
"""

import argparse
from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import run_command
from workflow_scripts.imports import quick_imports
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.predictions import write_predictions


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--items", type=Path, nargs="+", required=True, help="items.json of the data sets")
    add("--vectors", type=Path, required=True, help="vectors of their strings, npy")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--protocol", help="of SentEval: default, prototyping or notebook")
    own = "folder of an encoder that was trained with a classifier, which is then used"
    group.add_argument("--classifier", type=Path, metavar="FOLDER", help=own)
    add("--threads", type=int, default=1)
    add("--output", type=Path, required=True, help="predictions, tsv")
    arguments = parser.parse_args(argv)
    with quick_imports():
        import torch

        from workflow_scripts.embedding.own_classifier import read_own_classifier
        from workflow_scripts.scoring.trained_predictions import predict

    torch.set_num_threads(arguments.threads)
    classifier = arguments.classifier
    how = arguments.protocol if classifier is None else read_own_classifier(classifier)
    found = {}
    for name, entry in read_datasets(arguments.items).items():
        if "predictions" in plugins.load("scoring.tasks", entry["task"]).NEEDS:
            vectors = read_string_vectors(arguments.vectors, name)
            found[name] = predict(name, entry, vectors, how)
    write_predictions(arguments.output, found)


if __name__ == "__main__":
    run_command(main)
