"""Train classifiers on the vectors of a suite, and write what they say of its test items.

Or take the classifier that came with the encoder.
"""

import argparse
from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.errors import run_command
from workflow_scripts.imports import quick_imports
from workflow_scripts.retrieval.suite_files import read_datasets, read_vectors
from workflow_scripts.scoring.predictions import write_predictions


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--items", type=Path, required=True, help="items.json of the suite")
    add("--vectors", type=Path, required=True, help="vectors of the suite, npy")
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
    datasets, vectors = read_datasets(arguments.items), read_vectors(arguments.vectors)
    classifier = arguments.classifier
    how = arguments.protocol if classifier is None else read_own_classifier(classifier)
    found = {}
    for name, entry in datasets.items():
        if "predictions" in plugins.load("scoring.tasks", entry["task"]).NEEDS:
            found[name] = predict(name, entry, vectors, how)
    write_predictions(arguments.output, found)


if __name__ == "__main__":
    run_command(main)
