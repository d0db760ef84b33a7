"""The LaTeX of tables: it would compile, shows the own values, and escapes every text."""

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latex_reading import RESIZED, read_latex_table

from workflow_scripts.tables.document import LEFT, Column, Document, Sheet, text_row
from workflow_scripts.tables.render import latex_text, render


def test_rows_hold_the_own_values_with_best_and_second_best(assembled):
    text = assembled(comparable=("bert-mirror",), details=True).tex
    rows, rules, caption = read_latex_table(text)
    change = r"{\scriptsize$\uparrow$.250*}"
    best = ((".625", ".177", ""), (".250", ".000", ""), (".438", ".088", change))
    assert rows == [
        ["", "EN", "FR", "avg."],
        ["BERT-mp", ".250", r"\underline{.125}", r"\underline{.188}"],
        ["+ Mirror", *(rf"\textbf{{{m}}}{{\scriptsize$\pm${sd}}}{arrow}" for m, sd, arrow in best)],
        ["+ Mirror", r"\underline{.500}", "--", "--"],
    ]
    # \toprule, then a rule below the header and between the families, and \bottomrule
    assert rules == [0, 1, 3, 4]
    assert caption.startswith(
        r"Words \textbar{} \textless{}rho\textgreater{}. Data: the sample data."
    )
    assert "Bold and underline" in caption and "comparable" not in caption
    assert "(+ Mirror to BERT-mp)" in caption and r"p \textless{} .05" in caption
    assert r"\label{tab:table01}" in text
    # made smaller where it is too wide
    assert RESIZED in text and text.startswith("% needs \\usepackage{booktabs,graphicx}\n")


def test_published_values_are_comments_unless_they_are_asked_for(assembled):
    text = assembled().tex
    # of rows that were not run nothing is left
    assert "fast" not in text
    assert "% paper, bert-mirror: .556 & .245 & .471\n" in text
    assert "paper, mbert-mirror" not in text
    assert ".556" not in re.sub(r"%.*", "", text)


def test_published_values_and_rows_not_run_are_shown_by_an_option(assembled):
    text = assembled(style={"published": True}).tex
    rows, _, caption = read_latex_table(text)
    italics = [rf"{{\scriptsize\textit{{{value}}}}}" for value in (".528", ".556", ".245", ".471")]
    assert rows[1:3] == [["fastText", "--", "--", "--"], ["", italics[0], "", ""]]
    assert ["", *italics[1:]] in rows and "% paper" not in text
    assert "In italics: the paper's values. No value is comparable with the paper's." in caption


def test_intervals_are_shown_by_an_option(assembled):
    shown = assembled(details=True, style={"intervals": True})
    rows, _, caption = read_latex_table(shown.tex)
    (row,) = (row for row in shown.rows if row["row"] == "bert-mp")
    ends = (Decimal(row[f"EN {end}"]) for end in ("low", "high"))
    low, high = (str(end).removeprefix("0") for end in ends)
    assert rows[1][0] == "BERT-mp" and rows[2][:2] == ["", rf"{{\tiny[{low}, {high}]}}"]
    assert "In brackets: 95% bootstrap" in caption.replace("\\%", "%")
    # without replicates there are none
    assert "tiny" not in assembled(style={"intervals": True}).tex


@pytest.mark.parametrize(
    ("title", "caption"),
    [
        ("Table 3. English STS, rho", "English STS, rho"),
        ("CMLM, Table 11. Runs", "Runs"),
        ("Table 2 with other names", "With other names"),
        ("My Table 2. Words", "My Table 2. Words"),
    ],
)
def test_a_caption_leaves_the_number_to_latex(title, caption):
    sheet = Sheet((Column("", LEFT),), ((text_row("a"),),))
    assert read_latex_table(render(Document("t", title, (sheet,)), "tex"))[2] == caption


def test_table_without_average_has_arrows_in_all_columns(assembled):
    rows, _, caption = read_latex_table(assembled(average=False).tex)
    assert [field.split("arrow$")[-1] for field in rows[2][1:]] == [".375}", ".125}"]
    # without replicates nothing is tested
    assert "bootstrap" not in caption


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50% of R&D_1 #2", r"50\% of R\&D\_1 \#2"),
        (r"a\b{c}$", r"a\textbackslash{}b\{c\}\$"),
        ("x^2 ~ <y>", r"x\textasciicircum{}2 \textasciitilde{} \textless{}y\textgreater{}"),
        ("“ρ” – τ", r"``$\rho$'' -- $\tau$"),
        ("two\nlines", "two lines"),
    ],
)
def test_special_characters_are_escaped(text, latex):
    assert latex_text(text) == latex


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]) | st.just("±")))
def test_any_text_gives_a_table_that_compiles(text):
    sheet = Sheet((Column("", LEFT), Column(text)), ((text_row(text, text),),))
    table = render(Document("t", text, (sheet,), comments=(text,)), "tex")
    rows, _, caption = read_latex_table(table)
    assert rows == [["", latex_text(text)], [latex_text(text)] * 2]
    assert caption == latex_text(text)
