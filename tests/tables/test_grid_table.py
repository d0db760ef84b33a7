"""The paper's grid beside our searches, whose reports come from the command that writes them."""

import json
from pathlib import Path
from typing import Any

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_grid import main
from workflow_scripts.tables.grid_values import format_setting
from workflow_scripts.tuning_grid import choose_settings

PAPER = {
    "learning_rate": ("5e-5", "2e-5", "1e-5"),
    "batch_size": ("100", "200", "300"),
    "epochs": ("1", "2", "3", "5"),
    "temperature": ("0.03", "0.04", "0.05", "0.07", "0.1", "0.2", "0.3"),
}
CHOSEN = {
    "learning_rate": ("2e-5", "2e-5", "2e-5"),
    "batch_size": ("200", "200", "200"),
    "epochs": ("2", "2", "1"),
    "temperature": ("0.2", "0.04", "0.04"),
}
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
    "data": "the sampler",
    "seeds": [1],
    "set": {"learning_rate": 5e-05},
    "axes": [["temperature", [0.1, 0.25]], ["epochs", [2, 1]]],
}
RECORD = {
    "corpus": {"name": "words-en.txt", "strings": 200},
    "dataset": {"items": 999},
    "model": {"name": "bert"},
}
# the cell of temperature .25 and 2 epochs has no score
SLICE = """\
cell temperature epochs seed value first_loss last_loss steps reason
untuned - - 0 0.250000 - - 0 -
0 0.1 2 1 0.500000 2.5 1.5 8 -
1 0.1 1 1 0.600000 2.5 2.0 4 -
2 0.25 2 1 - - - 0 loss
3 0.25 1 1 0.400000 2.5 2.0 4 -
"""
BLOCK: dict[str, Any] = {
    "id": "table21",
    "title": "Table 21. Hyper-parameters",
    "reference": "table21",
    "notes": [],
    "searches": [
        {"id": "words", "label": "Words"},
        {"id": "sentences", "label": "Sentences", "not_run": "takes days"},
    ],
}


@pytest.fixture
def reports(tmp_path: Path) -> list[str]:
    """The reports of a search as `choose_settings` writes them."""
    lines = (line.split(" ") for line in SLICE.splitlines())
    slice_file = tmp_path / "slice0.tsv"
    slice_file.write_text(
        "".join("\t".join("" if f == "-" else f for f in line) + "\n" for line in lines)
    )
    slice_file.with_suffix(".json").write_text(json.dumps(RECORD))
    table, record, page = (tmp_path / f"words.{ending}" for ending in ("tsv", "json", "md"))
    arguments = ["--block", json.dumps(SEARCH), "--slices", str(slice_file)]
    arguments += ["--records", str(slice_file.with_suffix(".json")), "--table", str(table)]
    choose_settings.main([*arguments, "--record", str(record), "--report", str(page)])
    return [str(table), str(record)]


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    lines = ["table\trow\tcolumn\tvalue"]
    for name, values in PAPER.items():
        lines += [f"table21\t{name}\tvalue{n}\t{v}" for n, v in enumerate(values, 1)]
        levels = zip(("word", "phrase", "sentence"), CHOSEN[name], strict=True)
        lines += [f"table21\t{name}\tchosen-{level}\t{v}" for level, v in levels]
    path = tmp_path / "table21.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def forms(tmp_path: Path, reference: Path, reports: list[str], **changes: Any) -> dict[str, str]:
    prefix = tmp_path / "out" / "table21"
    arguments = ["--block", json.dumps(BLOCK | changes), "--reference", str(reference)]
    main([*arguments, "--reports", *reports, "--output-prefix", str(prefix)])
    return {e: Path(f"{prefix}.{e}").read_text("utf-8") for e in ("tsv", "md", "html", "tex")}


def test_values_stand_with_the_papers_choice_and_our_best(
    tmp_path: Path, reference: Path, reports: list[str]
) -> None:
    texts = forms(tmp_path, reference, reports)
    (rows,) = Page(texts["html"]).tables
    assert rows[0] == ["Hyper-parameter", "Value", "Paper", "Words", "Sentences"]
    found = {(row[0], row[1]): row[2:] for row in rows[1:]}
    # as the paper orders them, and ours that it did not try at the end
    assert [value for name, value in found if name == "Learning rate"] == ["5e-5", "2e-5", "1e-5"]
    assert [value for name, value in found if name == "Temperature"][-2:] == ["0.3", "0.25"]
    # what a search does not vary has the value of the recipe, or of what it sets
    assert found["Learning rate", "5e-5"] == ["tried", ".600", "–"]
    assert found["Batch size", "200"] == ["chosen for word, phrase, sentence *", ".600", "–"]
    assert found["Epochs", "1"] == ["chosen for sentence *", ".600", "–"]
    # the best of the cells with two epochs that have a score
    assert found["Epochs", "2"] == ["chosen for word, phrase *", ".500", "–"]
    assert found["Temperature", "0.2"] == ["chosen for word *", "–", "–"]
    assert found["Temperature", "0.1"] == ["tried", ".600", "–"]
    assert found["Temperature", "0.25"] == ["–", ".400", "–"]
    assert [line.split("\t") for line in texts["tsv"].splitlines()] == rows
    latex, rules, _ = read_latex_table(texts["tex"])
    assert len(latex) == len(rows)
    assert len(rules) == 2 + 4


def test_best_of_ours_is_bold_where_there_is_a_choice(
    tmp_path: Path, reference: Path, reports: list[str]
) -> None:
    text = forms(tmp_path, reference, reports)["md"]
    assert r"| Epochs | 1 | **chosen for sentence \*** | **.600** | – |" in text
    assert r"| Epochs | 2 | **chosen for word, phrase \*** | .500 | – |" in text
    # one value alone is not the best of anything
    assert "| Learning rate | 5e-5 | tried | .600 | – |" in text


def test_page_says_what_was_searched_and_what_not(
    tmp_path: Path, reference: Path, reports: list[str]
) -> None:
    text = forms(tmp_path, reference, reports)["md"]
    assert (
        "Words: recipe mirror-word, model bert, corpus words-en; spearman on simlex999 of the "
        "sampler; 3 of 4 cells have a score; the best, .600: learning rate 5e-5, batch size 200, "
        "epochs 1, temperature 0.1."
    ) in text
    assert "Sentences: not run, takes days." in text


def test_grid_without_searches_is_the_papers(tmp_path: Path, reference: Path) -> None:
    text = forms(tmp_path, reference, [], searches=[])["md"]
    assert "No search of ours was run" in text
    assert r"| Temperature | 0.04 | **chosen for phrase, sentence \*** |" in text


@pytest.mark.parametrize(
    ("value", "text"), [(2e-5, "2e-5"), (1e-4, "0.0001"), (200.0, "200"), (0.04, "0.04")]
)
def test_settings_look_as_in_the_paper(value: float, text: str) -> None:
    assert format_setting(value) == text


def test_missing_report_is_a_user_error(
    tmp_path: Path, reference: Path, reports: list[str]
) -> None:
    with pytest.raises(UserError, match=r"--reports: 0 files named words\.json"):
        forms(tmp_path, reference, reports[:1])
    assert not (tmp_path / "out").exists()


def test_reference_without_a_hyper_parameter_is_a_user_error(
    tmp_path: Path, reference: Path, reports: list[str]
) -> None:
    reference.write_text(reference.read_text().replace("\tepochs\t", "\tepoch\t"))
    with pytest.raises(UserError, match=r"table21\.tsv: no row `epochs`"):
        forms(tmp_path, reference, reports)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("words.json", "{}", r"words\.json: not the report of a search"),
        ("words.json", '{"search": {"axes": [1]}}', r"words\.json: not the report of a search"),
        ("words.tsv", "rank\tmean\n", r"words\.tsv:1: the header has no column"),
        ("words.tsv", "rank\ttemperature\tepochs\tmean\n", r"words\.tsv: no cell in it"),
        ("words.tsv", "rank\ttemperature\tepochs\tmean\n1\tx\t1\t.5\n", r"words\.tsv:2: malformed"),
    ],
)
def test_malformed_reports_name_the_file(
    tmp_path: Path, reference: Path, reports: list[str], file: str, text: str, message: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(UserError, match=message):
        forms(tmp_path, reference, reports)
