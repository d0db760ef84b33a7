"""What the forms of a table show, and that they show the same."""

import re
from decimal import Decimal

import numpy as np
import pytest
from html_reading import Page
from hypothesis import given
from hypothesis import strategies as st
from table_files import assemble

from workflow_scripts.errors import UserError
from workflow_scripts.tables import numbers
from workflow_scripts.tables.numbers import format_number, format_published

NOT_RUN = {"id": "fasttext", "label": "fastText", "not_run": "no vectors"}
MIRROR = "+ Mirror<br><sub>↑↓ to BERT-mp</sub>"


def markdown_rows(text):
    """Return the cells of the first table, the line of dashes left out."""
    table = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert table is not None
    lines = table.group().splitlines()
    del lines[1]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize(
    ("digits", "texts"),
    [
        (3, {0.556: ".556", -0.0234: "-.023", 1.0: "1.000", -1.0: "-1.000", 0.9996: "1.000"}),
        (3, {-0.0001: ".000", 0: ".000", Decimal("0.53"): ".530"}),
        (2, {13.794: "13.79", 0.7142: ".71", -0.004: ".00"}),
    ],
)
def test_numbers_look_as_in_the_paper(digits, texts):
    assert {value: format_number(value, digits) for value in texts} == texts


@given(st.floats(-1, 1))
def test_any_score_is_three_digits_without_a_leading_zero(value):
    text = format_number(value)
    assert re.fullmatch(r"-?(1\.000|\.\d{3})", text) and text != "-.000"
    assert abs(float(text) - value) <= 0.0005 + 1e-12


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        # differences carry their sign, published values keep their digits
        (numbers.format_difference, {"0.012": "+.012", "-0.5": "-.500", "0": ".000"}),
        (format_published, {"12.8": "12.8", "0.0120": ".0120", "-0.5": "-.5", "1.000": "1.000"}),
        (numbers.format_tolerance, {"0.010": ".01", "10": "10", "0.5": ".5"}),
    ],
)
def test_other_numbers(form, texts):
    assert {value: form(Decimal(value)) for value in texts} == texts


def test_intervals_and_p_values_look_as_in_text():
    assert numbers.format_interval((0.5121, -0.0009)) == "[.512, -.001]"
    assert numbers.format_interval((13.794, 14.0), 2) == "[13.79, 14.00]"
    # a difference of tables in percent has their digits, and so its sign
    found = [numbers.format_difference(Decimal(one), 1) for one in ("0.04", "0.06", "-1.25")]
    assert found == [".0", "+.1", "-1.2"]
    expected = {0.0: "< .001", 0.0009: "< .001", 0.001: "= .001", 0.0234: "= .023", 1.0: "= 1.000"}
    assert {value: numbers.format_p(value) for value in expected} == expected


def test_tsv_has_seven_fields_for_each_column(assembled):
    found = assembled(comparable=("bert-mirror",), details=True)
    parts = ("", " sd", " low", " high", " published", " difference", " status")
    labels = [f"{label}{part}" for label in ("EN", "FR", "avg.") for part in parts]
    assert found.header == ["row", "label", *labels]
    mirror = found.rows[2]
    assert (mirror["row"], mirror["label"]) == ("bert-mirror", "+ Mirror")
    shown = ("", " sd", " published", " difference", " status")
    # mean of .5 and .75, deviation .25 / sqrt 2; .625 - .556
    expected = ["0.625", "0.177", "0.556", "0.069", "outside"]
    assert [mirror[f"EN{part}"] for part in shown] == expected
    assert float(mirror["EN low"]) < 0.625 < float(mirror["EN high"])
    # averages per seed .375 and .5: mean .4375, deviation .125 / sqrt 2
    expected = ["0.438", "0.088", "0.471", "-0.033", "outside"]
    assert [mirror[f"avg.{part}"] for part in shown] == expected
    assert mirror["FR status"] == "inside"


def test_tsv_is_empty_where_not_run_or_not_comparable(assembled):
    rows = assembled(comparable=("bert-mirror",)).rows
    fasttext, bert, _, mbert = rows
    assert [fasttext[k] for k in ("EN", "EN sd", "EN published")] == ["", "", "0.528"]
    assert (bert["EN"], bert["EN sd"], bert["EN published"]) == ("0.250", "", "0.267")
    assert {row["EN difference"] for row in (fasttext, bert, mbert)} == {""}
    assert (mbert["EN"], mbert["FR"], mbert["avg."]) == ("0.500", "", "")
    assert {row["EN low"] for row in rows} == {""}
    statuses = [row["EN status"] for row in (fasttext, bert, mbert)]
    assert statuses == ["not-run", "not-comparable", "no-published"]


def test_markdown_shows_difference_only_where_comparable(assembled):
    found = assembled(comparable=("bert-mirror",))
    rows = markdown_rows(found.md)
    assert rows[0] == ["", "EN", "FR", "avg."]
    assert {len(row) for row in rows} == {4}
    # families: fastText, monolingual, multilingual, with an empty row between them
    assert [row[0] for row in rows[1:]] == ["fastText", "", "BERT-mp", MIRROR, "", "+ Mirror"]
    assert rows[3] == ["BERT-mp", ".250<br><sub>paper .267</sub>", "<u>.125</u>", rows[3][3]]
    assert rows[4] == [
        MIRROR,
        "**.625** ±.177<br>↑.375<br>paper .556, +.069 !",
        "**.250** ±.000<br>↑.125<br>paper .245, +.005",
        "**.438** ±.088<br>↑.250<br>paper .471, -.033 !",
    ]
    assert rows[6][1] == "<u>.500</u>"
    assert "In 3 of 5 cells model, data and recipe are the paper's" in found.md
    assert "here .01. A difference beyond it is marked !" in found.md


def test_interval_and_significance_synthetic_files_the_cell(assembled):
    found = assembled(details=True)
    assert re.fullmatch(
        r"\*\*\.625\*\* ±\.177<br><sub>\\\[\.5\d\d, \.6\d\d\\\]</sub><br>↑\.375\\\*"
        r"<br><sub>paper \.556</sub>",
        markdown_rows(found.md)[4][1],
    )
    assert re.search(r'<span class="interval">\[\.5\d\d, \.6\d\d\]</span>', found.html)
    assert '<span class="against">↑.375*</span>' in found.html
    for form in (found.md, found.html):
        assert "95% bootstrap interval over the items" in form
        assert "not corrected for the number of comparisons" in form


def test_table_without_comparable_cells_or_replicates_says_so(assembled):
    found = assembled()
    for form in (found.md, found.html):
        assert "Not comparable with the paper: in no cell are model, data and recipe" in form
        assert "Tolerance" not in form and "bootstrap" not in form
    assert all(row["EN difference"] == "" for row in found.rows)
    assert not re.search(r"class=.(difference|interval)", found.html)
    assert re.search(r"paper \.\d+,", found.md) is None


def test_what_compared_cells_assume_is_listed_and_said_above(make_table, tmp_path):
    block = make_table(comparable=("bert-mirror",))
    alone = assemble(tmp_path, block)
    assert "as far as it states them" not in alone.md and "assume" not in alone.md
    # the second is not compared
    for row, what in ((2, "which <layer>"), (1, "how long")):
        block["rows"][row]["cells"]["en"]["assumptions"] = [what]
    found = assemble(tmp_path, block)
    for form in (found.md, found.html):
        assert "recipe are the paper's, as far as it states them (below" in form
        assert "What compared scores assume, for the paper does not state it:" in form
    assert "how long" not in found.md
    # of the column and of the average
    assert "<li>which &lt;layer&gt; (2 of 3 cells)</li>" in found.html


def test_differences_are_listed_with_the_number_of_cells(make_table, tmp_path):
    block = make_table()
    block["rows"][2]["cells"]["en"]["differences_from_paper"] = [
        "the sample data",
        "the sample data",
        "a recipe",
    ]
    block["rows"][3]["cells"] |= {"fr": {"not_run": "no French"}}
    found = assemble(tmp_path, block)
    # with a value of the paper and an own one: two of BERT-mp, three of + Mirror
    assert re.findall(r"^- .*$", found.md, flags=re.MULTILINE) == [
        r"- a \<small\> model (4 of 5 cells)",
        "- the sample data (all 5 cells)",
        "- a recipe (2 of 5 cells)",
    ]
    assert "<li>a &lt;small&gt; model (4 of 5 cells)</li>" in found.html


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"comparable": ("bert-mp", "bert-mirror", "mbert-mirror")},
            "Model, data and recipe are the paper's: below each value",
        ),
        ({"rows": [NOT_RUN]}, "Nothing of this table was run"),
        ({"reference": None}, "No published values belong to this table."),
    ],
)
def test_page_says_what_may_be_compared(assembled, changes, sentence):
    found = assembled(**changes)
    assert sentence in found.md
    assert sentence in found.html
    assert "not compar" not in found.md
    has_published = {row["EN published"] for row in found.rows} != {""}
    assert has_published == ("reference" not in changes) == ("paper ." in found.md)


def test_replicates_that_were_cut_are_told_by_their_file(make_table, tmp_path):
    block, file = make_table(details=True), tmp_path / "bert-mp-0.npz"
    np.savez(file, **{key: values[:7] for key, values in np.load(file).items()})
    with pytest.raises(UserError, match=r"bert-mp-0\.npz: damaged .*\(7,\), most others of \(1000"):
        assemble(tmp_path, block)


def test_faulty_inputs_are_told_of_and_leave_no_output(make_table, tmp_path):
    with pytest.raises(UserError, match=r"none\.tsv: no such file"):
        assemble(tmp_path, make_table(reference=str(tmp_path / "none.tsv")))
    block = make_table()
    path = tmp_path / "bert-mp-0.tsv"
    path.write_text(path.read_text().replace("words-fr", "words-xx"))
    with pytest.raises(UserError, match=r"bert-mp-0\.tsv: no rows with dataset `words-fr`"):
        assemble(tmp_path, block)
    assert not (tmp_path / "out").exists()


def test_cells_not_run_have_a_numbered_reason(assembled):
    found = assembled()
    rows = markdown_rows(found.md)
    assert rows[1] == ["fastText", "–<sup>1</sup><br><sub>paper .528</sub>", *["–<sup>1</sup>"] * 2]
    assert rows[6][2:] == ["–<sup>2</sup>", "–<sup>3</sup>"]
    assert re.findall(r"^\d\. .*$", found.md, flags=re.MULTILINE) == [
        "1. no vectors",
        r"2. no French \<model\>",
        "3. averages are over whole rows only",
    ]
    assert '<li id="reason2">no French &lt;model&gt;</li>' in found.html


def test_n_and_coverage_stand_below_and_text_is_escaped(assembled):
    found = assembled()
    assert "| words-en | 100 | 1.000 | none |" in found.md
    page = Page(found.html)
    rows = [[f"words-{language}", "100", "1.000", "none"] for language in ("en", "fr")]
    assert page.tables[1] == [["Data set", "n", "Coverage", "Dropped"], *rows]
    assert found.md.startswith("# Words \\| \\<rho\\>\n")
    assert "A \\*note\\* & more" in found.md
    assert "<h1>Words | &lt;rho&gt;</h1>" in found.html
    assert "A *note* &amp; more" in found.html
    assert page.captions[0] == "Own scores and, below them, the paper's values"


@pytest.mark.parametrize("comparable", [(), ("bert-mirror",)])
def test_html_shows_the_values_of_the_tsv(assembled, comparable):
    found = assembled(comparable=comparable, details=True)
    header, *shown = Page(found.html).tables[0]
    assert header[1:] == ["EN", "FR", "avg."]
    for line, row in zip(shown, found.rows, strict=True):
        assert line[0].removesuffix(" ↑↓ to BERT-mp") == row["label"]
        for text, label in zip(line[1:], header[1:], strict=True):
            own = format_number(Decimal(row[label])) if row[label] else "–"
            assert re.match(r"–|-?\.\d{3}|1\.000", text).group() == own
            for pattern, names in (
                (r"±(\.\d{3})", ("sd",)),
                (r"paper (\.\d{3})", ("published",)),
                (r"paper \.\d{3}, ([+-]?\.\d{3})", ("difference",)),
                (r"\[(\.\d{3}), (\.\d{3})\]", ("low", "high")),
            ):
                expected = [row[f"{label} {name}"] for name in names]
                matched = re.search(pattern, text)
                assert (matched is not None) == (expected[0] != "")
                if matched is not None:
                    assert list(map(Decimal, matched.groups())) == list(map(Decimal, expected))
            assert text.endswith("!") == (row[f"{label} status"] == "outside")


def test_html_is_whole_accessible_and_fetches_nothing(assembled):
    text = assembled(comparable=("bert-mirror",)).html
    page = Page(text)
    assert page.bodies == 3 + 1
    assert len(page.ids) == len(set(page.ids))
    assert all(scope in ("row", "col") for tag, scope in page.scopes if tag == "th")
    inside = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    forms = {f"table01.{ending}" for ending in ("tsv", "md", "tex")}
    others = {link for link in page.links if not link.startswith("#")}
    assert others == forms | {"index.html", "cells/table01.tsv", "run.js", "status.js"}
    assert "http" not in text and "url(" not in text
    assert '<html lang="en">' in text


def test_outputs_are_the_same_bytes_again_and_name_no_path(assembled, tmp_path):
    assembled(comparable=("bert-mirror",))
    outputs = sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [path.suffix for path in outputs] == [".tsv", ".html", ".md", ".tex", ".tsv"]
    before = [path.read_bytes() for path in outputs]
    assembled(comparable=("bert-mirror",))
    assert [path.read_bytes() for path in outputs] == before
    assert not any(str(tmp_path).encode() in content for content in before)


def test_row_that_the_paper_lacks_is_told_of(assembled, capsys):
    assembled(rows=[{"id": name, "label": name, "not_run": "x"} for name in ("fasttext", "mine")])
    told = "table01: the paper has no row `mine`; it stands without its values\n"
    assert capsys.readouterr().out == told
