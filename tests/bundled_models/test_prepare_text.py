"""The command prepare_text, from files to the prepared folder."""

import json

import pytest

from bundled_models.prepare_text import main
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_lines


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "texts"
    (folder / "plain").mkdir(parents=True)
    sentences = [f"Sentence number {n} tells of the town of {n * 7}." for n in range(400)]
    (folder / "plain" / "a.txt").write_text("\n".join(sentences[:200]) + "\n")
    (folder / "plain" / "b.txt").write_text("\n".join(sentences[200:]) + "\n")
    (folder / "short.txt").write_text("Hi.\n")
    (folder / "leipzig.txt").write_text("1\tUne phrase assez longue ici.\n2\tCourt.\n")
    (folder / "sts.tsv").write_text("SENTENCE number 3, tells of the town of 21\tUne phrase\t1\n")
    return folder


def texts(**changes):
    plain = {"language": "en", "reader": "lines", "files": ["plain/*.txt"]}
    plain |= {"name": "Plain", "licence": "CC0"} | changes
    leipzig = {"language": "fr", "reader": "numbered-lines", "files": ["leipzig.txt"]}
    return {"plain": plain, "leipzig": leipzig | {"name": "Leipzig", "licence": "CC BY"}}


def run(root, output, config, held_out=20):
    evaluation = [{"reader": "tsv", "files": ["sts.tsv"], "columns": [1, 2]}]
    settings = ("--preparation", json.dumps({"held_out": held_out}), "--output", str(output))
    kept_out = ("--evaluation-root", str(root), "--evaluation", json.dumps(evaluation))
    main(["--root", str(root), "--texts", json.dumps(config), *settings, *kept_out])


def test_text_is_split_without_overlap_and_evaluation_sentences_are_kept_out(root, tmp_path):
    run(root, tmp_path / "out", texts())
    train, validation = (read_lines(tmp_path / f"out/{p}/en.txt") for p in ("train", "validation"))
    assert validation
    assert not set(train) & set(validation)
    everything = {line for path in tmp_path.glob("out/*/*.txt") for line in read_lines(path)}
    # one of 400 is an evaluation sentence
    assert len(train) + len(validation) == 399
    assert not any(line.startswith("Sentence number 3 ") for line in everything)
    summary = read_json(tmp_path / "out/summary.json")
    assert summary["texts"]["plain"]["dropped"] == {"evaluation": 1}
    assert summary["texts"]["leipzig"]["dropped"] == {"short": 1}
    assert summary["evaluation_sentences"] == 2
    # Another text moves no sentence.
    run(root, tmp_path / "one", {"plain": texts()["plain"]})
    assert read_lines(tmp_path / "one/validation/en.txt") == validation


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": ["absent/*"]}, r"absent/\*: no file matches"),
        ({"reader": "conllu"}, "no line '# text ="),
        ({"files": ["short.txt"]}, r"texts\.plain: no sentence was left"),
        ({"columns": [1]}, "'columns' is required by reader tsv"),
        ({"langauge": "en"}, r"--texts: unknown key `plain\.langauge`; did you mean 'language'\?"),
    ],
)
def test_mistakes_name_their_key_and_leave_no_folder(root, tmp_path, changes, message):
    with pytest.raises(UserError, match=message):
        run(root, tmp_path / "out", texts(**changes))
    assert not list(tmp_path.glob("*out*"))
