"""Slices joined and cells ranked, against a table made by hand."""

import json

import pytest
import yaml
from snakemake.utils import update_config

from workflow_scripts.errors import UserError
from workflow_scripts.tuning_grid import choose_settings
from workflow_scripts.tuning_grid.cells import grid_cells
from workflow_scripts.tuning_grid.ranking import marginal_means, rank_cells
from workflow_scripts.tuning_grid.search_report import recipe_line
from workflow_scripts.tuning_grid.slice_scores import CellScore, write_slice

SEARCH = {
    "name": "words",
    "model": "bert",
    "recipe_name": "mirror-word",
    "recipe": {
        "method": "mirror",
        "pooling": "mean",
        "embed_max_length": 25,
        "max_length": 25,
        "epochs": 2,
        "temperature": 0.2,
    },
    "corpus": "words-en",
    "suite": "words-dev",
    "dataset": "simlex999",
    "metric": "spearman",
    "data": "the embedded sampler",
    "seeds": [1, 2],
    "set": {"pooling": "mean"},
    "axes": [["temperature", [0.1, 0.2]], ["epochs", [2, 1]]],
}
RECORD = {
    "corpus": {"name": "words-en.txt", "sha256": "c" * 64, "strings": 200},
    "dataset": {"items": 999, "dropped": {}},
    "model": {"name": "bert", "weights_sha256": "a" * 64},
    "versions": {"torch": "2"},
}
# cells 0 and 1 have the same mean; cell 2 lacks a score
SLICES = [
    """\
cell temperature epochs seed value first_loss last_loss steps reason
untuned - - 0 0.250000 - - 0 -
0 0.1 2 1 0.500000 2.5 1.5 8 -
0 0.1 2 2 0.700000 2.5 1.5 8 -
1 0.1 1 1 0.600000 2.5 2.0 4 -
1 0.1 1 2 0.600000 2.5 2.0 4 -
""",
    """\
cell temperature epochs seed value first_loss last_loss steps reason
2 0.2 2 1 0.900000 2.5 1.5 8 -
2 0.2 2 2 - - - 0 loss
3 0.2 1 1 0.100000 2.5 2.0 4 -
3 0.2 1 2 0.300000 2.5 2.0 4 -
""",
]


def as_table(text):
    rows = (row.split(" ") for row in text.splitlines())
    return "".join("\t".join("" if c == "-" else c for c in row) + "\n" for row in rows)


@pytest.fixture
def choose(tmp_path):
    """Return a function that writes slices, runs the command and returns its three outputs."""

    def run(slices=SLICES, records=None, search=SEARCH):
        paths = []
        for number, text in enumerate(slices):
            path = tmp_path / f"slice{number}.tsv"
            path.write_text(as_table(text))
            record = (records or [RECORD] * len(slices))[number]
            path.with_suffix(".json").write_text(json.dumps(record))
            paths.append(path)
        table, record, report = (tmp_path / f"words.{end}" for end in ("tsv", "json", "md"))
        choose_settings.main(
            [
                *("--block", json.dumps(search), "--slices", *map(str, paths)),
                *("--records", *(str(path.with_suffix(".json")) for path in paths)),
                *("--table", str(table), "--record", str(record), "--report", str(report)),
            ]
        )
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
    assert record["model"]["weights_sha256"] == "a" * 64
    assert record["corpus"]["sha256"] == "c" * 64
    assert record["versions"] == {"torch": "2"}
    assert record["search"] == SEARCH


def test_ties_of_equal_epochs_go_to_the_first_in_the_grid():
    cells = grid_cells({"temperature": [0.3, 0.1, 0.2]})
    scores = [CellScore(cell, 1, 0.5) for cell in (2, 0, 1)]
    ranked = rank_cells(cells, scores, {0: 1, 1: 1, 2: 1})
    assert [one.cell.number for one in ranked] == [0, 1, 2]
    assert [one.deviation for one in ranked] == [None] * 3


def test_means_that_agree_in_six_decimals_are_tied():
    cells = grid_cells({"epochs": [3, 1]})
    scores = [CellScore(0, 1, 0.3), CellScore(1, 1, 0.1 + 0.2 - 1e-9)]
    assert [one.cell.number for one in rank_cells(cells, scores, {0: 3, 1: 1})] == [1, 0]


def test_the_recipe_s_own_values_are_found_in_the_grid(choose):
    _, record, report = choose()
    own = record["recipe_settings"]
    assert (own["settings"], own["rank"]) == ({"temperature": 0.2, "epochs": 2}, None)
    assert "| the recipe's own values | no score |" in report
    recipe = {**SEARCH["recipe"], "temperature": 0.1}
    _, record, report = choose(search={**SEARCH, "recipe": recipe})
    assert record["recipe_settings"]["rank"] == 2
    assert "| the recipe's own values | 0.6000 ± 0.1414 (rank 2) |" in report
    recipe = {**SEARCH["recipe"], "temperature": 0.3}
    _, record, report = choose(search={**SEARCH, "recipe": recipe})
    assert record["recipe_settings"] is None
    assert "| the recipe's own values | not a cell of the grid |" in report


def test_marginal_means_are_over_the_ranked_cells_with_a_value(choose):
    _, _, report = choose()
    assert report.endswith(
        "| axis | value | mean | cells |\n"
        "| --- | --- | --- | --- |\n"
        "| temperature | 0.1 | 0.6000 | 2 |\n"
        "| temperature | 0.2 | 0.2000 | 1 |\n"
        "| epochs | 2 | 0.6000 | 1 |\n"
        "| epochs | 1 | 0.4000 | 2 |\n"
    )


def test_a_value_of_no_ranked_cell_has_no_mean():
    cells = grid_cells({"batch_size": [8, 99]})
    scores = [CellScore(0, 1, 0.5), CellScore(1, 1, None, reason="too large")]
    means = marginal_means({"batch_size": [8, 99]}, rank_cells(cells, scores, {0: 1, 1: 1}))
    assert [(one.value, one.mean, one.cells) for one in means] == [(8, 0.5, 1), (99, None, 0)]


def test_the_report_shows_the_best_cells_and_what_is_missing(choose):
    _, _, report = choose()
    for line in (
        "| best cell | 0.6000 ± 0.0000 |",
        "| untuned model | 0.2500 |",
        "| 1 | 0.1 | 1 | 0.6000 ± 0.0000 |",
        'Fixed for all cells: `{"pooling": "mean"}`.',
        "Without a rank: 1 of 4 cells",
    ):
        assert line in report
    assert "tuned on\n200 strings of corpus `words-en` with seeds 1, 2" in report


def test_the_line_for_a_config_gives_the_recipe_of_the_best_cell(choose):
    _, record, report = choose()
    line = report.split("```yaml\n")[1].split("```")[0]
    config = {"recipes": {"mirror-word": {**SEARCH["recipe"], "pooling": "cls"}}}
    update_config(config, yaml.safe_load("recipes:\n" + line))
    assert config["recipes"]["mirror-word"] == {
        **SEARCH["recipe"],
        **record["best"]["settings"],
        "pooling": "mean",
    }


def test_small_numbers_and_nested_keys_survive_yaml():
    line = recipe_line("a", {"learning_rate": 2e-5, "span_masking.length": 3, "dropout": None})
    assert line.startswith("  a: {learning_rate: 2.0e-05, span_masking: {length: 3}")
    assert yaml.safe_load(line) == {
        "a": {"learning_rate": 2e-5, "span_masking": {"length": 3}, "dropout": None}
    }


@pytest.mark.parametrize(
    ("slices", "records", "message"),
    [
        (SLICES[:1], None, "do not hold each cell and seed"),
        ([SLICES[0], SLICES[1], SLICES[1]], None, "do not hold each cell and seed"),
        ([SLICES[0].replace("untuned - - 0", "3 0.2 1 1"), SLICES[1]], None, "do not hold"),
        ([SLICES[0].replace(" 0.1 2 1", " 0.4 2 1"), SLICES[1]], None, r"slice0\.tsv:3: .*another"),
        ([SLICES[0].replace("0.7", "nan"), SLICES[1]], None, r"slice0\.tsv:4: malformed"),
        ([SLICES[0].replace("epochs", "batch_size"), SLICES[1]], None, "expected the header"),
        (
            SLICES,
            [RECORD, {**RECORD, "versions": {"torch": "3"}}],
            r"slice1\.json: made with other",
        ),
    ],
)
def test_slices_that_do_not_belong_together_are_refused(choose, slices, records, message):
    with pytest.raises(UserError, match=message):
        choose(slices, records)


def test_a_search_without_any_score_is_an_error_with_the_first_reason(choose):
    slices = [
        "\n".join(
            " ".join([*row.split(" ")[:4], "-", "-", "-", "0", "diverged"])
            if row[0].isdigit()
            else row
            for row in text.splitlines()
        )
        for text in SLICES
    ]
    with pytest.raises(UserError, match=r"none of 4 cells .* seed 1: diverged"):
        choose(slices)


def test_a_slice_is_read_as_it_was_written(tmp_path):
    axes = {"span_masking": [None, {"length": 2}], "pooling": ["cls"], "learning_rate": [2e-5]}
    cells = grid_cells(axes)
    scores = [
        CellScore(None, 0, 0.25),
        CellScore(0, 33, -0.123457, 0.1 + 0.2, 1e-17, 7),
        CellScore(1, 33, None, reason="two\tlines\nof text"),
    ]
    write_slice(tmp_path / "s.tsv", list(axes), cells, scores)
    assert choose_settings.read_slice(tmp_path / "s.tsv", list(axes), cells) == [
        *scores[:2],
        CellScore(1, 33, None, reason="two lines of text"),
    ]
