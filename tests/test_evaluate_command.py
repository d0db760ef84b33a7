"""The front door `python -m workflow_scripts.evaluate`."""

import json
import shutil
import subprocess
import sys

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import main
from workflow_scripts.files import read_json

MODEL = "resources/models/bert-en-mini"


def run(project, *options):
    return subprocess.run(
        [sys.executable, "-m", "workflow_scripts.evaluate", *map(str, options)],
        cwd=project,
        capture_output=True,
        text=True,
    )


def evaluate(project, output, *options):
    arguments = ["--model", project / MODEL, "--output", output, "--device", "cpu", *options]
    main([str(argument) for argument in arguments])
    return {(row["dataset"], row["metric"]): row for row in read_json(output)}


def test_scores_are_those_of_sentence_transformers_own_evaluator(project, sampler, tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    rows = evaluate(
        project,
        tmp_path / "scores.json",
        *("--pooling", "mean", "--max-length", "64", "--suite", "stsb", "--data-root", sampler),
    )
    lines = (sampler / "sts-benchmark" / "sts-test.csv").read_text().split("\n")
    fields = [line.split("\t") for line in lines if line]
    # transformers would keep the half precision that the weights are stored in
    transformer = Transformer(
        str(project / MODEL), max_seq_length=64, model_kwargs={"dtype": "float32"}
    )
    peer = SentenceTransformer(
        modules=[transformer, Pooling(transformer.get_embedding_dimension(), "mean")],
        device="cpu",
    )
    evaluator = EmbeddingSimilarityEvaluator(
        [row[5] for row in fields],
        [row[6] for row in fields],
        [float(row[4]) / 5 for row in fields],
        main_similarity="cosine",
    )
    expected = evaluator(peer)[evaluator.primary_metric]
    assert rows["stsb", "spearman"]["value"] == pytest.approx(expected, abs=5e-4)
    assert rows["stsb", "spearman"]["n"] == len(fields)


def test_rows_are_fractions_with_n_and_coverage_and_a_table_is_printed(
    project, sampler, tmp_path, capsys
):
    output = tmp_path / "scores.json"
    rows = evaluate(
        project, output, "--pooling", "cls", "--suite", "word-similarity", "--data-root", sampler
    )
    assert [key[0] for key in rows] == ["simlex999", "multisimlex-en"]
    for row in json.loads(output.read_text()):
        assert set(row) == {"dataset", "metric", "value", "low", "high", "n", "coverage", "dropped"}
        assert -1 <= row["value"] <= 1
        assert 0 < row["coverage"] <= 1
    printed = capsys.readouterr().out
    assert "simlex999" in printed
    assert "spearman" in printed
    record = read_json(tmp_path / "scores.record.json")
    assert record["pooling"] == "cls"
    assert len(record["weights_sha256"]) == 64


def test_linking_and_lexicons_are_scored_too(project, sampler, tmp_path):
    links = evaluate(
        project,
        tmp_path / "links.json",
        *("--pooling", "mean", "--suite", "askapatient", "--data-root", sampler),
    )
    assert (
        links["askapatient", "accuracy@1"]["value"] <= links["askapatient", "accuracy@5"]["value"]
    )
    words = evaluate(
        project,
        tmp_path / "words.json",
        *("--pooling", "mean", "--suite", "bli-en-fr", "--data-root", sampler),
    )
    assert words["bli-en-fr", "accuracy@1"]["n"] == 88


def test_a_missing_data_set_is_named_and_left_out_or_an_error(project, sampler, tmp_path, capsys):
    root = tmp_path / "root"
    root.mkdir()
    (root / "simlex-999").symlink_to(sampler / "simlex-999")
    options = ("--pooling", "cls", "--suite", "word-similarity", "--data-root", root)
    rows = evaluate(project, tmp_path / "scores.json", *options)
    assert [key[0] for key in rows] == ["simlex999"]
    assert "multisimlex-en: left out" in capsys.readouterr().out
    strict = run(project, "--model", MODEL, "--output", tmp_path / "no.json", *options, "--strict")
    assert strict.returncode == 2
    assert "translation.csv: no such file" in strict.stderr
    assert not (tmp_path / "no.json").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--suite": "sts-eng"}, "did you mean 'sts-en'"),
        ({"--data-root": "no/such/root"}, "no/such/root: no such folder"),
        ({"--model": "no/such/model/folder"}, "no such model folder"),
        ({"--pooling": None}, "does not record one; give --pooling"),
        ({"--max-length": "100000"}, "maximum length 100000 is more than"),
        ({"--max-length": "0"}, "maximum length 0 is less than"),
    ],
)
def test_a_mistake_is_one_line_without_traceback_and_writes_nothing(
    changes, message, project, tmp_path
):
    output = tmp_path / "scores.json"
    options = {
        "--model": MODEL,
        "--pooling": "cls",
        "--suite": "simlex999",
        "--data-root": "resources/sampler",
        "--output": str(output),
        **changes,
    }
    arguments = [part for key, value in options.items() if value for part in (key, value)]
    result = run(project, *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert not output.exists()


def test_scores_go_onto_the_card_when_asked(project, sampler, tmp_path):
    model = shutil.copytree(project / MODEL, tmp_path / "model")
    options = ["--pooling", "mean", "--suite", "simlex999", "--data-root", str(sampler)]
    options += ["--model", str(model), "--output", str(tmp_path / "scores.json"), "--card"]
    main([*options, "--device", "cpu"])
    (row,) = read_json(tmp_path / "scores.json")
    line = f"| simlex999 | spearman | {row['value']:.4f} | {row['n']} |"
    assert line in (model / "README.md").read_text()
    (model / "README.md").unlink()
    with pytest.raises(UserError, match=r"--card: .* has no README\.md"):
        main([*options, "--device", "cpu"])
