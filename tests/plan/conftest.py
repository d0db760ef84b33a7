"""A config of few blocks of the default."""

import copy

import pytest

# of the default config
KEPT = ("data", "models", "retrieval", "classification", "device", "threads", "tolerance")
DATASETS = ("sts12", "sickr", "multisimlex-en", "multisimlex-fr", "bli-en-fr", "tatoeba-es", "mr")
RECIPES = ("base-mp", "mirror-word", "mirror-sentence")
CORPORA = ("words-en", "words-fr", "sentences-en")


@pytest.fixture
def small_config(default_config, project, monkeypatch):
    """Seven data sets, three recipes, three corpora, and neither tables nor figures."""
    monkeypatch.chdir(project)
    kept = {key: default_config[key] for key in KEPT}
    for kind, names in (("datasets", DATASETS), ("recipes", RECIPES), ("corpora", CORPORA)):
        kept[kind] = {name: default_config[kind][name] for name in names}
    kept = copy.deepcopy(kept)
    for recipe in kept["recipes"].values():
        recipe.pop("development", None)
    return kept | {"seeds": [33], "tables": {}, "figures": {}}
