"""Slices joined and cells ranked, against a table made by hand."""

import json
from dataclasses import replace

import pytest
import yaml
from snakemake.utils import update_config

from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.tuning_grid import choose_settings
from workflow_scripts.tuning_grid.cells import CellScore, grid_cells
from workflow_scripts.tuning_grid.ranking import marginal_means, rank_cells
from workflow_scripts.tuning_grid.search_report import recipe_line

SEARCH = {
    "name": "words",
    "model": "bert",
    "recipe_name": "mirror-word",
    "recipe": {"method": "mirror", "pooling": "mean", "epochs": 2, "temperature": 0.2},
    **{"corpus": "words-en", "dataset": "simlex999", "metric": "spearman"},
    **{"data": "the bundled sample data", "seeds": [1, 2], "set": {"pooling": "mean"}},
    "axes": [["temperature", [0.1, 0.2]], ["epochs", [2, 1]]],
}
RECORD = {
    "corpus": {"name": "words-en.txt", "sha256": "c" * 64, "strings": 200},
    "dataset": {"items": 999, "dropped": {}},
    "model": {"name": "bert", "weights_sha256": "a" * 64},
    "versions": {"torch": "2"},
}
# cells 0 and 1 have the same mean; cell 2 lacks a score
SCORES = [
    [CellScore(None, 0, 0.25), CellScore(0, 1, 0.5), CellScore(0, 2, 0.7)],
    [CellScore(1, 1, 0.6), CellScore(1, 2, 0.6), CellScore(2, 1, 0.9)],
]
SCORES[1] += [CellScore(2, 2, None, reason="loss"), CellScore(3, 1, 0.1), CellScore(3, 2, 0.3)]


@pytest.fixture
def choose(tmp_path):
    """Return a function that writes slices, runs the command and returns its three outputs."""

    def run(slices=SCORES, records=(RECORD, RECORD), own_cell=None):
        paths = [str(tmp_path / f"slice{number}.json") for number in range(len(slices))]
        for path, scores, record in zip(paths, slices, records, strict=True):
            write_json(path, {"record": record, "scores": [vars(score) for score in scores]})
        table, record, report = (tmp_path / f"words.{end}" for end in ("tsv", "json", "md"))
        block = json.dumps({**SEARCH, "own_cell": own_cell})
        outputs = ("--table", str(table), "--record", str(record), "--report", str(report))
        choose_settings.main(["--block", block, "--slices", *paths, *outputs])
        rows = [line.split("\t") for line in table.read_text().splitlines()]
        return rows, json.loads(record.read_text()), report.read_text()

    return run


def test_cells_are_ranked_by_their_means_and_ties_by_epochs(choose):
    rows, record, _ = choose()
    assert rows == [
        ["rank", "cell", "temperature", "epochs", "mean", "deviation", "seeds", "reason"],
        ["1", "1", "0.1", "1", "0.600000", "0.000000", "2", ""],
        ["2", "0", "0.1", "2", "0.600000", "0.141421", "2", ""],
        ["3", "3", "0.2", "1", "0.200000", "0.141421", "2", ""],
        ["", "2", "0.2", "2", "0.900000", "", "1", "seed 2: loss"],
    ]
    assert record["best"]["settings"] == {"temperature": 0.1, "epochs": 1}
    assert record["best"]["mean"] == pytest.approx(0.6)
    assert record["untuned"] == 0.25
    assert (record["cells"], record["ranked"]) == (4, 3)
    assert {key: record[key] for key in RECORD} == RECORD
    assert record["search"] == SEARCH


@pytest.mark.parametrize(
    ("values", "epochs", "order"),
    [
        ([0.5, 0.5, 0.5], [1, 1, 1], [0, 1, 2]),
        # means that agree in six decimals are tied
        ([0.3, 0.1 + 0.2 - 1e-9, 0.299], [3, 1, 1], [1, 0, 2]),
    ],
)
def test_ties_go_to_fewer_epochs_and_then_to_the_first_in_the_grid(values, epochs, order):
    scores = [CellScore(cell, 1, value) for cell, value in enumerate(values)]
    ranked = rank_cells(grid_cells({"a": [3, 1, 2]}), scores[::-1], dict(enumerate(epochs)))
    assert [one.number for one in ranked] == order
    assert [one.deviation for one in ranked] == [None] * 3


@pytest.mark.parametrize(
    ("own_cell", "found", "line"),
    [
        (2, ({"temperature": 0.2, "epochs": 2}, None), "no score"),
        (0, ({"temperature": 0.1, "epochs": 2}, 2), "0.6000 ± 0.1414 (rank 2)"),
        (None, None, "not a cell of the grid"),
    ],
)
def test_the_recipe_s_own_values_are_found_in_the_grid(choose, own_cell, found, line):
    _, record, report = choose(own_cell=own_cell)
    own = record["recipe_settings"]
    assert (own and (own["settings"], own["rank"])) == found
    assert f"| the recipe's own values | {line} |" in report


def test_marginal_means_are_over_the_ranked_cells_with_a_value(choose):
    _, _, report = choose()
    assert "| best cell | 0.6000 ± 0.0000 |\n" in report
    assert "| 1 | 0.1 | 1 | 0.6000 ± 0.0000 |\n" in report
    assert report.endswith(
        "| axis | value | mean | cells |\n"
        "| --- | --- | --- | --- |\n"
        "| temperature | 0.1 | 0.6000 | 2 |\n"
        "| temperature | 0.2 | 0.2000 | 1 |\n"
        "| epochs | 2 | 0.6000 | 1 |\n"
        "| epochs | 1 | 0.4000 | 2 |\n"
    )
    # a value of no ranked cell has no mean
    axes, scores = {"size": [8, 99]}, [CellScore(0, 1, 0.5), CellScore(1, 1, None, reason="large")]
    means = marginal_means(axes, rank_cells(grid_cells(axes), scores, {0: 1, 1: 1}))
    assert means == [("size", 8, 0.5, 1), ("size", 99, None, 0)]


def test_the_line_for_a_config_gives_the_recipe_of_the_best_cell(choose):
    _, record, report = choose()
    line = report.split("```yaml\n")[1].split("```")[0]
    config = {"recipes": {"mirror-word": {**SEARCH["recipe"], "pooling": "cls"}}}
    update_config(config, yaml.safe_load("recipes:\n" + line))
    best = {**SEARCH["recipe"], **record["best"]["settings"], "pooling": "mean"}
    assert config["recipes"]["mirror-word"] == best
    # small numbers and nested keys survive
    line = recipe_line("a", {"learning_rate": 2e-5, "span_masking.length": 3, "dropout": None})
    assert line.startswith("  a: {learning_rate: 2.0e-05, span_masking: {length: 3}")
    values = {"learning_rate": 2e-5, "span_masking": {"length": 3}, "dropout": None}
    assert yaml.safe_load(line) == {"a": values}


def test_slices_of_other_files_and_a_search_without_any_score_are_refused(choose):
    with pytest.raises(UserError, match=r"slice1\.json: made with different files or"):
        choose(records=(RECORD, {**RECORD, "versions": {"torch": "3"}}))
    slices = [
        [one if one.cell is None else replace(one, value=None, reason="diverged") for one in scores]
        for scores in SCORES
    ]
    with pytest.raises(UserError, match=r"none of 4 cells .* seed 1: diverged"):
        choose(slices)
