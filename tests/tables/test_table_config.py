"""What a config may say of tables and figures, and how a mistake in it is reported."""

from types import SimpleNamespace

import pytest

from workflow_scripts import plugins
from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds import register as figures
from workflow_scripts.plan.outputs import DeclaredCell
from workflow_scripts.tables.kinds import register as tables
from workflow_scripts.tables.kinds import scores
from workflow_scripts.tables.page_records import input_files

COLUMN = {"id": "en", "label": "EN", "dataset": "words-en"}
SIZE = {"id": "size", "label": "Size", "of_model": "parameters"}
ROW = {"id": "a", "label": "A", "model": "bert", "recipe": "base-mp"}
TABLE = {"title": "T", "columns": [COLUMN], "rows": [ROW]}
SERIES = {"id": "s", "label": "S", "model": "m", "recipe": "r", "dataset": "d"}
FIGURE = {"title": "F", "caption": "C."}
PAIRS = FIGURE | {"dataset": "qnli", "rows": [ROW]}
LINES = FIGURE | {"kind": "lines", "x_label": "x", "y_label": "y"}


def message(read, block):
    with pytest.raises(UserError) as caught:
        read("t", block)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("package", "register"), [("tables", tables), ("figures", figures)])
def test_every_key_of_every_kind_is_described(package, register):
    for kind in register.KINDS:
        fields = plugins.load(f"{package}.kinds", kind).Config.model_fields
        assert all(field.description for field in fields.values())


def test_requested_cells_are_the_rows_that_run_with_all_columns():
    other = {"id": "b", "label": "B", "not_run": "no vectors"}
    french = COLUMN | {"id": "fr", "label": "FR", "with": {"language": "fr"}}
    rows = [ROW | {"metric": "accuracy_pcr"}, other]
    block = TABLE | {"rows": rows, "columns": [COLUMN, SIZE, french]}
    cells = list(scores.requested_cells(tables.read_table("t", block)))
    assert [(row["id"], column["id"]) for row, column in cells] == [("a", "en"), ("a", "fr")]
    row, column = cells[1]
    assert column["with"] == {"language": "fr"} and "metric" not in column
    assert row["metric"] == "accuracy_pcr" and "corpus" not in row


def headline(**changes):
    return scores.headline(tables.read_table("t", TABLE | changes))


def test_the_overview_shows_what_a_table_says_or_all_that_it_compares():
    tuned = [ROW | {"id": name, "label": name.upper(), "against": "a"} for name in ("b", "c")]
    block = {"rows": [ROW, *tuned], "columns": [COLUMN]}
    rows = [
        {"row": name, "label": name.upper(), "against": "a", "against_label": "A"} for name in "bc"
    ]
    expected = {"task": "T", "column": "en", "rows": rows, "is_chosen": False}
    expected |= {"percent": False, "lower_is_better": False}
    assert headline(**block) == expected
    chosen = {"task": "Words", "column": "en", "rows": ["c"]}
    expected |= {"task": "Words", "rows": rows[1:], "is_chosen": True}
    assert headline(**block, overview=chosen) == expected
    assert headline(**block, average=True)["column"] == "avg"
    # nothing is compared
    assert headline() is None
    assert headline(**block, percent=True)["percent"]
    # the best of an average is that of its columns, which are alike
    block["columns"].append(COLUMN | {"id": "fr", "label": "FR", "lower_is_better": True})
    overviews = [{"task": "T", "column": name} for name in ("en", "fr")]
    shown = [headline(**block, overview=one)["lower_is_better"] for one in overviews]
    assert shown == [False, True]
    block["columns"] = [column | {"lower_is_better": True} for column in block["columns"]]
    assert headline(**block, average=True)["lower_is_better"]


class Run:
    """What else a table asks of the run; the model mbert has no parameters."""

    results = "results"

    def note(self, model):
        return f"note of {model}"

    def text_of(self, model, what):
        return None if (model, what) == ("mbert", "parameters") else f"{what} of {model}"

    def listing(self, published):
        return [published]

    def grid_searches(self):
        return ["words", "names"]

    def benchmarks(self):
        return {"tuning": ["b.tsv", "a.tsv"], "nothing": [], "scoring": ["c.tsv"]}


def resolved(block):
    """Return the block of a table of scores; the cell of row `b` in column `fr` does not run."""
    config, cells = tables.read_table("t", block), []
    for row, column in scores.requested_cells(config):
        place = row["id"], column["id"]
        ran = {"not_run": "no French"} if place == ("b", "fr") else {"parts": [*place]}
        models = (row["model"], f"{row['model']}-{column['id']}")
        encoders = tuple((SimpleNamespace(model=model),) for model in models)
        requests = [SimpleNamespace(encoders=encoders)]
        cells.append(DeclaredCell((row, column), ran, requests, [f"missing-{'-'.join(place)}"]))
    return scores.resolve(config, cells, Run())


ROWS = [
    ROW | {"group": "mono"},
    {"id": "b", "label": "B", "model": "mbert", "recipe": "r", "against": "a"},
    {"id": "c", "label": "C", "not_run": "no vectors"},
]


def test_the_block_of_a_table_of_scores_has_its_cells_and_notes():
    columns = [
        COLUMN | {"digits": 2, "lower_is_better": True},
        COLUMN | {"id": "fr", "label": "FR", "statistic": "deviation", "metric": "auc"},
    ]
    block = TABLE | {"columns": columns, "rows": ROWS, "notes": ["First."], "percent": True}
    places = ("a-en", "a-fr", "b-en", "b-fr")
    left_out = [f"The mean leaves out missing-{p}, which is not in the data root." for p in places]
    # of the column that did not run nothing is noted
    models = ("bert", "bert-en", "bert-fr", "mbert", "mbert-en")
    french = {"id": "fr", "label": "FR", "digits": 3, "lower_is_better": False}
    assert resolved(block) == {
        **{"percent": True, "average": False, "change_of": None},
        "notes": ["First.", *left_out, *(f"{name}: note of {name}" for name in models)],
        "columns": [
            {"id": "en", "label": "EN", "digits": 2, "lower_is_better": True, "statistic": "mean"},
            french | {"statistic": "deviation"},
        ],
        "rows": [
            {
                **{"id": "a", "label": "A", "group": "mono"},
                "cells": {"en": {"parts": ["a", "en"]}, "fr": {"parts": ["a", "fr"]}},
            },
            {
                **{"id": "b", "label": "B", "against": "a"},
                "cells": {"en": {"parts": ["b", "en"]}, "fr": {"not_run": "no French"}},
            },
            {"id": "c", "label": "C", "not_run": "no vectors"},
        ],
    }


def test_a_column_of_models_has_a_text_for_each_row_and_no_cell():
    plain = TABLE | {"rows": ROWS}
    block = resolved(plain | {"columns": [SIZE, COLUMN]})
    assert [column.get("of_model") for column in block["columns"]] == ["parameters", None]
    assert [row.pop("texts") for row in block["rows"]] == [
        {"size": "parameters of bert, parameters of bert-en"},
        # a model that lacks it, and a row that is not run
        {"size": "–, parameters of mbert-en"},
        {"size": "–"},
    ]
    assert block["rows"] == resolved(plain)["rows"]
    rows = {"rows": [ROW, ROWS[1]]}
    assert headline(**rows, columns=[SIZE, COLUMN]) == headline(**rows)


def test_the_blocks_of_other_kinds_have_what_the_run_lists_and_its_files():
    def shown(block):
        config = tables.read_table("t", {"title": "T"} | block)
        module = plugins.load("tables.kinds", config.kind)
        found = {"kind": config.kind} | module.resolve(config, [], Run())
        files = input_files("tables", found)
        return {key: value for key, value in found.items() if key != "kind"}, files

    block = {"kind": "models", "models": {"bert": "bert-base"}}
    assert shown(block) == ({"models": [{"bert": "bert-base"}]}, [])
    searches = {"searches": ["words", "names"], "folder": "results/tuning_grid"}
    files = [f"results/tuning_grid/{x}.{y}" for x in ("words", "names") for y in ("tsv", "json")]
    assert shown({"kind": "grid", "reference": "table21"}) == (searches, files)
    groups = [{"label": "tuning", "files": ["b.tsv", "a.tsv"]}]
    groups.append({"label": "scoring", "files": ["c.tsv"]})
    files = ["a.tsv", "b.tsv", "c.tsv"]
    assert shown({"kind": "running-time"}) == ({"groups": groups}, files)


@pytest.mark.parametrize("section", ["tables", "figures"])
def test_score_files_are_found_wherever_a_block_names_them(section):
    cells = [{"parts": [{"scores": ["b.tsv", "a.tsv"]}, {"scores": ["c.tsv"]}]}, {"not_run": "x"}]
    kind = {"tables": "scores", "figures": "cosines"}[section]
    block = {"kind": kind, "reference": "r.tsv", "rows": [{"cells": {"en": one}} for one in cells]}
    assert input_files(section, block | {"panels": cells}) == [
        *("a.npz", "a.tsv", "b.npz", "b.tsv", "c.npz", "c.tsv", "r.tsv"),
    ]


E = COLUMN | {"id": "e", "label": "E"}
TWICE = "two columns of its tsv are named"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"colums": [COLUMN]}, "unknown key `tables.t.colums`; did you mean 'columns'"),
        ({"kind": "score"}, "`tables.t.kind` is 'score'; use one of: scores, models, grid"),
        ({"paper": "A paper"}, "`tables.t.paper` is 'A paper'; ids: small letters"),
        ({"columns": []}, "`tables.t.columns` is []; give at least 1"),
        ({"columns": [COLUMN | {"digits": 9}]}, "`tables.t.columns.en.digits` is 9; give a number"),
        ({"columns": [COLUMN | {"tolerance": -1}]}, "tolerance` is -1; give a number of 0"),
        ({"columns": [COLUMN | {"datasets": ["d"]}]}, "give one of `dataset`, `datasets` and"),
        ({"columns": [COLUMN | {"of_model": "address"}]}, "give one of `dataset`, `datasets` and"),
        ({"columns": [SIZE]}, "no column has a `dataset`"),
        ({"columns": [COLUMN, SIZE | {"digits": 1}]}, "`digits` has no effect with `of_model`"),
        ({"columns": [COLUMN, SIZE | {"with": {}}]}, "`with` has no effect with `of_model`"),
        ({"columns": [COLUMN, SIZE | {"of_model": "age"}]}, "use one of: parameters, licence"),
        (
            {"columns": [COLUMN, SIZE], "change_of": "size"},
            "`size`, which is not a column of the table",
        ),
        ({"columns": [COLUMN, COLUMN | {"label": "E"}]}, "it has the id `en` twice"),
        ({"columns": [COLUMN, COLUMN | {"id": "e"}]}, f"{TWICE} `EN`; rename a column"),
        ({"columns": [COLUMN, E | {"label": "EN sd"}]}, f"{TWICE} `EN sd`; rename"),
        ({"columns": [COLUMN, SIZE | {"label": "EN sd"}]}, f"{TWICE} `EN sd`; rename"),
        ({"columns": [COLUMN, E | {"label": "avg."}], "average": True}, f"{TWICE} `avg.`"),
        ({"columns": [COLUMN, E | {"label": "change"}], "change_of": "en"}, f"{TWICE} `change`"),
        ({"columns": [COLUMN | {"label": "row"}]}, f"{TWICE} `row`"),
        ({"average": True, "columns": [COLUMN | {"id": "avg"}]}, "`avg` is the id of the average"),
        (
            {"average": True, "columns": [COLUMN, E | {"digits": 2}]},
            "columns with the same `digits`",
        ),
        (
            {"average": True, "columns": [COLUMN | {"statistic": "deviation"}]},
            "column `en` has deviations: they have no mean or changes",
        ),
        ({"rows": [{"id": "a", "label": "A"}]}, "give `model` and `recipe`, or say in `not_run`"),
        ({"rows": [ROW | {"not_run": "x"}]}, "has neither `model` nor `recipe`"),
        (
            {"rows": [ROW | {"against": "b"}]},
            "`against` of row `a` is `b`, which is not another row",
        ),
        (
            {"rows": [ROW | {"against": "a"}]},
            "`against` of row `a` is `a`, which is not another row",
        ),
        ({"seeds": [33, 33]}, "`tables.t.seeds`"),
        ({"change_of": "avg"}, "`change_of` is `avg`, which is not a column of the table"),
        ({"overview": {"task": "T", "column": "eng"}}, "the column `eng`; did you mean 'en'"),
        (
            {"overview": {"task": "T", "column": "en", "rows": ["a"]}},
            "`overview` has row `a`, which is no row with `against` here; write `overview: null`",
        ),
        (
            {"only": {"rows": ["aa"]}},
            "`only.rows` names `aa`, which the table does not have; did you mean",
        ),
        ({"only": {"columns": ["fr"]}}, "`only.columns` names `fr`, which the table does not have"),
        ({"only": {"rows": []}}, "`tables.t.only.rows` is []; give at least 1"),
        ({"only": {"row": ["a"]}}, "unknown key `tables.t.only.row`; did you mean 'rows'"),
        ({"only": ["a"]}, "`tables.t.only` is ['a']; give keys and values"),
    ],
)
def test_mistake_in_a_table_of_scores_is_one_clear_line(changes, expected):
    assert expected in message(tables.read_table, TABLE | changes)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ({"kind": "grid"}, "key `tables.t.reference` is missing"),
        ({"kind": "models", "models": {"bert": 3}}, "`tables.t.models.bert` is 3"),
        ({"kind": "running-time", "dataset": "words"}, "unknown key `tables.t.dataset`"),
        ({}, "keys `tables.t.columns`, `tables.t.rows` are missing"),
        (FIGURE, "key `figures.t.kind` is missing"),
        (PAIRS | {"kind": "rock"}, "translations (did you mean 'roc'"),
        (PAIRS | {"kind": "roc", "x_label": "x"}, "unknown key `figures.t.x_label`"),
        (PAIRS | {"kind": "cosines", "rows": [ROW, ROW]}, "it has the id `a` twice"),
        (PAIRS | {"kind": "roc", "rows": [{"id": "a", "label": "A"}]}, "`figures.t.rows.a.model`"),
        (LINES | {"series": [SERIES]}, "series.s.corpora` is missing"),
        (LINES | {"series": [SERIES | {"corpora": ["c", "c"]}]}, "has 'c' twice"),
        (FIGURE | {"kind": "buckets"}, "`figures.t.dataset`, `figures.t.corpora` are missing"),
    ],
)
def test_other_tables_and_figures_have_keys_of_their_own(block, expected):
    read = figures.read_figure if "caption" in block else tables.read_table
    assert expected in message(read, {"title": "T"} | block)


B, C = (ROW | {"id": name, "label": name.upper(), "against": "a"} for name in "bc")
WHOLE = TABLE | {
    "columns": [COLUMN, COLUMN | {"id": "fr", "label": "FR", "dataset": "words-fr"}],
    "rows": [ROW, B, C],
    "change_of": "fr",
    "overview": {"task": "T", "column": "en", "rows": ["b", "c"]},
}


@pytest.mark.parametrize(
    ("only", "rows", "columns", "overview", "change_of"),
    [
        ({}, "abc", ["en", "fr"], ["b", "c"], "fr"),
        ({"rows": ["c", "a"]}, "ac", ["en", "fr"], ["c"], "fr"),
        ({"rows": ["a"]}, "a", ["en", "fr"], None, "fr"),
        ({"columns": ["en"]}, "abc", ["en"], ["b", "c"], None),
        ({"columns": ["fr"], "rows": ["a", "b"]}, "ab", ["fr"], None, "fr"),
    ],
)
def test_only_narrows_a_table_and_what_names_its_rows_and_columns(
    only, rows, columns, overview, change_of
):
    table = tables.read_table("t", WHOLE | {"only": only})
    assert "".join(row.id for row in table.rows) == rows
    assert [column.id for column in table.columns] == columns
    assert (table.overview and table.overview.rows) == overview
    assert table.change_of == change_of


def test_a_row_that_only_leaves_is_compared_with_none_that_it_takes_out():
    [row] = tables.read_table("t", WHOLE | {"only": {"rows": ["b"]}}).rows
    assert row.against is None
    # the block itself is not changed
    assert WHOLE["rows"][1]["against"] == "a"


def test_a_mistake_names_the_file_that_it_stands_in():
    with pytest.raises(UserError, match=r"^my\.yaml: `tables\.t\.kind` is 'x'"):
        tables.read_table("t", {"kind": "x"}, lambda path: "my.yaml")
