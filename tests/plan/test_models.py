"""What the ids of models stand for."""

from pathlib import Path

import pytest

from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.config import Model
from workflow_scripts.errors import UserError
from workflow_scripts.plan.models import Models

BLOCKS = {
    "local": {"path": "some/folder/my-model", "paper": ["p"]},
    "labelled": {"path": "some/folder", "label": "a model", "paper": ["q"]},
    "hub": {"hub": "org/name", "revision": "0123456789abcdef"},
    "words": {"vectors": "vectors/en.vec"},
    "subwords": {"vectors": "vectors/cc.en.300.bin", "oov": "subwords"},
    "again": {"hub": "org/name", "revision": "0123456789abcdef"},
    "second": {"same_as": "hub"},
    "none": {"absent": "nobody made one"},
}


def models_of(blocks, *places):
    typed = {name: read_block(Model, block, name) for name, block in blocks.items()}
    return Models(typed, *places)


@pytest.fixture
def models():
    return models_of(BLOCKS, Path("root"), Path("fetched"))


def test_what_kind_a_model_is(models):
    vectors = {"words": "root/vectors/en.vec", "subwords": "root/vectors/cc.en.300.bin"}
    assert models.static == vectors
    assert [*models.hub] == ["hub", "again"]
    assert models.hub["hub"].address == "org/name@0123456789abcdef"


def test_a_model_of_the_hub_is_read_from_its_folder_and_depends_on_its_record(models):
    assert models.location("hub") == "fetched/org--name@0123456789abcdef"
    assert models.files("hub") == ["results/downloads/models/hub.json"]
    # one folder, one job that fetches it
    assert models.location("again") == models.location("hub")
    assert models.files("again") == models.files("hub")
    assert models.note("hub") == "org/name@0123456789abcdef"


def test_the_hash_that_weights_must_have_is_that_of_any_id_of_the_model():
    pinned = {**BLOCKS["again"], "weights_sha256": "a" * 64}
    models = models_of({**BLOCKS, "again": pinned}, Path("root"), Path("fetched"))
    assert models.weights_sha256("hub") == models.weights_sha256("again") == ["a" * 64]
    other = {"hub": "org/other", "revision": "0123456789abcdef"}
    models = models_of({"other": other, "again": pinned}, Path("root"), Path("fetched"))
    assert models.weights_sha256("other") == []
    with pytest.raises(UserError, match="`weights_sha256` is only for models with `hub`"):
        models_of({"local": {"path": "x", "weights_sha256": "a" * 64}}, Path("root"))


def test_a_local_model_depends_on_every_file_of_its_folder(tmp_path):
    names = ["1_Pooling/config.json", "added_tokens.json", "config.json", "custom/vocab.bin"]
    names += ["model.safetensors", "spiece.model", "spm.model", "vocab.txt"]
    for name in [*names, ".git/HEAD", ".hidden"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    models = models_of({"local": {"path": str(tmp_path)}}, Path("root"), Path("fetched"))
    assert models.location("local") == str(tmp_path)
    assert models.files("local") == [f"{tmp_path}/{name}" for name in names]


def test_a_file_of_a_model_that_snakemake_would_fill_in_is_named(tmp_path):
    for name in ("config.json", "model.safetensors", "{wild}.json"):
        (tmp_path / name).touch()
    models = models_of({"local": {"path": str(tmp_path)}}, Path("root"), Path("fetched"))
    with pytest.raises(UserError, match=r"\{wild\}.json: Snakemake takes .*; rename it"):
        models.require_files("local")


def test_notes_and_listing_hold_no_paths_of_the_machine(models):
    assert models.note("local") == "my-model"
    assert models.note("labelled") == "a model"
    assert models.note("words") == "en.vec"
    rows = models.listing({"none": "its URL", "hub": "org/name", "other": "not here"}, "p")
    assert [(row["id"], row["location"], row.get("published")) for row in rows] == [
        ("none", "none: nobody made one", "its URL"),
        ("hub", "org/name@0123456789abcdef", "org/name"),
        ("other", "none: this config has none", "not here"),
        ("local", "my-model", None),
        ("labelled", "folder", None),
        ("words", "en.vec", None),
        ("subwords", "cc.en.300.bin", None),
        ("again", "org/name@0123456789abcdef", None),
    ]
    assert [row["paper"] for row in rows[:5]] == [False, False, False, True, False]


def test_columns_of_tables_show_keys_of_models_and_where_they_are_from(models):
    said = {"path": "a/folder", "parameters": 109_482_240, "licence": "Apache-2.0"}
    said["vocabulary"] = 30_522
    models = models_of({**BLOCKS, "said": said}, Path("root"), Path("fetched"))
    properties = ("parameters", "licence", "address", "vocabulary")
    shown = {name: [models.text_of(name, what) for what in properties]
             for name in ("said", "hub", "words", "labelled")}  # fmt: skip
    assert shown == {
        "said": ["109M", "Apache-2.0", "folder", "30.5"],
        # a label is not an address
        "labelled": [None, None, "folder", None],
        "hub": [None, None, "org/name@0123456789abcdef", None],
        "words": [None, None, "en.vec", None],
    }
