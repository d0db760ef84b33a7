"""The config of the bundled models, and what the rules get from it."""

import copy
import json
from typing import Any

import pytest

from bundled_models import settings
from bundled_models.plan import DEFAULT, BundledPlan, make_plan
from bundled_models.settings import Architecture, Examples, Training
from workflow_scripts.configuration.layers import Layers, read_layers
from workflow_scripts.errors import UserError

PAPER_LANGUAGES = {"en", "es", "fr", "pl", "et", "fi", "ru", "tr", "it", "zh", "ar", "he"}
NAMED = {"name": "Text", "licence": "CC0", "reader": "lines"}
CONFIG: dict[str, Any] = {
    "device": "cpu",
    "texts": {
        "a": NAMED | {"language": "en", "files": ["a/*.txt"]},
        "b": NAMED | {"language": "fr", "files": ["b.txt"]},
    },
    "evaluation": [{"reader": "lines", "files": ["eval.txt"]}],
    "models": {
        "tiny": {
            **{"texts": ["a"], "seed": 1, "tokenizer": {"size": 9, "kind": "wordpiece"}},
            **{"architecture": {"family": "bert"}, "training": {"steps": 2}},
        }
    },
}


def plan(root=None, **changes):
    config = copy.deepcopy(CONFIG)
    config["models"]["tiny"].update(changes)
    return BundledPlan(Layers(config | ({"text_root": str(root)} if root else {}), {}))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("a/2.txt", "a/1.txt", "b.txt", "eval.txt"):
        (tmp_path / name).touch()
    return tmp_path


def test_without_texts_only_asking_for_them_is_a_mistake():
    assert plan().names() == ["tiny"]
    assert plan().settings("tiny").language_exponent == 1.0
    for ask in (plan().evaluation_root, lambda: plan().text_files("tiny")):
        with pytest.raises(UserError, match="add --config text_root=DIR"):
            ask()
    with pytest.raises(UserError, match="no such model; did you mean 'tiny'"):
        plan().settings("tin")


def test_a_model_sees_its_own_texts_only(root):
    assert plan(root).text_files("tiny") == [str(root / "a/1.txt"), str(root / "a/2.txt")]
    assert list(json.loads(plan(root).texts("tiny"))) == ["a"]
    assert plan(root).evaluation_files() == [str(root / "eval.txt")]
    assert plan().block("tiny", "tokenizer") == '{"kind":"wordpiece","size":9}'
    assert plan().block("tiny", "preparation") == "{}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"preperation": {}}, r"tiny\.preperation`; did you mean 'preparation'"),
        ({"texts": ["c"]}, r"tiny\.texts`: no text `c` in texts;"),
        ({"training": {"step": 1}}, "did you mean 'steps'"),
        ({"examples": ["no mask"]}, "the mask into it exactly once"),
    ],
)
def test_mistakes_in_config_name_their_key(changes, message):
    with pytest.raises(UserError, match=message):
        plan(**changes).block("tiny", "tokenizer")


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        (settings.TokenizerSettings, '{"kind": "wordpiece"}', "--x: key `size` is missing"),
        (settings.TokenizerSettings, '{"lowercase": true}', "did you mean 'lower_case'"),
        (Architecture, '{"family": "gpt"}', "`family` is 'gpt'; use one of: bert, roberta"),
        (Architecture, '{"family": "bert", "units": 24, "heads": 5}', "24 is no multiple of heads"),
        (Training, "{}", "give either minutes or steps"),
        (Training, "{minutes: 3}", "--x: not valid JSON"),
        (Examples, '["{mask} and {mask}"]', "the mask into it exactly once"),
    ],
)
def test_mistakes_in_an_option_name_it_and_the_key(kind, content, message):
    with pytest.raises(UserError, match=message):
        settings.parse_settings(kind, content, "--x")


def test_the_config_that_ships_is_sound():
    plan = BundledPlan(read_layers([], default=DEFAULT))
    assert plan.gpus == 0
    for name in plan.names():
        assert plan.settings(name).texts
    texts = plan.config.texts
    found = {texts[text].language for text in plan.settings("bert-multi-mini").texts}
    assert found == PAPER_LANGUAGES


def test_a_file_of_ones_own_and_the_command_line_override_the_config_that_ships(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("models: {bert-bio-mini: {seed: 9}}\ndevice: auto\n")
    plan = make_plan([mine], {"text_root": "here"})
    assert (plan.settings("bert-bio-mini").seed, plan.gpus, plan.text_root()) == (9, 1, "here")
    assert plan.settings("bert-en-mini").seed == 33


def test_a_mistake_ends_the_run_with_one_line(tmp_path):
    with pytest.raises(SystemExit, match=r"^error: --config: unknown key `text_rot`; did you mean"):
        make_plan([], {"text_rot": "here"})
