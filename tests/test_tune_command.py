"""The command: from a model folder and a text file to your own encoder."""

import itertools
import json
import shutil

import numpy as np
import pytest
from command_words import as_argv
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from small_project import PROJECT
from tiny_models import make_sentences, one_thread, tiny_bert

import mirror_bert
from workflow_scripts import tune
from workflow_scripts.errors import UserError

__all__ = ["one_thread", "tiny_bert"]

BATCH = {"--set": "batch_size=8"}


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(make_sentences(20)) + "\n")
    common = {"--model": str(tiny_bert), "--corpus": str(corpus), "--recipe": "mirror-sentence"}
    return {**common, "--output": str(tmp_path / "encoder"), "--threads": "1", **BATCH}


def test_the_vectors_of_the_encoder_are_those_of_sentence_transformers(arguments, tmp_path):
    tune.main(as_argv(arguments))
    folder = tmp_path / "encoder"
    theirs = SentenceTransformer(str(folder), device="cpu").encode(make_sentences(20))
    ours = mirror_bert.load(folder, device="cpu").encode(make_sentences(20))
    np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_settings_change_the_recipe_and_are_recorded(arguments, tmp_path, capsys):
    settings = ["learning_rate=3e-4", "span_masking.length=3", "pooling=cls", "dropout=null"]
    more = [part for setting in settings for part in ("--set", setting)]
    tune.main([*as_argv(arguments), *more, "--seed", "44"])
    printed = capsys.readouterr().out
    assert f"encoder = SentenceTransformer({str(tmp_path / 'encoder')!r})" in printed
    record = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    recipe, masking = record["recipe"], record["recipe"]["span_masking"]
    assert (recipe["learning_rate"], recipe["dropout"]) == (3e-4, None)
    assert (masking["length"], masking["unit"]) == (3, "character")
    assert (record["pooling"], record["seed"]) == ("cls", 44)


def test_a_recipe_takes_further_corpora_in_its_order(arguments, tmp_path):
    for name in ("corpus", "other"):
        (tmp_path / f"{name}.txt").write_text("\n".join(make_sentences(20)) + "\n\n")
    more = ["--recipe", "cmlm-small", "--set", 'held_out={"corpus": "other", "every": 5}']
    with pytest.raises(UserError, match=r"held_out.corpus.*--more-corpora"):
        tune.main([*as_argv(arguments), *more])
    tune.main([*as_argv(arguments), *more, "--more-corpora", str(tmp_path / "other.txt")])
    record = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    assert record["corpus"]["held_out"]["name"] == "other.txt"


@pytest.mark.parametrize("name", ["encoder/mine.txt", "encoder/deep/config.json", "encoder/.mine"])
def test_what_is_no_encoder_of_ours_is_never_overwritten(arguments, tmp_path, name):
    """A folder of other things, and an encoder that somebody put a file of their own into."""
    mine = tmp_path / name
    for is_encoder in (False, True):
        if is_encoder:
            shutil.copytree(PROJECT / "resources/models/cmlm-en-mini", tmp_path / "encoder")
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.write_text("{}")
        message = "is not part of an encoder" if is_encoder else "holds no encoder"
        with pytest.raises(UserError, match=f"--output .*{message}"):
            tune.main([*as_argv(arguments), "--overwrite"])
        assert mine.read_text() == "{}"
        shutil.rmtree(tmp_path / "encoder")


def test_of_several_seeds_each_folder_is_looked_at(arguments, tmp_path):
    mine = tmp_path / "encoder" / "seed44" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("keep")
    with pytest.raises(UserError, match=r"--output .*seed44: holds no encoder"):
        tune.main([*as_argv(arguments), "--overwrite", "--seed", "33", "44"])
    with pytest.raises(UserError, match=r"--output .*encoder: holds no encoder"):
        tune.main([*as_argv(arguments), "--overwrite"])
    assert mine.read_text() == "keep"


@pytest.mark.parametrize(
    "body", ["my thesis\n", "my thesis", "3\n", '{"step": 1}\nnotes\n', "[[1]]", b"\xff\n"]
)
def test_a_step_log_replaces_only_a_step_log(arguments, tmp_path, body):
    mine = tmp_path / "log.seed44"
    mine.write_bytes(body if isinstance(body, bytes) else body.encode())
    before = mine.read_bytes()
    with pytest.raises(UserError, match=r"--step-log .*log.seed44: is another file"):
        log = ["--step-log", str(tmp_path / "log")]
        tune.main([*as_argv(arguments), *log, "--overwrite", "--seed", "33", "44"])
    assert mine.read_bytes() == before
    with pytest.raises(UserError, match=r"--step-log .*is a folder"):
        tune.main([*as_argv(arguments), "--step-log", str(PROJECT)])


def test_a_step_log_of_a_killed_run_is_replaced(arguments, tmp_path):
    log = tmp_path / "log"
    log.write_text('{"step": 1, "loss": 2.0}\n{"step": 2, "lo')
    tune.main([*as_argv(arguments), "--step-log", str(log)])
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()][:2] == [1, 2]


SET = "--development-set"
ROOT = str(PROJECT / "resources" / "sample_data")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({SET: "stsb-dev"}, "--data-root: missing; give the folder"),
        ({SET: "stsb-dv", "--data-root": ROOT}, "did you mean 'stsb-dev'"),
        ({SET: "sts1*", "--data-root": ROOT}, "a pattern; name one of sts12, sts13"),
        ({SET: "bli-en-fr", "--data-root": ROOT}, "of task lexicon"),
        ({SET: "stsb-dev", "--data-root": "nowhere"}, "no such folder"),
        ({"--patience": "3"}, "^--patience: no development set"),
        ({"--development-every": "3"}, "^--development-every: no development set"),
        ({SET: "stsb-dev", "--data-root": ROOT, "--patience": "0"}, "^--patience is 0; give a num"),
        ({"--set": "batch_size=0"}, "^--set batch_size is 0; give"),
        ({"--seed": "-1"}, "--seed"),
        ({"--set": 'start={"recipe": "mirror-word", "corpus": "c"}'}, "recipe mirror-word and"),
        ({"--recipe": "mirror-sentance"}, "did you mean 'mirror-sentence'"),
        (
            {"--recipe": "zzz"},
            r"in \S*recipes\.yaml; of \d+ the nearest are (\S+, ){4}\S+$",
        ),
        ({"--recipe": "base-cls", "--set": "pooling=mean"}, "'none', which tunes nothing"),
        ({"--set": "batch_size"}, "--set batch_size: write key=value"),
        ({"--set": "bach_size=8"}, r"^--set bach_size: unknown key; did you mean"),
        ({"--set": "epochs.first=2"}, r"^--set epochs\.first is \{'first': 2\}; give a whole"),
        ({"--corpus": "empty.txt"}, "empty.txt: it contains no strings"),
        ({"--recipes": "nowhere.yaml"}, "^--recipes nowhere.yaml: no such file"),
        ({"--model": "no/such/folder"}, "no such model folder"),
        ({"--step-log": "no/such/folder/steps"}, "--step-log"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UserError, match=message):
        tune.main(as_argv({**arguments, **changes}))
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_holds_an_input_or_is_a_file_is_refused(arguments, tiny_bert, tmp_path):
    file = tmp_path / "corpus.txt"
    refused = {tiny_bert: "would replace", tmp_path: "would replace", file: "is a file"}
    for output, why in (refused | {file / "below": "cannot be made"}).items():
        with pytest.raises(UserError, match=why):
            tune.main([*as_argv({**arguments, "--output": str(output)}), "--overwrite"])


def test_a_development_set_is_scored_while_tuning(arguments, sample_data, tmp_path):
    more = ["--development-set", "stsb-dev", "--data-root", str(sample_data)]
    steps = tmp_path / "steps.jsonl"
    tune.main([*as_argv(arguments), *more, "--development-every", "1", "--step-log", str(steps)])
    record = json.loads((tmp_path / "encoder" / "encoder.json").read_text())
    scores = [json.loads(line)["development"] for line in steps.read_text().splitlines()]
    assert len(scores) == 1 + record["tuning"]["steps"]
    assert record["tuning"]["untuned_score"] == scores[0]
    assert record["tuning"]["best_score"] == max(scores[1:])
    assert record["recipe"]["development"]["dataset"] == "stsb-dev"


def test_several_seeds_make_an_encoder_each(arguments, tmp_path):
    steps = str(tmp_path / "steps.jsonl")
    tune.main([*as_argv(arguments), "--seed", "33", "44", "--step-log", steps])
    assert (tmp_path / "steps.seed44.jsonl").is_file()
    tune.main([*as_argv({**arguments, "--output": str(tmp_path / "one")}), "--seed", "44"])
    folders = (tmp_path / "encoder" / "seed33", tmp_path / "encoder" / "seed44", tmp_path / "one")
    first, second, one = ((folder / "model.safetensors").read_bytes() for folder in folders)
    assert first != second == one
    with pytest.raises(UserError, match="--seed"):
        tune.main([*as_argv({**arguments, "--output": str(tmp_path / "x")}), "--seed", "3", "3"])


@pytest.fixture
def sentence_encoder(tiny_bert, tmp_path):
    """A folder of sentence-transformers that pools by mean and has a Dense module."""
    modules = [Transformer(str(tiny_bert)), Pooling(32, "mean"), Dense(32, 16)]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "theirs"))
    return tmp_path / "theirs"


WARNING = "already is a sentence encoder, and tuning it on raw strings can make it worse; give a"


def test_tuning_a_sentence_encoder_warns_and_says_what_changes(
    arguments, sentence_encoder, tmp_path, capsys
):
    arguments["--model"] = str(sentence_encoder)
    tune.main([*as_argv(arguments), "--set", "pooling=cls"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == (
        f"note: {sentence_encoder} records pooling mean; recipe mirror-sentence changes it to cls "
        "(pooling=mean keeps it)"
    )
    assert lines[1].endswith("has a Dense module, which the new encoder will not have")
    assert lines[2].startswith(f"warning: {sentence_encoder} {WARNING}")
    assert lines[2].endswith(f"`mirror-bert evaluate --against {sentence_encoder}`")
    # tuned alone: the weights are those of the model without its modules
    arguments["--output"] = str(tmp_path / "alone")
    for name in ("modules.json", "config_sentence_transformers.json"):
        (sentence_encoder / name).unlink()
    tune.main([*as_argv(arguments), "--set", "pooling=cls"])
    both = [tmp_path / name / "model.safetensors" for name in ("encoder", "alone")]
    assert both[0].read_bytes() == both[1].read_bytes()
    assert WARNING not in capsys.readouterr().err


def test_a_development_set_ends_the_warning(arguments, sentence_encoder, tmp_path, capsys):
    pairs = tmp_path / "pairs.csv"
    strings = make_sentences(12)
    rows = [f"{a},{b},{n}" for n, (a, b) in enumerate(itertools.pairwise(strings))]
    pairs.write_text("left,right,score\n" + "\n".join(rows) + "\n")
    arguments |= {"--model": str(sentence_encoder), "--development-pairs": str(pairs)}
    words = [*as_argv(arguments), "--pair-columns", "left", "right", "score"]
    tune.main([*words, "--set", "pooling=mean"])
    printed = capsys.readouterr().err
    assert "already is a sentence encoder" not in printed
    assert "has a Dense module" in printed and "records pooling" not in printed
    # nor is it in the folder, though the pooling is the same
    assert not (tmp_path / "encoder" / "2_Dense").exists()
