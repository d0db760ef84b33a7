"""What the rules of pretraining get from config."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.plan import PretrainingPlan

CONFIG: dict[str, Any] = {
    "pretraining": {
        "texts": {
            "a": {"language": "en", "reader": "lines", "files": ["a/*.txt"]},
            "b": {"language": "fr", "reader": "lines", "files": ["b.txt"]},
        },
        "evaluation": [{"reader": "lines", "files": ["eval.txt"]}],
        "pretrained": {
            "tiny": {
                "texts": ["a"],
                "seed": 1,
                "tokenizer": {"size": 9, "kind": "wordpiece"},
                "word_vectors": {},
                "architecture": {"family": "bert"},
                "training": {"steps": 2},
            }
        },
    }
}


def plan(root: Path | None = None, **changes: object) -> PretrainingPlan:
    config = copy.deepcopy(CONFIG)
    config["pretraining"]["pretrained"]["tiny"].update(changes)
    return PretrainingPlan(config | ({"pretraining_text": str(root)} if root else {}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    for name in ("a/2.txt", "a/1.txt", "b.txt", "eval.txt"):
        (tmp_path / name).write_text("line\n")
    return tmp_path


def test_without_texts_only_asking_for_them_is_a_mistake() -> None:
    assert plan().names() == ["tiny"]
    assert plan().settings("tiny").language_exponent == 1.0
    for ask in (plan().text_root, plan().evaluation_root, lambda: plan().text_files("tiny")):
        with pytest.raises(UserError, match="add --config pretraining_text=DIR"):
            ask()


def test_a_model_sees_its_own_texts_only(root: Path) -> None:
    assert plan(root).text_files("tiny") == [str(root / "a/1.txt"), str(root / "a/2.txt")]
    assert list(json.loads(plan(root).texts("tiny"))) == ["a"]
    assert plan(root).evaluation_files() == [str(root / "eval.txt")]


def test_blocks_are_canonical() -> None:
    assert plan().block("tiny", "tokenizer") == plan(
        tokenizer={"kind": "wordpiece", "size": 9}
    ).block("tiny", "tokenizer")
    assert plan().block("tiny", "preparation") == "{}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"preperation": {}}, r"tiny\.preperation: unknown key; did you mean 'preparation'"),
        ({"texts": ["c"]}, r"tiny\.texts: no text `c` in pretraining\.texts"),
        ({"training": {"step": 1}}, "did you mean 'steps'"),
    ],
)
def test_mistakes_in_config_name_their_key(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        plan(**changes).block("tiny", "tokenizer")


def test_a_pattern_without_files_is_a_mistake(root: Path) -> None:
    (root / "eval.txt").unlink()
    with pytest.raises(UserError, match=r"no file matches 'eval\.txt'"):
        plan(root).evaluation_files()
    with pytest.raises(UserError, match="no such model; did you mean 'tiny'"):
        plan(root).text_files("tin")
