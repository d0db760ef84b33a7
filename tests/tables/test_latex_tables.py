"""The LaTeX of tables: it would compile, shows the own values, and escapes every text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from latex_reading import read_latex_table

from workflow_scripts.tables.document import LEFT, Column, Document, Sheet, text_row
from workflow_scripts.tables.render import latex_text, render


def test_rows_hold_the_own_values_with_best_and_second_best(assembled):
    text = assembled(comparable=("bert-mirror",), details=True).tex
    rows, rules, caption = read_latex_table(text)
    change = r"{\scriptsize$\uparrow$.250*}"
    best = ((".625", ".177", ""), (".250", ".000", ""), (".438", ".088", change))
    assert rows == [
        ["", "EN", "FR", "avg."],
        ["fastText", "--", "--", "--"],
        ["BERT-mp", ".250", r"\underline{.125}", r"\underline{.188}"],
        ["+ Mirror", *(rf"\textbf{{{m}}}{{\scriptsize$\pm${sd}}}{arrow}" for m, sd, arrow in best)],
        ["+ Mirror", r"\underline{.500}", "--", "--"],
    ]
    # \toprule, then a rule below the header and between the families, and \bottomrule
    assert rules == [0, 1, 2, 4, 5]
    assert caption.startswith(
        r"Words \textbar{} \textless{}rho\textgreater{}. Data: the sample data."
    )
    for words in ("Not all values are comparable with the paper's.", "Bold and underline"):
        assert words in caption
    assert "(+ Mirror to BERT-mp)" in caption and r"p \textless{} .05" in caption
    assert r"\label{tab:table01}" in text


def test_published_values_synthetic_files_comments_alone(assembled):
    text = assembled().tex
    assert "% paper, fasttext: .528 & -- & --\n" in text
    assert "% paper, bert-mirror: .556 & .245 & .471\n" in text
    assert "paper, mbert-mirror" not in text
    shown = re.sub(r"%.*", "", text)
    assert ".528" not in shown
    assert "No value is comparable with the paper's." in shown


def test_table_without_average_has_arrows_in_all_columns(assembled):
    rows, _, caption = read_latex_table(assembled(average=False).tex)
    assert [field.split("arrow$")[-1] for field in rows[3][1:]] == [".375}", ".125}"]
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
