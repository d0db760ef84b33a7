"""The command prepare_text, from files to the prepared folder."""

import json
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_lines
from workflow_scripts.pretraining.prepare_text import main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    (folder / "plain").mkdir(parents=True)
    sentences = [f"Sentence number {n} tells of the town of {n * 7}." for n in range(400)]
    (folder / "plain" / "a.txt").write_text("\n".join(sentences[:200]) + "\n")
    (folder / "plain" / "b.txt").write_text("\n".join(sentences[200:]) + "\n")
    (folder / "leipzig.txt").write_text("1\tUne phrase assez longue ici.\n2\tCourt.\n")
    (folder / "sts.tsv").write_text("SENTENCE number 3, tells of the town of 21\tUne phrase\t1\n")
    return folder


def texts(**changes: object) -> dict[str, dict[str, object]]:
    plain = {"language": "en", "reader": "lines", "files": ["plain/*.txt"]}
    plain |= {"name": "Plain", "licence": "CC0"} | changes
    leipzig = {"language": "fr", "reader": "numbered-lines", "files": ["leipzig.txt"]}
    return {"plain": plain, "leipzig": leipzig | {"name": "Leipzig", "licence": "CC BY"}}


def run(root: Path, output: Path, config: dict[str, dict[str, object]], held_out: int = 20) -> None:
    evaluation = [{"reader": "tsv", "files": ["sts.tsv"], "columns": [1, 2]}]
    main(
        [
            *("--root", str(root), "--texts", json.dumps(config)),
            *("--preparation", json.dumps({"held_out": held_out})),
            *("--evaluation-root", str(root), "--evaluation", json.dumps(evaluation)),
            *("--output", str(output)),
        ]
    )


def test_text_is_split_into_training_and_validation_without_overlap(
    root: Path, tmp_path: Path
) -> None:
    run(root, tmp_path / "out", texts())
    train = read_lines(tmp_path / "out/train/en.txt")
    validation = read_lines(tmp_path / "out/validation/en.txt")
    assert len(train) + len(validation) == 399  # one of 400 is an evaluation sentence
    assert not set(train) & set(validation)
    assert validation


def test_evaluation_sentences_are_kept_out(root: Path, tmp_path: Path) -> None:
    run(root, tmp_path / "out", texts())
    everything = [line for path in tmp_path.glob("out/*/*.txt") for line in read_lines(path)]
    assert not any(line.startswith("Sentence number 3 ") for line in everything)
    summary = read_json(tmp_path / "out/summary.json")
    assert summary["texts"]["plain"]["dropped"] == {"evaluation": 1}
    assert summary["texts"]["leipzig"]["dropped"] == {"short": 1}
    assert summary["evaluation_sentences"] == 2


def test_adding_a_text_moves_no_sentence_out_of_validation(root: Path, tmp_path: Path) -> None:
    run(root, tmp_path / "one", {"plain": texts()["plain"]})
    run(root, tmp_path / "two", texts())
    assert read_lines(tmp_path / "one/validation/en.txt") == read_lines(
        tmp_path / "two/validation/en.txt"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": ["absent/*"]}, r"texts\.plain: no file matches 'absent/\*'"),
        ({"reader": "conllu"}, "no line '# text ="),
        ({"langauge": "en"}, r"texts\.plain\.langauge: unknown key; did you mean 'language'\?"),
        ({"files": "plain/a.txt"}, r"texts\.plain\.files: expected a list"),
    ],
)
def test_mistakes_name_their_key_and_leave_no_folder(
    root: Path, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run(root, tmp_path / "out", texts(**changes))
    assert not list(tmp_path.glob("*out*"))


def test_text_of_which_nothing_is_left_is_a_mistake(root: Path, tmp_path: Path) -> None:
    (root / "plain" / "a.txt").write_text("Hi.\n")
    with pytest.raises(UserError, match=r"texts\.plain: no sentence was left"):
        run(root, tmp_path / "out", {"plain": texts(files=["plain/a.txt"])["plain"]})
