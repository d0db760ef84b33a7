"""A tiny prepared text and tiny tokenizers, made once."""

import json
import random
from pathlib import Path

import pytest
from tiny_models import one_thread
from transformers import PreTrainedTokenizerFast

from bundled_models.encoded_text import read_prepared
from bundled_models.settings import TokenizerSettings
from bundled_models.tokenizers_of_families import train

__all__ = ["one_thread"]

SUBJECTS = ["the cat", "a dog", "my sister", "the old king", "one bird", "every child"]
VERBS = ["sees", "likes", "paints", "follows", "finds", "draws"]
OBJECTS = ["the garden", "a small boat", "two red apples", "the river", "her new house", "a song"]
FRENCH = ["le chat", "un chien", "ma soeur", "le vieux roi"]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as prepare_text writes it: two languages, English five times the size of French."""
    folder = tmp_path_factory.mktemp("prepared")
    pick = random.Random(7).choice
    english = [f"{pick(SUBJECTS)} {pick(VERBS)} {pick(OBJECTS)} ." for _ in range(250)]
    french = [f"{pick(FRENCH)} regarde {pick(FRENCH)} ." for _ in range(50)]
    for part, share in (("train", slice(0, None)), ("validation", slice(0, 20))):
        (folder / part).mkdir()
        (folder / part / "en.txt").write_text("\n".join(english[share]) + "\n")
        (folder / part / "fr.txt").write_text("\n".join(french[share]) + "\n")
    text = {"name": "Made up", "licence": "CC0", "language": "en"}
    text |= {"sentences": 250, "characters": 9000}
    summary = {"texts": {"made-up": text}, "evaluation_sentences": 3}
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


@pytest.fixture(scope="session", params=["wordpiece", "byte-pairs"])
def tokenizer(request: pytest.FixtureRequest, prepared: Path) -> PreTrainedTokenizerFast:
    """A tokenizer of each kind, trained on the tiny text."""
    settings = TokenizerSettings(kind=request.param, size=400, maximum_length=64)
    lines = [line for lines in read_prepared(prepared, "train").values() for line in lines]
    return train(lines, settings)
