"""What the forms of a table show, and that they show the same."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from html_reading import Page
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.tables import numbers
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.document import Text
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.render import tone

NOT_RUN = {"id": "fasttext", "label": "fastText", "not_run": "no vectors"}
MIRROR = "+ Mirror<br><sub>↑↓ to BERT-mp</sub>"


def markdown_rows(text):
    """Return the cells of the first table, the line of dashes left out."""
    lines = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE).group().splitlines()
    del lines[1]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        (format_number, {0.556: ".556", -0.0234: "-.023", 1.0: "1.000", -1.0: "-1.000"}),
        (format_number, {0.9996: "1.000", -0.0001: ".000", 0: ".000", Decimal("0.53"): ".530"}),
        (lambda value: format_number(value, 2), {13.794: "13.79", 0.7142: ".71", -0.004: ".00"}),
        # differences carry their sign, in tables in percent of the digits that these show
        (lambda text: numbers.format_difference(Decimal(text)), {"0.012": "+.012", "0": ".000"}),
        (lambda text: numbers.format_difference(Decimal(text)), {"-0.5": "-.500"}),
        (lambda v: numbers.format_difference(Decimal(v), 1), {".04": ".0", ".06": "+.1"}),
        # published values keep their digits
        (lambda text: numbers.format_published(Decimal(text)), {"12.8": "12.8", "1.000": "1.000"}),
        (lambda text: numbers.format_published(Decimal(text)), {"0.0120": ".0120", "-.5": "-.5"}),
        (lambda v: numbers.format_tolerance(Decimal(v)), {"0.010": ".01", "10": "10", ".5": ".5"}),
        (numbers.format_interval, {(0.5121, -0.0009): "[.512, -.001]"}),
        (lambda ends: numbers.format_interval(ends, 2), {(13.794, 14.0): "[13.79, 14.00]"}),
        (numbers.format_p, {0.0: "< .001", 0.0009: "< .001", 0.001: "= .001", 1.0: "= 1.000"}),
        # without an exponent
        (numbers.format_millions, {109_482_240: "109M", 4_415_000: "4.42M", 40_000: "0.04M"}),
        (numbers.format_millions, {7_241_732_096: "7240M", 999_999: "1M"}),
        (numbers.format_thousands, {30_522: "30.5", 250_002: "250", 8000: "8", 500: "0.5"}),
        (numbers.format_thousands, {1_234_567: "1230", 7: "0.007"}),
    ],
)
def test_numbers_look_as_in_the_paper(form, texts):
    assert {value: form(value) for value in texts} == texts


@given(st.floats(-1, 1))
def test_any_score_is_three_digits_without_a_leading_zero(value):
    text = format_number(value)
    assert re.fullmatch(r"-?(1\.000|\.\d{3})", text) and text != "-.000"
    assert abs(float(text) - value) <= 0.0005 + 1e-12


FIELDS = ("", " sd", " published", " difference", " status")
TSV = {
    ("fasttext", "EN"): ",,0.528,,not-run",
    ("bert-mp", "EN"): "0.250,,0.267,,not-comparable",
    ("mbert-mirror", "EN"): "0.500,,,,no-published",
    ("mbert-mirror", "FR"): ",,,,not-run",
    # mean of .5 and .75, deviation .25 / sqrt 2; .625 - .556
    ("bert-mirror", "EN"): "0.625,0.177,0.556,0.069,outside",
    ("bert-mirror", "FR"): "0.250,0.000,0.245,0.005,inside",
    # averages per seed .375 and .5: mean .4375, deviation .125 / sqrt 2
    ("bert-mirror", "avg."): "0.438,0.088,0.471,-0.033,outside",
}


def test_tsv_has_seven_fields_for_each_column_empty_where_there_is_nothing(assembled):
    table = assembled(comparable=("bert-mirror",), details=True)
    parts = ("", " sd", " low", " high", " published", " difference", " status")
    labels = [f"{label}{part}" for label in ("EN", "FR", "avg.") for part in parts]
    assert table.header == ["row", "label", *labels]
    rows = {row["row"]: row for row in table.rows}
    assert [row["label"] for row in table.rows] == ["fastText", "BERT-mp", "+ Mirror", "+ Mirror"]
    for (row, column), fields in TSV.items():
        assert [rows[row][f"{column}{part}"] for part in FIELDS] == fields.split(",")
        bounds = [rows[row][f"{column} {end}"] for end in ("low", "high")]
        if value := rows[row][column]:
            assert float(bounds[0]) < float(value) < float(bounds[1])
        else:
            assert bounds == ["", ""]
    assert {row["EN low"] for row in assembled().rows} == {""}


def test_markdown_shows_difference_only_where_comparable(assembled):
    table = assembled(comparable=("bert-mirror",))
    rows = markdown_rows(table.md)
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
    assert "In 3 of 5 cells, model, data and recipe are the paper's" in table.md
    assert "here .01. Larger differences are marked !" in table.md


def test_interval_and_significance_are_in_the_cell(assembled):
    table = assembled(details=True)
    assert re.fullmatch(
        r"\*\*\.625\*\* ±\.177<br><sub>\\\[\.5\d\d, \.6\d\d\\\]</sub><br>↑\.375\\\*"
        r"<br><sub>paper \.556</sub>",
        markdown_rows(table.md)[4][1],
    )
    assert '<span class="against">↑.375*</span>' in table.html
    for form in (table.md, table.html):
        assert "95% bootstrap interval over the items" in form
        assert "not corrected for the number of comparisons" in form


def test_arrows_say_which_way_a_row_differs(make_table, made):
    block = make_table(average=False)
    _, bert, mirror, _ = block["rows"]
    bert["against"], bert["cells"]["fr"] = "bert-mirror", mirror["cells"]["fr"]
    table = made.assemble(block)
    signs = [re.search(r"[↑↓=]\.\d+", field)[0] for field in markdown_rows(table.md)[3][1:3]]
    assert signs == ["↓.375", "=.000"]
    assert '<span class="against">↓.375</span>' in table.html
    assert r"{\scriptsize$\downarrow$.375}" in table.tex


def test_table_without_comparable_cells_or_replicates_says_so(assembled):
    table = assembled()
    for form in (table.md, table.html):
        assert (
            "Not comparable with the paper: no cell has the paper's model, data and recipe" in form
        )
        assert "Tolerance" not in form and "bootstrap" not in form
    assert all(row["EN difference"] == "" for row in table.rows)
    assert not re.search(r"class=.(difference|interval)", table.html)
    assert re.search(r"paper \.\d+,", table.md) is None


def test_what_compared_cells_assume_is_listed_and_said_above(make_table, made):
    block = make_table(comparable=("bert-mirror",))
    alone = made.assemble(block)
    assert "as far as it states them" not in alone.md and "assume" not in alone.md
    # the second is not compared
    for row, what in ((2, "which <layer>"), (1, "how long")):
        block["rows"][row]["cells"]["en"]["assumptions"] = [what]
    table = made.assemble(block)
    for form in (table.md, table.html):
        assert "recipe are the paper's, as far as it states them (assumptions below)" in form
        assert "What compared scores assume, since the paper does not state it:" in form
    assert "how long" not in table.md
    # of the column and of the average
    assert "<li>which &lt;layer&gt; (2 of 3 cells)</li>" in table.html


def test_differences_are_listed_with_the_number_of_cells(make_table, made):
    block = make_table()
    differences = ["the sample data", "the sample data", "a recipe"]
    block["rows"][2]["cells"]["en"]["differences_from_paper"] = differences
    table = made.assemble(block)
    # with a value of the paper and an own one: two of BERT-mp, three of + Mirror
    assert re.findall(r"^- .*$", table.md, flags=re.MULTILINE) == [
        r"- a \<small\> model (4 of 5 cells)",
        "- the sample data (all 5 cells)",
        "- a recipe (2 of 5 cells)",
    ]
    assert "<li>a &lt;small&gt; model (4 of 5 cells)</li>" in table.html


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"comparable": ("bert-mp", "bert-mirror", "mbert-mirror")},
            "Model, data and recipe are the paper's: below each value",
        ),
        ({"rows": [NOT_RUN]}, "No cell of this table was run"),
        ({"reference": None}, "This table has no published values."),
    ],
)
def test_page_says_what_may_be_compared(assembled, changes, sentence):
    table = assembled(**changes)
    assert sentence in table.md and sentence in table.html
    assert "not compar" not in table.md
    has_published = {row["EN published"] for row in table.rows} != {""}
    assert has_published == ("reference" not in changes) == ("paper ." in table.md)


def test_faulty_inputs_are_told_of_by_file_and_leave_no_output(make_table, made):
    with pytest.raises(UserError, match=r"none\.tsv: no such file"):
        made.assemble(make_table(reference=made.file("none.tsv")))
    block, name = make_table(), "bert-mp-fr-seed0"
    scores = Path(made.file(f"{name}.tsv"))
    scores.write_text(scores.read_text().replace("words-fr", "words-xx"))
    with pytest.raises(UserError, match=rf"{name}\.tsv: no rows with dataset `words-fr`"):
        made.assemble(block)
    assert not Path(made.file("out")).exists()


def test_cells_not_run_have_a_numbered_reason(assembled):
    table = assembled()
    rows = markdown_rows(table.md)
    assert rows[1] == ["fastText", "–<sup>1</sup><br><sub>paper .528</sub>", *["–<sup>1</sup>"] * 2]
    assert rows[6][2:] == ["–<sup>2</sup>", "–<sup>3</sup>"]
    assert re.findall(r"^\d\. .*$", table.md, flags=re.MULTILINE) == [
        "1. no vectors",
        r"2. no French \<model\>",
        "3. averages need complete rows",
    ]
    assert '<li id="reason2">no French &lt;model&gt;</li>' in table.html


def test_rows_not_run_are_folded_with_their_reason(assembled, make_table, made):
    text = assembled().html
    folded = "<summary>Not run: 1 of 4 rows</summary>\n<ul>\n<li>fastText: no vectors</li>"
    assert folded in text and text.count('class="empty"') == 1
    # where nothing ran the page shows them, and the paper's values
    rows = [{"id": "fasttext", "label": "fastText", "not_run": "no vectors"}]
    text = assembled(rows=rows).html
    assert "Not run" not in text and 'class="empty"' not in text
    assert 'id="published" checked' in text and 'id="published" checked' not in assembled().html


@pytest.mark.parametrize(
    ("difference", "p_value", "lower_is_better", "shade"),
    [
        ("0.1", 0.01, False, "better sure"),
        ("0.1", 0.05, False, "better"),
        ("-0.1", None, False, "worse"),
        ("0.1", 0.01, True, "worse sure"),
        ("-0.1", 0.2, True, "better"),
        ("0.0", 0.01, False, ""),
        (None, None, False, ""),
    ],
)
def test_a_difference_is_shaded_by_whether_it_is_better(
    difference, p_value, lower_is_better, shade
):
    change = None if difference is None else Decimal(difference)
    cell = Cell("t", "r", "c", 0.5, against="b", against_difference=change, p_value=p_value)
    assert tone(cell, lower_is_better) == shade
    assert tone(Text("x"), lower_is_better) == ""


def test_n_and_coverage_stand_below_and_text_is_escaped(assembled):
    table = assembled()
    assert "| words-en | 100 | 1.000 | none |" in table.md
    page = Page(table.html)
    rows = [[f"words-{language}", "100", "1.000", "none"] for language in ("en", "fr")]
    assert page.tables[1] == [["Data set", "n", "Coverage", "Dropped"], *rows]
    assert table.md.startswith("# Words \\| \\<rho\\>\n") and "A \\*note\\* & more" in table.md
    assert "<h1>Words | &lt;rho&gt;</h1>" in table.html and "A *note* &amp; more" in table.html
    assert page.texts["caption"].startswith("Own scores")


@pytest.mark.parametrize("comparable", [(), ("bert-mirror",)])
def test_html_and_cells_have_the_values_of_the_tsv(assembled, comparable):
    table = assembled(comparable=comparable, details=True)
    header, *shown = Page(table.html).tables[0]
    assert header[1:] == ["EN n = 100", "FR n = 100", "avg. n = 200"]
    cells = iter(table.cells)
    for line, row in zip(shown, table.rows, strict=True):
        assert line[0].removesuffix(" ↑↓ to BERT-mp") == row["label"]
        for text, label in zip(line[1:], ("EN", "FR", "avg."), strict=True):
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
                numbers = matched.groups() if matched else [""] * len(names)
                assert list(map(decimal_of, numbers)) == list(map(decimal_of, expected))
            assert text.endswith("!") == (row[f"{label} status"] == "outside")
            cell = next(cells)
            place = (cell.row, cell.column.upper().replace("AVG", "avg."), cell.status)
            assert place == (row["row"], label, row[f"{label} status"])
            known = [row[label], *(row[f"{label} {name}"] for name in ("sd", "low", "high"))]
            values = (cell.mean, cell.sd, cell.low, cell.high)
            assert ["" if v is None else f"{v:.3f}" for v in values] == known
    mirror = next(cell for cell in table.cells if (cell.row, cell.column) == ("bert-mirror", "en"))
    against = (mirror.against, mirror.against_difference, mirror.against_low, mirror.against_high)
    # the replicates of the fixture differ by a constant
    assert against == ("bert-mp", Decimal("0.375"), 0.375, 0.375) and mirror.p_value < 0.01


def decimal_of(text):
    return text and Decimal(text)


def test_html_is_whole_and_fetches_nothing(assembled):
    text = assembled(comparable=("bert-mirror",)).html
    page = Page(text)
    assert page.tags["tbody"] == 3 + 1
    inside = {link for link in page.links if link.startswith("#")}
    assert inside <= {f"#{name}" for name in page.ids}
    forms = {f"table01.{ending}" for ending in ("tsv", "md", "tex")}
    assert {*page.links} - inside == forms | {
        *("index.html", "cells/table01.tsv", "run.js", "status.js")
    }
    assert "http" not in text and "url(" not in text and '<html lang="en">' in text


def test_outputs_are_the_same_bytes_again_and_name_no_path(assembled, tmp_path):
    def outputs():
        assembled(comparable=("bert-mirror",))
        files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path / "out")): path.read_bytes() for path in files}

    before = outputs()
    own = {f"table01.{ending}" for ending in ("tsv", "html", "md", "tex")}
    assert before.keys() == own | {"cells/table01.tsv"} and outputs() == before
    assert not any(str(tmp_path).encode() in content for content in before.values())


def test_row_that_the_paper_lacks_is_told_of(assembled, capsys):
    assembled(rows=[{"id": name, "label": name, "not_run": "x"} for name in ("fasttext", "mine")])
    told = "table01: the paper has no row `mine`; it is shown without published values\n"
    assert capsys.readouterr().out == told


def test_columns_of_models_stand_among_the_scores_in_all_forms(make_table, made):
    """They bear on no score, and no cell is one of them."""
    block = make_table(details=True)
    plain = made.assemble(block)
    block["columns"].insert(0, {"id": "size", "label": "Size", "of_model": "parameters"})
    block["columns"].append({"id": "at", "label": "From", "of_model": "address"})
    block["columns"].append({"id": "pieces", "label": "Pieces", "of_model": "vocabulary"})
    for row in block["rows"]:
        row["texts"] = {"size": "110M", "at": "some/model_1@0a", "pieces": "30.5"}
    block["rows"][0]["texts"] = {"size": "–", "at": "–", "pieces": "–"}
    table = made.assemble(block)
    header = markdown_rows(table.md)[0]
    on_page = [text.split(" ")[0] for text in Page(table.html).tables[0][0]]
    assert header == on_page == ["", "Size", "EN", "FR", "From", "Pieces", "avg."]
    for shown in (markdown_rows(table.md), Page(table.html).tables[0]):
        rows = [row for row in shown[1:] if row[0]]
        assert [row[1] for row in rows] == ["–", "110M", "110M", "110M"]
        assert [row[4].replace("\\", "") for row in rows] == ["–", *["some/model_1@0a"] * 3]
        assert [row[5] for row in rows] == ["–", "30.5", "30.5", "30.5"]
    added = ("Size", "From", "Pieces")
    fields = [tuple(row[name] for name in added) for row in table.rows]
    assert fields == [("–", "–", "–"), *[("110M", "some/model_1@0a", "30.5")] * 3]
    assert [name for name in table.header if name not in added] == plain.header
    same = [{name: row[name] for name in plain.header} for row in table.rows]
    assert (same, table.cells) == (plain.rows, plain.cells)
    assert r"& 110M & .250 & \underline{.125} & \url{some/model_1@0a} & 30.5 &" in table.tex
    assert "% needs \\usepackage{booktabs,url}" in table.tex
    # of the first row numbers stand right, the address left, and none opens anything
    assert re.search(r'<td>–</td>\s*<td data-detail="0">', table.html)
    assert re.search(r'<td class="left">–</td>\s*<td>–</td>\s*<td data-detail="2">', table.html)
