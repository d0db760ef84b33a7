"""`evaluate` on the sample data and the real test sets against sentence-transformers' evaluator.

The encoder is a folder that sentence-transformers itself saved; the pairs that its evaluator gets
are read here, apart from the readers of the project.
"""

import pytest
from command_words import as_argv

from workflow_scripts.evaluate import main
from workflow_scripts.files import read_json

MODEL = "resources/models/bert-en-mini"
# data set -> file, columns of both sentences and of the gold score, lines of header
LAYOUTS = {
    "stsb": ("sts-benchmark/sts-test.csv", (5, 6, 4), 0),
    "sickr": ("sick/semeval2014/SICK_test_annotated.txt", (1, 2, 3), 1),
}
MAX_LENGTH = 64


def read_pairs(root, dataset):
    """Return left sentences, right sentences and gold scores of a data set."""
    path, columns, header = LAYOUTS[dataset]
    lines = (root / path).read_bytes().decode("utf-8").split("\n")[header:]
    rows = [line.rstrip("\r").split("\t") for line in lines if line]
    left, right, gold = ([row[column] for row in rows] for column in columns)
    return left, right, [float(score) for score in gold]


@pytest.fixture(scope="module", params=["cls", "mean"])
def saved_encoder(request, project, tmp_path_factory):
    """A bundled model as an encoder that sentence-transformers saved, with its pooling."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    # transformers would keep the half precision that the weights are stored in
    kept = {"max_seq_length": MAX_LENGTH, "model_kwargs": {"dtype": "float32"}}
    transformer = Transformer(str(project / MODEL), **kept)
    pooling = Pooling(transformer.get_embedding_dimension(), request.param)
    folder = tmp_path_factory.mktemp("saved") / request.param
    SentenceTransformer(modules=[transformer, pooling], device="cpu").save(str(folder))
    return folder


SETS = [("sample_data", dataset) for dataset in LAYOUTS]
SETS += [pytest.param("shared_data", "stsb", marks=pytest.mark.shared_data)]
# three times as many pairs
SETS += [pytest.param("shared_data", "sickr", marks=[pytest.mark.shared_data, pytest.mark.nightly])]


@pytest.mark.parametrize(("root", "dataset"), SETS)
def test_scores_of_an_encoder_are_the_evaluator_s(request, tmp_path, saved_encoder, root, dataset):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    # pooling and length are read from what sentence-transformers saved
    folder, root = saved_encoder, request.getfixturevalue(root)
    output = tmp_path / "scores.json"
    options = {"model": folder, "datasets": dataset, "data-root": root, "output": output}
    main(as_argv(options | {"device": "cpu"}))
    [row] = (row for row in read_json(output) if row["metric"] == "spearman")

    left, right, gold = read_pairs(root, dataset)
    options = {"main_similarity": "cosine", "batch_size": 64}
    evaluator = EmbeddingSimilarityEvaluator(left, right, gold, **options)
    expected = evaluator(SentenceTransformer(str(folder), device="cpu"))[evaluator.primary_metric]
    assert (row["dataset"], row["n"]) == (dataset, len(gold))
    assert row["value"] == pytest.approx(expected, abs=5e-4)
