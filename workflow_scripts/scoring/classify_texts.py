"""Step `classify_texts`: what classifiers on the vectors of data sets say of the test items."""

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.imports import quick_imports
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.suite_files import read_datasets
from workflow_scripts.scoring.predictions import write_predictions


def classify_texts(
    *,
    items: Sequence[Path],
    vectors: Path,
    protocol: str | None = None,
    classifier: Path | None = None,
    threads: int = 1,
    output: Path,
) -> None:
    """Train classifiers on the vectors of data sets, and write what they say of the test items.

    Or take the classifier that came with the encoder.

    Args:
        items: items.json of the data sets
        vectors: vectors of their strings, npy
        protocol: of SentEval: default, prototyping or notebook
        classifier: folder of an encoder that was trained with a classifier, which is then used
        threads: threads of torch
        output: predictions, tsv
    """
    if (protocol is None) == (classifier is None):
        problem = "missing" if protocol is None else "not allowed with --classifier"
        raise UserError("--protocol", problem, "give it, or --classifier")
    with quick_imports():
        import torch

        from workflow_scripts.embedding.own_classifier import read_own_classifier
        from workflow_scripts.scoring.trained_predictions import predict

    torch.set_num_threads(threads)
    how = protocol if protocol is not None else read_own_classifier(str(classifier))
    predictions = {}
    for name, entry in read_datasets(items).items():
        if "predictions" in plugins.load("scoring.tasks", entry["task"]).NEEDS:
            predictions[name] = predict(name, entry, read_string_vectors(vectors, name), how)
    write_predictions(output, predictions)


main = command(classify_texts)

if __name__ == "__main__":
    run_command(main)
