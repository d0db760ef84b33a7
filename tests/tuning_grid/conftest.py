"""A corpus and a development suite for the tiny models."""

import json

import pytest
from tiny_models import make_sentences, one_thread, tiny_bert, tiny_roberta
from tiny_suite import DATASETS, STRINGS

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]


@pytest.fixture
def files(tmp_path):
    """The corpus, strings and items as the workflow writes them: {name: path}."""
    paths = {name: tmp_path / name for name in ("corpus.txt", "strings.txt", "items.json")}
    paths["corpus.txt"].write_text("\n".join(make_sentences(20)) + "\n")
    paths["strings.txt"].write_text("\n".join(STRINGS) + "\n")
    paths["items.json"].write_text(json.dumps({"suite": "dev", "datasets": DATASETS}))
    return {name: str(path) for name, path in paths.items()}
