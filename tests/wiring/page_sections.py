"""The keys of tables and figures: other values of each, and what they reach."""

from collections.abc import Mapping
from typing import Any

from variations import Change, Section, all_keys
from wiring_project import UNTUNED

TABLE, FIGURE = "write_table_block block", "write_figure_block block"
# what a table is assembled from, too
FILES = {TABLE: frozenset({TABLE, "assemble_table input"})}
FILES[FIGURE] = frozenset({FIGURE, "draw_figure input"})
SHOWN = "a text that is shown"
SAME = {
    **dict.fromkeys(("title", "notes", "caption", "x_label", "y_label"), SHOWN),
    **{
        "rows[].label": SHOWN,
        "series[].label": SHOWN,
        "rows[].group": SHOWN,
        "columns[].label": SHOWN,
    },
}


def same(*keys: str, **reasons: str) -> dict[str, str]:
    """Return why keys bear on no number: those of SAME, and others with their reasons."""
    return {key: SAME[key] for key in keys} | reasons


NO_PAPER = "pages alone are by paper: cells of this kind are not compared"
NO_GROUPS = "only rows of tables and curves are in groups"
UNCOMPARED = {"paper": NO_PAPER}
WITHOUT = {**UNCOMPARED, "rows[].group": NO_GROUPS}
HEADING = {"heading": "of the first page: tests/plan/test_beside_tables.py"}
NOT_COMPARED = "there are no published values of this kind"


def columns(*datasets: str) -> list[dict[str, Any]]:
    return [{"id": f"c{n}", "label": f"C{n}", "dataset": one} for n, one in enumerate(datasets)]


TUNED = {"id": "tuned", "label": "Tuned", "model": "tiny", "recipe": "mirror", "corpus": "strings"}
SCORES = {
    **{"title": "A title", "paper": "mirror-bert", "reference": "table01"},
    "columns": [{"id": "en", "label": "EN", "dataset": "pairs"}, *columns("pairs-2")],
    "rows": [{**TUNED, "against": "bert-mp"}, {"id": "bert-mp", **UNTUNED}],
}
LINKS = {
    "columns": columns("links"),
    "rows": [{**TUNED, "recipe": "watched"}],
    "reference": None,
}
OTHER_TABLE = {"kind": "models", "title": "A title"}
REFERENCE = {"paper": "mirror-bert", "reference": "table01"}
MODELS = {**OTHER_TABLE, "models": {"tiny": "a tiny one"}, **REFERENCE}
GRID = {"kind": "grid", "title": "A title", "paper": "mirror-bert", "reference": "table21"}
TIMES = {"kind": "running-time", "title": "A title"}

ROWS = [TUNED]
FIGURE_KEYS = {"title": "A title", "caption": "What is shown."}
AXES = {"x_label": "x", "y_label": "y"}
LINE = {
    **{"model": "tiny", "recipe": "mirror", "dataset": "pairs"},
    "corpora": ["strings", "strings-2"],
}
LINE_CHANGES = {
    **{"model": "other", "recipe": "warm", "dataset": "pairs-2"},
    "corpora": ["strings", "repeated"],
}
SERIES = [{"id": "a", "label": "A", **LINE}]
OTHER_FIGURE = {"kind": "lines", **FIGURE_KEYS, **AXES, "series": SERIES}
FIGURE_CHANGES = {
    **{"notes": ["a note"], "paper": "cmlm", "rows[].id": "other", "rows[].corpus": "strings-2"},
    **{"rows[].model": "other", "rows[].recipe": "warm"},
    "reference": Change("figure04-2", {"paper": "mirror-bert", "reference": "figure04"}),
    "kind": Change("buckets", block={"kind": "buckets", **FIGURE_KEYS, **AXES, **LINE}),
}
OTHER_KIND = Change("lines", block=OTHER_FIGURE)
OF_FIGURE = dict.fromkeys(
    (
        *("model", "recipe", "corpora", "reference", "kind"),
        *("rows[].corpus", "rows[].model", "rows[].recipe"),
        *("series[].model", "series[].recipe", "series[].corpora"),
    ),
    FILES[FIGURE],
)


def figure(
    kind: str,
    base: Mapping[str, Any],
    changes: Mapping[str, Any],
    wired: tuple[str, ...] = (),
    without: Mapping[str, str] = WITHOUT,
    **reasons: str,
) -> Section:
    """Return the section of a kind of figure; `wired` are keys of further files that it reads."""
    return Section(
        base={"kind": kind, **FIGURE_KEYS, **base},
        wires=frozenset({FIGURE}),
        wired=OF_FIGURE | dict.fromkeys(wired, FILES[FIGURE]),
        changes={**FIGURE_CHANGES, **changes},
        same_number=same(*SAME.keys() & KEYS[f"figures.{kind}"].keys() - without.keys(), **reasons),
        no_command=without,
        not_changed=HEADING,
    )


KEYS = all_keys()
LINES = {**AXES, "series": [{"id": "one", "label": "One", **LINE}]}
OF_LINES = {f"series[].{key}": value for key, value in LINE_CHANGES.items()}
OF_PAIRS = {"dataset": "questions", "rows": ROWS}
TRANSLATED = {"id": "es", "label": "ES", "dataset": "translated"}
_FIGURES = [
    figure("roc", OF_PAIRS, {"dataset": "questions-2"}, without={}),
    figure("cosines", OF_PAIRS, {"dataset": "questions-2"}, reference=NOT_COMPARED),
    figure("lines", LINES, {**OF_LINES, "series[].id": "other"}, without=UNCOMPARED),
    # the words of the data set are counted
    figure(
        "buckets",
        {**AXES, **LINE},
        {**LINE_CHANGES, "kind": OTHER_KIND},
        ("dataset",),
        without=UNCOMPARED,
    ),
    figure(
        "retrieved-languages",
        {"rows": ROWS, "dataset": "pool"},
        {"dataset": "pool-2", "neighbours": 1, "languages": ["en", "es"]},
    ),
    figure(
        "translations",
        {"rows": ROWS, "columns": [TRANSLATED]},
        {"columns[].id": "fr", "pairs": 7, "columns[].dataset": "translated-2"},
        ("columns[].dataset",),
    ),
]
FIGURES = {f"figures.{section.base['kind']}": section for section in _FIGURES}


def table(
    base: Mapping[str, Any],
    changes: Mapping[str, Any],
    *files: str,
    same: Mapping[str, str],
    not_changed: Mapping[str, str] | None = None,
) -> Section:
    """Return the section of a kind of table; `files` are keys of what it is assembled from."""
    return Section(
        base=base,
        wires=frozenset({TABLE}),
        wired=dict.fromkeys((*files, "reference", "kind"), FILES[TABLE]),
        changes={
            **{"notes": ["a note"], "kind": Change("models", block=OTHER_TABLE)},
            **{"reference": "table01-2", "paper": Change("own", {"reference": None}), **changes},
        },
        same_number=same,
        not_changed={**HEADING, **(not_changed or {})},
    )


WITH_NAME = {"id": "en", "label": "EN", "dataset": "pairs", "with": {"name": "mirror"}}
OF_TWO = {"id": "en", "label": "EN", "datasets": ["pairs-2", "pairs-3"]}
NOT_RUN = {"id": "tuned", "label": "Tuned", "not_run": "x"}

SECTIONS = {
    "tables.scores": table(
        SCORES,
        {
            **{"seeds": [44, 55], "change_of": "en", "columns[].id": "fr"},
            "columns[].dataset": "pairs-2",
            "columns[].datasets": Change(["pairs", "pairs-2"], {"columns": [OF_TWO]}),
            "columns[].of_model": Change(
                "address",
                {"columns": [{"id": "a", "label": "A", "of_model": "licence"}, *columns("pairs")]},
            ),
            "columns[].metric": Change("accuracy@5", LINKS),
            "columns[].with": Change(
                {"name": "warm"},
                {"columns": [WITH_NAME], "rows": [{**TUNED, "recipe": "{name}"}]},
            ),
            **{"rows[].id": "bert", "rows[].corpus": "strings-2", "rows[].model": "other"},
            **{"rows[].recipe": "warm", "rows[].against": None},
            "rows[].metric": Change("accuracy@5", LINKS),
            "rows[].not_run": Change(
                "nobody has it", block={**SCORES, "rows": [NOT_RUN, *SCORES["rows"][1:]]}
            ),
        },
        *("seeds", "columns[].with", "rows[].corpus", "rows[].model", "rows[].recipe"),
        "rows[].not_run",
        same={
            **same("title", "notes", "rows[].group"),
            "columns[].lower_is_better": "tells which value is in bold",
        },
        not_changed={
            "overview": "of the first page: a test of its own",
            "only": "a table without the others: tests/tables/test_table_config.py",
        },
    ),
    "tables.models": table(
        MODELS,
        {"models": {"other": "a tiny one"}, "kind": Change("running-time", block=TIMES)},
        same=same("title", "notes", reference=NOT_COMPARED),
    ),
    "tables.grid": table(
        GRID,
        {"reference": "table21-2", "paper": "first"},
        "paper",
        same=same("title", "notes"),
    ),
    "tables.running-time": table(
        TIMES,
        {"reference": Change("table01-2", REFERENCE), "paper": "first"},
        "paper",
        same=same("title", "notes", reference=NOT_COMPARED),
    ),
    **FIGURES,
}
