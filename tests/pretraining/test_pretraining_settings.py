"""The pretraining block of config is closed, and the one that ships is sound."""

from pathlib import Path

import pytest
import yaml

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.settings import (
    EvaluationFiles,
    Pretrained,
    Stage,
    Text,
    TokenizerSettings,
    Training,
    parse_settings,
    read_settings,
)
from workflow_scripts.pretraining.text_readers import READERS

PAPER_LANGUAGES = ["en", "es", "fr", "pl", "et", "fi", "ru", "tr", "it", "zh", "ar", "he"]


def test_defaults_fill_what_is_left_out() -> None:
    training = read_settings(Training, {"minutes": 3, "stages": [{"until": 1, "length": 9}]}, "x")
    assert training.minutes == 3.0
    assert training.steps is None
    assert training.stages == [Stage(1.0, 9, False)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "wordpiece"}, r"tokenizer\.size: missing"),
        ({"kind": "wordpiece", "size": "9"}, r"tokenizer\.size: expected int, found '9'"),
        ({"kind": "wordpiece", "size": True}, r"tokenizer\.size: expected int, found True"),
        ({"kind": "wordpiece", "size": 9, "lowercase": True}, "did you mean 'lower_case'"),
        ({"kind": "wordpiece", "size": 9, "zzz": 1}, "known are alphabet, kind,"),
        (["kind"], "tokenizer: expected keys and values"),
    ],
)
def test_mistakes_name_their_key(content: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_settings(TokenizerSettings, content, "tokenizer")


def test_arguments_must_be_json() -> None:
    with pytest.raises(UserError, match="--training: not valid JSON"):
        parse_settings(Training, "{minutes: 3}", "--training")


def test_the_config_that_ships_is_sound(project: Path) -> None:
    block = yaml.safe_load((project / "config/pretraining.yaml").read_text())["pretraining"]
    assert set(block) == {"texts", "evaluation", "pretrained"}
    texts = {key: read_settings(Text, entry, key) for key, entry in block["texts"].items()}
    for entry in block["evaluation"]:
        read_settings(EvaluationFiles, entry, "evaluation")
    models = {
        key: read_settings(Pretrained, entry, key) for key, entry in block["pretrained"].items()
    }
    for text in texts.values():
        assert text.reader in READERS or (text.reader == "tsv" and text.columns)
    assert {text for model in models.values() for text in model.texts} <= set(texts)
    languages = {texts[text].language for text in models["bert-multi-mini"].texts}
    assert languages == set(PAPER_LANGUAGES)
