"""What the rules get from the config of a search, and the mistakes that it may have."""

import copy
import json

import pytest

from workflow_scripts.configuration.layers import Layers
from workflow_scripts.errors import UserError
from workflow_scripts.plan.plan import Plan
from workflow_scripts.plan.searches import read_search


@pytest.fixture
def config(default_config, project, monkeypatch):
    monkeypatch.chdir(project)
    return copy.deepcopy(default_config)


def make(config, **changes):
    config["tuning_grid"]["searches"]["words-bert"] |= changes
    return Plan(Layers(config, {}))


def read(plan, name="words-bert"):
    return read_search(plan.cells, plan.typed.grid, name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert-eng"}, r"words-bert\.model` is `bert-eng`.*'bert-en'"),
        ({"dataset": "simlex"}, "did you mean 'simlex999'"),
        ({"dataset": "bli-en-fr"}, "of task lexicon; .* similarity or entity"),
        ({"recipe": "base-cls"}, r"base-cls\.method.* tunes nothing"),
        ({"axes": {"temprature": [0.1]}}, r"mirror-word\.temprature`; .*'temperature'"),
        ({"axes": {"dropout": [0.1, 1.5]}}, r"mirror-word\.dropout` is 1\.5; "),
        ({"axes": {"learning_rate": ["3e-4"]}}, r"write 3\.0e-4"),
        ({"axes": {"span_masking.lenth": [2]}}, r"span_masking\.lenth`; .*'length'"),
        ({"set": {"poolin": "mean"}}, r"poolin`; did you mean 'pooling'"),
        ({"set": {"epochs": 2}}, "sets `epochs` and `epochs` at once"),
        ({"axes": {"dropout": [None], "dropout.x": [2]}}, "sets `dropout` and `dropout.x` at once"),
    ],
)
def test_a_mistake_names_key_and_remedy_only_when_the_search_is_asked_for(config, changes, message):
    plan = make(config, **changes)  # the tables of someone who does not search are not concerned
    with pytest.raises(UserError, match=message) as caught:
        read(plan)
    assert "\n" not in str(caught.value)


def test_an_unknown_search_and_a_missing_file_are_named(config, tmp_path):
    with pytest.raises(UserError, match="no such search; did you mean 'words-bert'"):
        read(make(config), "word-bert")
    config["models"]["other"] = {"path": str(tmp_path)}
    with pytest.raises(UserError, match=r"has no config\.json"):
        read(make(config, model="other"))
    config["datasets"]["simlex999"]["path"] = "nowhere.txt"
    with pytest.raises(UserError, match=r"nowhere\.txt: no such file, needed by data set"):
        read(make(config, model="bert-en"))


def test_own_axes_and_seeds_replace_the_common_ones_and_set_changes_the_recipe(config):
    own = dict(config["recipes"]["mirror-word"])
    assert read(make(config)).seeds == [33]
    del config["tuning_grid"]["searches"]["words-bert"]["seeds"]
    config |= {"seeds": [1, 2], "trained_encoders": []}
    axes = {"span_masking.length": [2, 5], "epochs": [1]}
    search = read(make(config, axes=axes, set={"pooling": "pooler", "max_length": 40}))
    assert search.seeds == [1, 2]
    found = [tuple(cell.settings.items()) for cell in search.cells]
    assert found == [(("span_masking.length", length), ("epochs", 1)) for length in (2, 5)]
    changed = {**own, "pooling": "pooler", "max_length": 40}
    assert {key: search.recipe[key] for key in changed} == changed
    assert config["recipes"]["mirror-word"] == own


def test_the_slices_of_the_embedded_default_hold_the_grid(config):
    plan = make(config)
    grid = plan.grid
    # those of the table are small
    assert [len(grid.search(name).cells) for name in plan.typed.grid.shown] == [6, 2]
    assert grid.slices("words-bert")[-1] == "results/tuning_grid/words-bert/slice11.json"
    blocks = [json.loads(grid.slice_block("words-bert", str(number))) for number in range(12)]
    cells = [cell for block in blocks for cell in block["cells"]]
    assert blocks[0]["axes"] == ["learning_rate", "batch_size", "epochs", "temperature"]
    assert len(cells) == len({tuple(cell) for cell in cells}) == 252
    assert (cells[0], cells[-1]) == ([1e-4, 100, 1, 0.03], [1e-3, 300, 5, 0.3])
    assert [block["first_cell"] for block in blocks] == list(range(0, 252, 21))


def test_a_block_holds_what_its_scores_depend_on_and_nothing_else(config):
    def blocks():
        grid = make(config).grid
        return [grid.slice_block(name, "0") for name in ("words-bert", "sentences-bert")]

    before = blocks()
    config["retrieval"]["linking"]["similarity"] = "cosine"
    config["data"]["label"] = "other"
    searches = config["tuning_grid"]["searches"]
    searches["another"] = {**searches["words-bert"], "corpus": "names"}
    assert blocks() == before
    config["recipes"]["mirror-word"]["weight_decay"] = 0.5
    after = blocks()
    assert after[0] != before[0]
    assert after[1] == before[1]
    searches["words-bert"] |= {"recipe": "mirror-phrase", "corpus": "names"}
    searches["words-bert"] |= {"dataset": "cometa"}
    assert json.loads(blocks()[0])["linking_similarity"] == "cosine"


def test_a_mistake_ends_the_run_with_one_line(config):
    grid = make(config, model="bert-eng").grid
    with pytest.raises(SystemExit) as caught:
        grid.reports()
    assert str(caught.value).startswith("error: config: `tuning_grid.searches.words-bert.model`")
    with pytest.raises(SystemExit, match="its last slice is 11"):
        grid.slice_block("sentences-bert", "12")
    config["tuning_grid"]["searches"] = {}
    config["tuning_grid"]["shown"] = []
    with pytest.raises(SystemExit, match="searches` is empty"):
        Plan(Layers(config, {})).grid.reports()
