"""The command that makes an encoder folder."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from command_words import as_argv
from same_everywhere import wait_for
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer
from tiny_models import RECIPE, edit_model, make_sentences
from transformers import AutoModel

from workflow_scripts import plugins
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.tuning import tune_encoder

MODULE = "workflow_scripts.tuning.tune_encoder"


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(make_sentences(20)) + "\n")
    given = {"--recipe-name": "own", "--recipe-json": json.dumps(RECIPE), "--seed": "33"}
    files = {"--model": str(tiny_bert), "--corpus": str(corpus)}
    return files | given | {"--output": str(tmp_path / "out" / "seed33")}


def bytes_of(folder):
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_an_encoder_folder_is_written_and_loads_everywhere(arguments, tiny_bert, tmp_path):
    arguments["--step-log"] = str(tmp_path / "logs" / "steps.jsonl")
    tune_encoder.main(as_argv(arguments))
    folder = tmp_path / "out" / "seed33"
    assert SentenceTransformer(str(folder), device="cpu").encode(["the cat"]).shape == (1, 32)
    assert AutoModel.from_pretrained(folder).dtype == torch.float32
    record = json.loads((folder / "encoder.json").read_text())
    assert (record["recipe"], record["recipe_name"], record["seed"]) == (RECIPE, "own", 33)
    assert (record["tuning"]["steps"], record["corpus"]["strings"]) == (2, 20)
    assert record["corpus"]["sha256"] == sha256_of(tmp_path / "corpus.txt")
    weights = sha256_of(tiny_bert / "model.safetensors")
    assert record["model"] == {"name": "tiny-bert", "weights_sha256": weights}
    assert set(record["versions"]) == {"torch", "transformers", "tokenizers"}
    assert len((tmp_path / "logs" / "steps.jsonl").read_text().splitlines()) == 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["seed33"]


def recipe(**changes):
    return json.dumps({**RECIPE, **changes})


WATCHED = {"dataset": "pears", "every": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--recipe-json": "{"}, "--recipe-json: not valid JSON"),
        ({"--recipe-json": recipe(dropout=1.5)}, r"recipes\.own\.dropout` is 1\.5"),
        (
            {"--recipe-json": recipe(batch_size=200)},
            "20 strings.*batch of 200.*own to 20",
        ),
        ({"--recipe-json": recipe(embed_max_length=99)}, "embed_max_length"),
        ({"--recipe-json": recipe(pooling="pooler")}, "hold no pooler"),
        ({"--recipe-json": recipe(development=WATCHED)}, r"own\.development.*both or neither"),
        ({"--recipe-json": recipe(start={"recipe": "a", "corpus": "b"})}, "recipe a and corpus b"),
        ({"--corpus": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--model": "no/such/folder"}, "no/such/folder: no such model folder"),
        ({"--threads": "0"}, "--threads 0"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        tune_encoder.main(as_argv({**arguments, **changes}))
    assert not (tmp_path / "out").exists()


KILLS = [(signal.SIGKILL, -9)]
OTHER_KILLS = [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
KILLS += [pytest.param(*kill, marks=pytest.mark.nightly) for kill in OTHER_KILLS]


@pytest.mark.parametrize(("sent", "status"), KILLS)
def test_a_killed_run_ends_at_the_same_folder(sent, status, arguments, project, tmp_path, capsys):
    """A signal as soon as there is a state; the log of steps is whole in the end.

    At SIGTERM and Ctrl-C the state of the last step is kept, not only that of the last time it
    was due.
    """
    arguments |= {"--recipe-json": recipe(epochs=60), "--step-log": str(tmp_path / "steps.jsonl")}
    state = tmp_path / "out" / ".seed33.state.safetensors"
    (tmp_path / "out").mkdir()
    code = f"import {MODULE} as c; c.SECONDS_BETWEEN_STATES = 0.2; c.main()"
    slow = [sys.executable, "-c", code, *as_argv(arguments)]
    # what runs in the background ignores Ctrl-C, and hands that on
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    streams = {"stderr": subprocess.PIPE, "text": True, "preexec_fn": heard}
    process = subprocess.Popen(slow, cwd=project, **streams)
    wait_for(state.is_file, process)
    os.kill(process.pid, sent)
    _, said = process.communicate()
    assert process.returncode == status, said
    assert not (tmp_path / "out" / "seed33").exists()
    tune_encoder.main(as_argv(arguments))
    goes_on = re.search(r"continuing after step (\d+)", capsys.readouterr().err)
    if sent != signal.SIGKILL:
        assert f"the state after step {goes_on[1]} is saved in .seed33.state.safetensors" in said
        assert said.endswith("next to the output; the same command continues from there\n")
    assert not state.exists()
    undisturbed = {**arguments, "--output": str(tmp_path / "whole")}
    del undisturbed["--step-log"]
    tune_encoder.main(as_argv(undisturbed))
    written = bytes_of(tmp_path / "out" / "seed33")
    assert written == bytes_of(tmp_path / "whole")
    assert not any(str(tmp_path).encode() in content for content in written.values())
    lines = (tmp_path / "steps.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == list(range(1, 121))


def test_repeats_are_warned_of_and_pairs_are_tuned_on_and_recorded(arguments, tmp_path, capsys):
    corpus, sentences = tmp_path / "corpus.txt", make_sentences(20)
    corpus.write_text("\n".join([*sentences, "A dog!", "a dog"]) + "\n")
    tune_encoder.main(as_argv(arguments))
    told = capsys.readouterr().err
    assert "warning: corpus.txt: of 22 strings 1 equal an earlier one except for case" in told
    lines = [f"{a} || {b}" for a, b in zip(sentences, sentences[::-1], strict=True)]
    corpus.write_text("\n".join(lines) + "\n")
    tune_encoder.main(as_argv({**arguments, "--recipe-json": recipe(positives="pairs")}))
    record = json.loads((tmp_path / "out" / "seed33" / "encoder.json").read_text())
    assert (record["corpus"]["pairs"], record["corpus"]["strings"]) == (True, 20)


GOLD = [0.5, 3.0, 1.0, 4.5, 2.0, 2.5]


@pytest.fixture
def watched(arguments, tmp_path):
    """The arguments with a small development set of similarity: a recipe and the set's files."""
    files = [tmp_path / "strings.txt", tmp_path / "items.json"]
    entry = {"task": "similarity", "split": "dev", "dropped": {}, "gold": GOLD}
    entry |= {"left": list(range(6)), "right": list(range(6, 12))}
    files[0].write_text("\n".join(make_sentences(12)) + "\n")
    files[1].write_text(json.dumps({"dataset": "pairs", **entry}))
    development = {**WATCHED, "dataset": "pairs"}
    changed = {"--recipe-json": recipe(epochs=4, learning_rate=5e-3, development=development)}
    return [*as_argv({**arguments, **changed}), "--development", *map(str, files)]


def test_the_encoder_has_the_weights_of_the_best_development_score(watched, tmp_path):
    """The score in the record is Spearman's of the vectors that sentence-transformers gives."""
    steps = tmp_path / "steps.jsonl"
    tune_encoder.main([*watched, "--step-log", str(steps)])
    folder = tmp_path / "out" / "seed33"
    tuning = json.loads((folder / "encoder.json").read_text())["tuning"]
    scores = [json.loads(line)["development"] for line in steps.read_text().splitlines()]
    best = max(scores)
    assert len(scores) == 1 + tuning["steps"] == 9
    assert tuning["untuned_score"] == scores[0]
    assert (tuning["best_score"], tuning["best_step"]) == (best, scores.index(best))
    vectors = SentenceTransformer(str(folder), device="cpu").encode(make_sentences(12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (vectors[:6] * vectors[6:]).sum(axis=1)
    assert tuning["best_score"] == pytest.approx(spearmanr(cosines, GOLD).statistic, abs=1e-6)
    card = (folder / "README.md").read_text()
    assert f"step {tuning['best_step']}" in card
    assert "(learning_curve.svg)" in card
    drawn = (folder / "learning_curve.svg").read_text()
    assert drawn.count('<circle class="best"') == 1
    assert all(f">{name}</text>" in drawn for name in ("loss", "alignment", "development"))
    unknown = [part.replace('"pairs"', '"pears"') for part in watched]
    with pytest.raises(UserError, match="is of data set pairs, not pears; give the items"):
        tune_encoder.main(unknown)


def test_an_interrupted_run_starts_anew_if_inputs_changed(
    watched, tiny_bert, tmp_path, monkeypatch, capsys
):
    """The state is kept for the same inputs: recipe, corpus, model, development set, and code."""
    monkeypatch.setattr(tune_encoder, "SECONDS_BETWEEN_STATES", 0.0)
    items, strings = tmp_path / "items.json", tmp_path / "strings.txt"
    scores = plugins.load("scoring", "development_scores")
    make_score = scores.make_score

    def failing(*arguments):
        calls = iter([make_score(*arguments)] * 4)

        def fail(loaded, classifier):
            # the fifth time there is none
            if (score := next(calls, None)) is None:
                raise KeyboardInterrupt
            return score(loaded, classifier)

        return fail

    def interrupted():
        monkeypatch.setattr(scores, "make_score", failing)
        kept = r"state after step 3 is saved in \.seed33\.state\.safetensors"
        with pytest.raises(KeyboardInterrupt, match=kept):
            tune_encoder.main(watched)
        monkeypatch.setattr(scores, "make_score", make_score)

    def goes_on():
        capsys.readouterr()
        tune_encoder.main(watched)
        return "continuing after step" in capsys.readouterr().err

    interrupted()
    assert goes_on()
    for file, old, new in ((items, "4.5", "0.25"), (strings, "the", "a")):
        interrupted()
        file.write_text(file.read_text().replace(old, new))
        assert not goes_on()
    model = shutil.copytree(tiny_bert, tmp_path / "model")
    watched[watched.index("--model") + 1] = str(model)
    for file in ("config.json", "tokenizer.json"):
        interrupted()
        edit_model(model, file)
        assert not goes_on()
    # the modules that are loaded by name are among the sources
    digest_of = Mock(wraps=tune_encoder.digest_of)
    monkeypatch.setattr(tune_encoder, "digest_of", digest_of)
    tune_encoder.main(watched)
    modules = set(digest_of.call_args.kwargs["more"])
    assert {"tuning.methods.mirror", "scoring.development_scores"} <= modules


def test_a_recipe_goes_on_from_the_encoder_of_another(arguments, tmp_path):
    """Two tunings one after the other: the record and the card name the way back to the model."""
    tune_encoder.main(as_argv({**arguments, "--recipe-name": "first"}))
    first = tmp_path / "out" / "seed33"
    folders = [first, tmp_path / "second", tmp_path / "third"]
    for name, before, folder, output in zip(
        ("second", "third"), ("first", "second"), folders[:2], folders[1:], strict=True
    ):
        start = recipe(start={"recipe": before, "corpus": "corpus"}, learning_rate=1e-4)
        changed = {"--recipe-name": name, "--recipe-json": start, "--output": str(output)}
        with pytest.raises(UserError, match=rf"--model .*{name}\.start continues from an encoder"):
            tune_encoder.main(as_argv({**arguments, **changed}))
        tune_encoder.main(as_argv({**arguments, **changed, "--model": str(folder)}))
    one, two, third = (json.loads((folder / "encoder.json").read_text()) for folder in folders)
    assert one["model"] == two["model"] == third["model"]
    assert third["start"]["weights_sha256"] == two["weights_sha256"]
    assert third["start"]["start"]["weights_sha256"] == one["weights_sha256"]
    assert third["start"]["start"]["recipe"] == RECIPE
    card = (tmp_path / "third" / "README.md").read_text()
    assert card.index("tuned by `first`") < card.index("tuned by `second`")
