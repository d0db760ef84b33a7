"""The paper's grid next to our searches, whose reports the real command writes."""

import json
from pathlib import Path

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError
from workflow_scripts.tables.kinds.grid import format_setting
from workflow_scripts.tuning_grid import choose_settings

# the paper's values, and those chosen for words, phrases and sentences
PAPER = {
    "learning_rate": ("5e-5 2e-5 1e-5", "2e-5 2e-5 2e-5"),
    "batch_size": ("100 200 300", "200 200 200"),
    "epochs": ("1 2 3 5", "2 2 1"),
    "temperature": ("0.03 0.04 0.05 0.07 0.1 0.2 0.3", "0.2 0.04 0.04"),
}
SEARCH = {
    **{"name": "words", "model": "bert", "recipe_name": "mirror-word", "corpus": "words-en"},
    "recipe": {"method": "mirror", "pooling": "mean", "embed_max_length": 25}
    | {"max_length": 25, "epochs": 2, "temperature": 0.2},
    **{"dataset": "simlex999", "metric": "spearman", "data": "the sample data"},
    **{"seeds": [1], "set": {"learning_rate": 5e-05}, "own_cell": None},
    "axes": [["temperature", [0.1, 0.25]], ["epochs", [2, 1]]],
}
CORPUS = {"name": "words-en.txt", "strings": 200}
RECORD = {"corpus": CORPUS, "dataset": {"items": 999}, "model": {"name": "bert"}}
# number of the cell, value, steps; that of temperature .25 and 2 epochs has no score
SCORES = [(None, 0.25, 0), (0, 0.5, 8), (1, 0.6, 4), (2, None, 0), (3, 0.4, 4)]


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """The reports of a search as `choose_settings` writes them."""
    monkeypatch.chdir(tmp_path)
    scores = [{"cell": c, "seed": int(c is not None), "value": v, "steps": n} for c, v, n in SCORES]
    Path("slice.json").write_text(json.dumps({"record": RECORD, "scores": scores}))
    arguments = ["--block", json.dumps(SEARCH), "--slices", "slice.json"]
    for name, ending in (("table", "tsv"), ("record", "json"), ("report", "md")):
        arguments += [f"--{name}", f"results/tuning_grid/words.{ending}"]
    choose_settings.main(arguments)


@pytest.fixture
def table21(made):
    """A function that makes the table, with the paper's values next to our searches."""
    published = {}
    for name, (values, chosen) in PAPER.items():
        published |= {(name, f"value{n}"): value for n, value in enumerate(values.split(), 1)}
        levels = zip(("word", "phrase", "sentence"), chosen.split(), strict=True)
        published |= {(name, f"chosen-{level}"): value for level, value in levels}
    block = {"id": "table21", "kind": "grid", "title": "Table 21. Grid", "notes": ["Sic."]}
    block |= {"folder": "results/tuning_grid", "reference": made.published("table21", published)}
    return lambda *searches: made.assemble(block | {"searches": searches})


def test_values_stand_with_the_papers_choice_and_our_best(table21, reports):
    made = table21("words")
    (rows,) = Page(made.html).tables
    assert rows[0] == ["Hyper-parameter", "Value", "Paper", "words"]
    values = {
        name: [row[1] for row in rows if row[0] == name]
        for name in ("Learning rate", "Temperature")
    }
    # as the paper orders them, and ours that it did not try at the end
    assert values["Learning rate"] == ["5e-5", "2e-5", "1e-5"]
    assert values["Temperature"][-2:] == ["0.3", "0.25"]
    for row in (
        # what a search does not vary has the value of the recipe, or of what it sets
        ["Learning rate", "5e-5", "tried", ".600"],
        ["Batch size", "200", "chosen for word, phrase, sentence *", ".600"],
        ["Epochs", "1", "chosen for sentence *", ".600"],
        # the best of the cells with two epochs that have a score
        ["Epochs", "2", "chosen for word, phrase *", ".500"],
        ["Temperature", "0.2", "chosen for word *", "–"],
        ["Temperature", "0.1", "tried", ".600"],
        ["Temperature", "0.25", "–", ".400"],
    ):
        assert row in rows
    assert [made.header, *(list(row.values()) for row in made.rows)] == rows
    latex, rules, _ = read_latex_table(made.tex)
    assert (len(latex), len(rules)) == (len(rows), 2 + 4)
    # the best of ours is bold where there is a choice; one value alone is not the best of anything
    assert r"| Epochs | 1 | **chosen for sentence \*** | **.600** |" in made.md
    assert r"| Epochs | 2 | **chosen for word, phrase \*** | .500 |" in made.md
    assert "| Learning rate | 5e-5 | tried | .600 |" in made.md
    assert (
        "words: recipe mirror-word, model bert, corpus words-en; spearman on simlex999 of the "
        "sample data; 3 of 4 cells have a score; the best, .600: learning rate 5e-5, batch size "
        "200, epochs 1, temperature 0.1."
    ) in made.md


def test_grid_without_searches_is_the_papers(table21):
    text = table21().md
    assert "No search was run" in text
    assert r"| Temperature | 0.04 | **chosen for phrase, sentence \*** |" in text


@pytest.mark.parametrize(
    ("value", "text"), [(2e-5, "2e-5"), (1e-4, "0.0001"), (200.0, "200"), (0.04, "0.04")]
)
def test_settings_look_as_in_the_paper(value, text):
    assert format_setting(value) == text


def test_missing_report_or_hyper_parameter_is_a_user_error(table21, made, reports):
    with pytest.raises(UserError, match=r"other\.json: no such file"):
        table21("words", "other")
    reference = Path(made.file("table21.tsv"))
    reference.write_text(reference.read_text().replace("\tepochs\t", "\tepoch\t"))
    with pytest.raises(UserError, match=r"table21\.tsv: no row `epochs`"):
        table21()
    assert not Path(made.file("out")).exists()
