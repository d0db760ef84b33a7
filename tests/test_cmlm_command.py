"""The command for running text: from a folder of text files to your own encoder."""

import json
import os
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from command_words import as_argv
from same_everywhere import wait_for
from sentence_transformers import SentenceTransformer
from tiny_models import WORDS, make_sentences, one_thread, tiny_bert

from workflow_scripts import cmlm
from workflow_scripts.errors import UserError

__all__ = ["one_thread", "tiny_bert"]


def make_document(number, count=6):
    """Different sentences, a line each."""
    draw = np.random.default_rng(number)
    words = WORDS.split()
    drawn = (" ".join(draw.choice(words, size=6)) for _ in range(count))
    return "".join(f"{one.capitalize()} {number}.\n" for one in drawn)


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    folder = tmp_path / "texts" / "below"
    folder.mkdir(parents=True)
    for number in range(8):
        (folder / f"{number}.txt").write_text(make_document(number))
    (folder / "notes.md").write_text("Nothing of this file is text to train on.\n" * 9)
    common = {"--model": str(tiny_bert), "--text": str(tmp_path / "texts"), "--threads": "1"}
    return common | {"--output": str(tmp_path / "encoder"), "--set": "batch_size=8"}


def record_of(folder):
    return json.loads((folder / "encoder.json").read_text())


def test_a_folder_of_text_files_makes_an_encoder(arguments, tmp_path, capsys):
    steps = tmp_path / "steps.jsonl"
    more = ["--epochs", "2", "--set", "learning_rate=1e-3", "--step-log", str(steps)]
    cmlm.main([*as_argv(arguments), *more])
    record = record_of(tmp_path / "encoder")
    assert record["corpus"]["documents"] == 8 and record["corpus"]["strings"] == 48
    # five pairs a document
    assert record["tuning"]["steps"] == 2 * (40 // 8) == len(steps.read_text().splitlines())
    assert (record["recipe_name"], record["recipe"]["learning_rate"]) == ("cmlm-small", 1e-3)
    assert "48 sentences in 8 documents; left out: none" in capsys.readouterr().err
    vectors = SentenceTransformer(str(tmp_path / "encoder"), device="cpu").encode(
        ["a cat", "a dog"]
    )
    assert vectors.shape == (2, 32) and np.isfinite(vectors).all()


@pytest.mark.parametrize("as_file", [False, True])
def test_held_out_text_is_logged_and_not_trained_on(as_file, arguments, tmp_path):
    other = tmp_path / "other.txt"
    # a document that is in the text too, and one that is not
    other.write_text(make_document(3) + "\n" + make_document(20))
    held_out = {"--held-out": str(other) if as_file else "0.3", "--held-out-every": "2"}
    steps = tmp_path / "steps.jsonl"
    cmlm.main([*as_argv(arguments | held_out), "--step-log", str(steps)])
    record = record_of(tmp_path / "encoder")["corpus"]
    if as_file:
        assert (record["held_out"]["documents"], record["documents"]) == (2, 7)
    else:
        assert record["held_out"]["documents"] + record["documents"] == 8
    rows = [json.loads(line) for line in steps.read_text().splitlines()]
    logged = [row["step"] for row in rows if {"held_out_loss", "held_out_loss_shuffled"} <= {*row}]
    assert logged == sorted({*range(2, len(rows) + 1, 2), len(rows)})


@pytest.mark.parametrize("separator", ["||", "\t"])
def test_bitext_is_retrieved_beside(separator, arguments, tmp_path):
    bitext = tmp_path / "pairs.tsv"
    sentences = make_sentences(20)
    pairs = zip(sentences[::2], sentences[1::2], strict=True)
    bitext.write_text("".join(f"{one}{separator}{other}\n" for one, other in pairs))
    steps = tmp_path / "steps.jsonl"
    more = ["--bitext", str(bitext), "--step-log", str(steps)]
    cmlm.main([*as_argv(arguments), *more, "--set", "bitext.weight=0.5"])
    record = record_of(tmp_path / "encoder")
    assert record["corpus"]["bitext"]["strings"] == 10
    assert record["recipe"]["bitext"] == {"corpus": "bitext", "weight": 0.5}
    assert "bitext_loss" in json.loads(steps.read_text().splitlines()[0])


def test_a_recipe_goes_on_from_an_encoder(arguments, tmp_path):
    cmlm.main(as_argv(arguments))
    start = 'start={"recipe": "cmlm-small", "corpus": "text"}'
    after = {"--model": str(tmp_path / "encoder"), "--output": str(tmp_path / "after")}
    cmlm.main([*as_argv(arguments | after), "--set", start])
    assert record_of(tmp_path / "after")["start"]["recipe_name"] == "cmlm-small"
    # a recipe whose start is another
    with pytest.raises(UserError, match=r"--model .*encoder: recipes\.cmlm-small\.start continues"):
        again = after | {"--output": str(tmp_path / "again")}
        cmlm.main([*as_argv(arguments | again), "--set", start.replace("small", "n1")])


@pytest.mark.nightly
def test_a_killed_run_goes_on_from_where_it_was(arguments, project, tmp_path, capsys):
    state = tmp_path / ".encoder.state.safetensors"
    code = "from workflow_scripts import cmlm; from workflow_scripts.tuning import tune_encoder"
    code += "; tune_encoder.SECONDS_BETWEEN_STATES = 0.2; cmlm.main()"
    arguments |= {"--epochs": "30"}
    command = [sys.executable, "-c", code, *as_argv(arguments)]
    process = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE)
    wait_for(state.is_file, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    cmlm.main(as_argv(arguments))
    assert "continuing after step" in capsys.readouterr().err
    assert not state.exists()
    cmlm.main(as_argv(arguments | {"--output": str(tmp_path / "whole")}))
    weights = [
        (tmp_path / name / "model.safetensors").read_bytes() for name in ("encoder", "whole")
    ]
    assert weights[0] == weights[1]


def text(content):
    """Changes of the arguments: a file of this content instead of the folder."""
    return {"--text": content}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (text(""), r"own\.txt.* has two neighbouring sentences"),
        (text(make_document(1)), r"own\.txt: 6 lines without a blank line, .*--reader document"),
        (
            text("\n\n".join(make_document(1).splitlines())),
            r"own\.txt.* has two neighbouring sentences .*'alone': 6",
        ),
        (
            text(make_document(1) + "\n" + make_document(2)),
            r"own\.txt: 10 pairs of neighbours, fewer than one batch of 64; .* to 10 or less",
        ),
        ({"--reader": "wikiextractor"}, r"/0\.txt:1: expected WikiExtractor output"),
        ({"--held-out": "0.9"}, "--held-out 0.9: give a share of documents up to 0.5, or a file"),
        ({"--held-out-every": "5"}, "^--held-out-every: nothing is held out"),
        ({"--held-out": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--bitext": "nowhere.tsv"}, "--bitext nowhere.tsv: no such file"),
        ({"--epochs": "0"}, "^--epochs is 0; give a number of 1 or more"),
        ({"--recipe": "cmlm-smal"}, "did you mean 'cmlm-small'"),
        ({"--recipe": "cmlm-s1"}, r"recipes\.cmlm-s1\.bitext\.corpus: give its file with --bitext"),
        ({"--recipe": "mirror-word", "--bitext": __file__}, "^--bitext: recipe mirror-word has no"),
        ({"--set": "projections=0"}, "^--set projections is 0"),
        ({"--output": "texts/encoder"}, "in the folder of --text; choose another"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(
    arguments, changes, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if "--text" in changes:
        (tmp_path / "own.txt").write_text(changes["--text"])
        changes = {"--text": "own.txt", "--set": "batch_size=64"}
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError, match=message) as caught:
        cmlm.main(as_argv(arguments | changes))
    # nothing of the folder in which corpora are made
    assert "\n" not in str(caught.value) and "corpora-of" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_what_a_killed_run_made_of_the_text_is_removed_by_the_next(
    arguments, tmp_path, monkeypatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
    made = cmlm.make_corpora

    def killed(arguments, folder):
        made(arguments, folder)
        os._exit(9)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(cmlm, "make_corpora", killed)
        cmlm.main(as_argv(arguments))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    cmlm.main(as_argv(arguments))
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", "encoder", "texts"}
    assert not [*(tmp_path / "elsewhere").iterdir()]
