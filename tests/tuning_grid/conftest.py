"""A corpus and data sets to choose settings on for the tiny models."""

import json

import pytest
from tiny_models import make_sentences, one_thread, tiny_bert, tiny_roberta
from tiny_sets import DATASETS, STRINGS

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]


@pytest.fixture
def files(tmp_path):
    """The corpus, strings and items as the workflow writes them: {name: path}."""
    names = ("corpus.txt", "strings.txt", *(f"{name}.json" for name in DATASETS))
    paths = {name: tmp_path / name for name in names}
    paths["corpus.txt"].write_text("\n".join(make_sentences(20)) + "\n")
    paths["strings.txt"].write_text("\n".join(STRINGS) + "\n")
    for name, entry in DATASETS.items():
        paths[f"{name}.json"].write_text(json.dumps({"dataset": name, **entry}))
    return {name: str(path) for name, path in paths.items()}
