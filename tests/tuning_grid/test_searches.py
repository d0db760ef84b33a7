"""What the rules get from the config of a search, and the mistakes that it may have."""

import copy
import json

import pytest

from workflow_scripts.dag.plan import Plan
from workflow_scripts.errors import UserError
from workflow_scripts.tuning_grid.plan import TuningGridPlan
from workflow_scripts.tuning_grid.searches import read_search


@pytest.fixture
def config(embedded_config, project, monkeypatch):
    monkeypatch.chdir(project)
    return copy.deepcopy(embedded_config)


def make(config, **changes):
    config["tuning_grid"]["searches"]["words-bert"].update(changes)
    return Plan(config)


def read(config, **changes):
    return read_search(make(config, **changes), "words-bert")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert-eng"}, r"words-bert\.model` is `bert-eng`.*'bert-en'"),
        ({"recipe": "mirror-wrd"}, "did you mean 'mirror-word'"),
        ({"corpus": "wrds-en"}, "did you mean 'words-en'"),
        ({"suite": "words-dv"}, "did you mean 'words-dev'"),
        ({"dataset": "simlex99"}, "did you mean 'simlex999'"),
        ({"dataset": "stsb-dev"}, "`suites.words-dev` lacks dataset `stsb-dev`"),
        ({"suite": "words-fr", "dataset": "bli-en-fr"}, "of task lexicon; .* similarity or entity"),
        ({"recipe": "base-cls"}, "`base-cls`, which does not tune"),
        ({"axes": {"temprature": [0.1]}}, r"mirror-word\.temprature: unknown key; .*'temperature'"),
        ({"axes": {"dropout": [0.1, 1.5]}}, r"mirror-word\.dropout: 1\.5 is out of range"),
        ({"axes": {"learning_rate": ["3e-4"]}}, r"write 3\.0e-4"),
        ({"axes": {"span_masking.lenth": [2]}}, r"span_masking\.lenth: unknown key; .*'length'"),
        ({"set": {"poolin": "mean"}}, r"poolin: unknown key; did you mean 'pooling'"),
        ({"set": {"epochs": 2}}, "sets `epochs` and `epochs` at once"),
        (
            {"axes": {"span_masking": [None], "span_masking.length": [2]}},
            "sets `span_masking` and `span_masking.length` at once",
        ),
    ],
)
def test_a_mistake_names_key_and_remedy_only_when_the_search_is_asked_for(config, changes, message):
    plan = make(config, **changes)  # the tables of someone who does not search are not concerned
    with pytest.raises(UserError, match=message) as caught:
        read_search(plan, "words-bert")
    assert "\n" not in str(caught.value)


def test_an_unknown_search_and_a_missing_file_are_named(config, tmp_path):
    with pytest.raises(UserError, match="no such search; did you mean 'words-bert'"):
        read_search(Plan(config), "word-bert")
    config["models"]["other"] = {"path": str(tmp_path)}
    with pytest.raises(UserError, match=r"has no config\.json"):
        read(config, model="other")
    config["datasets"]["simlex999"]["path"] = "nowhere.txt"
    with pytest.raises(UserError, match=r"nowhere\.txt: no such file, needed by data set"):
        read(config, model="bert-en")


def test_own_axes_replace_the_common_ones_and_set_changes_the_recipe(config):
    own = dict(config["recipes"]["mirror-word"])
    search = read(
        config,
        axes={"span_masking.length": [2, 5], "epochs": [1]},
        set={"pooling": "pooler", "max_length": 40},
    )
    assert [cell.settings for cell in search.cells] == [
        {"span_masking.length": 2, "epochs": 1},
        {"span_masking.length": 5, "epochs": 1},
    ]
    assert search.recipe["pooling"] == "pooler"
    assert search.recipe["max_length"] == 40
    assert search.recipe["temperature"] == own["temperature"]
    assert config["recipes"]["mirror-word"] == own


def test_seeds_are_those_of_the_config_where_a_search_has_none(config):
    assert read(config).seeds == [33]
    del config["tuning_grid"]["searches"]["words-bert"]["seeds"]
    assert read(config).seeds == config["seeds"]


def test_the_slices_of_the_embedded_default_hold_the_grid(config):
    grid = TuningGridPlan(config, Plan(config))
    assert grid.slices("words-bert", "tsv")[-1] == "results/tuning_grid/words-bert/slice11.tsv"
    blocks = [json.loads(grid.slice_block("words-bert", str(number))) for number in range(12)]
    cells = [cell for block in blocks for cell in block["cells"]]
    assert blocks[0]["axes"] == ["learning_rate", "batch_size", "epochs", "temperature"]
    assert len(cells) == 252
    assert len({tuple(cell) for cell in cells}) == 252
    assert cells[0] == [1e-4, 100, 1, 0.03]
    assert cells[-1] == [1e-3, 300, 5, 0.3]
    assert [block["first_cell"] for block in blocks] == list(range(0, 252, 21))


def test_the_searches_of_the_default_s_table_are_small(config):
    plan = Plan(config)
    searches = {name: read_search(plan, name) for name in plan.grid_searches()}
    assert list(searches) == ["few-words", "few-sentences"]
    assert all(1 < len(search.cells) <= 6 for search in searches.values())


def test_a_block_holds_what_its_scores_depend_on_and_nothing_else(config):
    def blocks():
        grid = TuningGridPlan(config, Plan(config))
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
    searches["words-bert"].update(
        recipe="mirror-phrase", corpus="names", suite="bel", dataset="cometa"
    )
    assert json.loads(blocks()[0])["linking_similarity"] == "cosine"


def test_a_mistake_ends_the_run_with_one_line(config):
    grid = TuningGridPlan(config, make(config, model="bert-eng"))
    with pytest.raises(SystemExit) as caught:
        grid.reports()
    assert str(caught.value).startswith("error: config: `tuning_grid.searches.words-bert.model`")
    with pytest.raises(SystemExit, match="its last slice is 11"):
        grid.slice_block("sentences-bert", "12")
    config["tuning_grid"]["searches"] = {}
    config["tuning_grid"]["shown"] = []
    with pytest.raises(SystemExit, match="searches` is empty"):
        TuningGridPlan(config, Plan(config)).reports()
