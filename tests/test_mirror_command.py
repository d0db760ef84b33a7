"""The front door: from a model folder and a text file to an encoder of one's own."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from tiny_models import make_sentences, one_thread, tiny_bert

from workflow_scripts import mirror
from workflow_scripts.embedding import embed_suite
from workflow_scripts.errors import UserError

__all__ = ["one_thread", "tiny_bert"]


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(make_sentences(20)) + "\n")
    return {
        "--model": str(tiny_bert),
        "--corpus": str(corpus),
        "--recipe": "mirror-sentence",
        "--output": str(tmp_path / "encoder"),
        "--threads": "1",
        "--set": "batch_size=8",
    }


def as_argv(arguments):
    return [part for pair in arguments.items() for part in pair]


def test_the_encoder_gives_the_vectors_of_the_embedding_stage(arguments, tmp_path, capsys):
    mirror.main(as_argv(arguments))
    folder = tmp_path / "encoder"
    printed = capsys.readouterr().out
    assert str(folder) in printed
    assert f"encoder = SentenceTransformer({str(folder)!r})" in printed
    record = json.loads((folder / "encoder.json").read_text())
    embed_suite.main(
        as_argv(
            {
                "--model": str(folder),
                "--recipe-json": json.dumps(record["recipe"]),
                "--strings": arguments["--corpus"],
                "--output": str(tmp_path / "vectors.npy"),
                "--record": str(tmp_path / "vectors.json"),
            }
        )
    )
    ours = np.load(tmp_path / "vectors.npy")
    theirs = SentenceTransformer(str(folder), device="cpu").encode(make_sentences(20))
    cosines = (ours * theirs).sum(axis=1)
    cosines /= np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    assert np.abs(cosines - 1).max() < 1e-5


def test_settings_change_the_recipe_and_are_recorded(arguments, tmp_path):
    settings = ["learning_rate=3e-4", "span_masking.length=3", "pooling=cls", "dropout=null"]
    more = [part for setting in settings for part in ("--set", setting)]
    mirror.main([*as_argv(arguments), *more, "--seed", "44"])
    record = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    assert record["recipe"]["learning_rate"] == 3e-4
    assert record["recipe"]["span_masking"]["length"] == 3
    assert record["recipe"]["span_masking"]["unit"] == "character"
    assert record["recipe"]["dropout"] is None
    assert record["pooling"] == "cls"
    assert record["seed"] == 44


def test_a_filled_output_is_replaced_only_when_asked(arguments, tmp_path):
    (tmp_path / "encoder").mkdir()
    (tmp_path / "encoder" / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="not empty; choose another or add --overwrite"):
        mirror.main(as_argv(arguments))
    assert (tmp_path / "encoder" / "mine.txt").read_text() == "keep"
    mirror.main([*as_argv(arguments), "--overwrite"])
    assert (tmp_path / "encoder" / "modules.json").is_file()
    assert not (tmp_path / "encoder" / "mine.txt").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--recipe": "mirror-sentance"}, "did you mean 'mirror-sentence'"),
        ({"--recipe": "zzz"}, "known are base-cls, .*base-mp"),
        ({"--recipe": "base-cls", "--set": "pooling=mean"}, "'none' tunes nothing"),
        ({"--set": "batch_size"}, "--set batch_size: write key=value"),
        ({"--set": "bach_size=8"}, r"recipes\.mirror-sentence\.bach_size.*did you mean"),
        ({"--set": "dropout=2"}, r"recipes\.mirror-sentence\.dropout: 2 is out of range"),
        ({"--set": "epochs.first=2"}, r"recipes\.mirror-sentence\.epochs"),
        ({"--set": "batch_size=100"}, r"20 strings.*batch of 100"),
        ({"--recipes": "nowhere.yaml"}, "nowhere.yaml: no such file"),
        ({"--corpus": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--model": "no/such/folder"}, "no such model folder"),
        ({"--step-log": "no/such/folder/steps"}, "--step-log"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=message):
        mirror.main(as_argv({**arguments, **changes}))
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_holds_an_input_or_is_a_file_is_refused(arguments, tiny_bert, tmp_path):
    for output in (tiny_bert, tmp_path):
        with pytest.raises(UserError, match="would replace"):
            mirror.main([*as_argv({**arguments, "--output": str(output)}), "--overwrite"])
    for output in ("corpus.txt", "corpus.txt/below"):
        with pytest.raises(UserError, match=r"is a file|cannot be made"):
            mirror.main(as_argv({**arguments, "--output": str(tmp_path / output)}))


def test_as_a_process_a_mistake_is_one_line_and_exit_code_2(arguments, project, tmp_path):
    (tmp_path / "corpus.txt").write_text("")
    result = subprocess.run(
        [sys.executable, "-m", "workflow_scripts.mirror", *as_argv(arguments)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "corpus.txt: no strings" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "encoder").exists()


def test_help_does_not_wait_for_torch(project):
    code = (
        "import sys\nfrom workflow_scripts import mirror\n"
        "try:\n    mirror.main(['--help'])\nexcept SystemExit:\n    print('torch' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True
    )
    assert result.stdout.rstrip().endswith("False")


def test_a_development_set_is_scored_while_tuning(arguments, sampler, tmp_path):
    more = ["--development-set", "stsb-dev", "--data-root", str(sampler)]
    steps = tmp_path / "steps.jsonl"
    mirror.main([*as_argv(arguments), *more, "--development-every", "1", "--step-log", str(steps)])
    record = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    scores = [json.loads(line)["development"] for line in steps.read_text().splitlines()]
    assert len(scores) == record["tuning"]["steps"]
    assert record["tuning"]["best_score"] == max(scores)
    assert record["recipe"]["development"]["dataset"] == "stsb-dev"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--development-set", "stsb-dev"], "--data-root: missing; give the folder"),
        (["--development-set", "stsb-dv", "--data-root", "{root}"], "did you mean 'stsb-dev'"),
        (["--development-set", "sts-en", "--data-root", "{root}"], "a suite; name one of"),
        (["--development-set", "bli-en-fr", "--data-root", "{root}"], "of task lexicon"),
        (["--development-set", "stsb-dev", "--data-root", "nowhere"], "no such folder"),
    ],
)
def test_mistakes_about_the_development_set_are_named(
    options, message, arguments, sampler, tmp_path
):
    options = [option.format(root=sampler) for option in options]
    with pytest.raises(UserError, match=message):
        mirror.main([*as_argv(arguments), *options])
    assert not (tmp_path / "encoder").exists()


def test_several_seeds_make_an_encoder_each(arguments, tmp_path):
    steps = str(tmp_path / "steps.jsonl")
    mirror.main([*as_argv(arguments), "--seed", "33", "44", "--step-log", steps])
    weights = [
        (tmp_path / "encoder" / f"seed{seed}" / "model.safetensors").read_bytes()
        for seed in (33, 44)
    ]
    assert weights[0] != weights[1]
    assert (tmp_path / "steps.seed44.jsonl").is_file()
    mirror.main([*as_argv({**arguments, "--output": str(tmp_path / "one")}), "--seed", "44"])
    assert (tmp_path / "one" / "model.safetensors").read_bytes() == weights[1]
    for seeds in (["3", "3"], ["-1"]):
        with pytest.raises(UserError, match="--seed"):
            mirror.main(
                [*as_argv({**arguments, "--output": str(tmp_path / "x")}), "--seed", *seeds]
            )
