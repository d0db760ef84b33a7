"""Fixtures of this folder: the tiny models, and one of each architecture."""

import pytest
from tiny_architectures import make_architecture
from tiny_models import one_thread, tiny_bert, tiny_roberta

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """The model folder of an architecture, made once."""
    made = {}

    def make(name):
        if name not in made:
            made[name] = make_architecture(tmp_path_factory.mktemp("models") / name, name)
        return made[name]

    return make
