"""The LaTeX of tables: it would compile, shows the own values, and escapes every text."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from latex_reading import read_latex_table

from workflow_scripts.tables.assemble_table import main
from workflow_scripts.tables.latex import latex_table, latex_text

MakeTable = Callable[..., list[str]]


def latex_of(arguments: list[str]) -> str:
    main(arguments)
    return Path(f"{arguments[-1]}.tex").read_text(encoding="utf-8")


def test_rows_hold_the_own_values_with_best_and_second_best(make_table: MakeTable) -> None:
    text = latex_of(make_table(comparable=("bert-mirror",), details=True))
    rows, rules, caption = read_latex_table(text)
    assert rows == [
        ["", "EN", "FR", "avg."],
        ["fastText", "--", "--", "--"],
        ["BERT-mp", ".250", r"\underline{.125}", r"\underline{.188}"],
        [
            "+ Mirror",
            r"\textbf{.625}{\scriptsize$\pm$.177}",
            r"\textbf{.250}{\scriptsize$\pm$.000}",
            r"\textbf{.438}{\scriptsize$\pm$.088}{\scriptsize$\uparrow$.250*}",
        ],
        ["+ Mirror", r"\underline{.500}", "--", "--"],
    ]
    # \toprule, then a rule below the header and between the families, and \bottomrule
    assert rules == [0, 1, 2, 4, 5]
    assert caption.startswith(r"Words \textbar{} \textless{}rho\textgreater{}. Data: the sampler.")
    assert "Not all values are comparable with those of Liu et al. (2021)." in caption
    assert "Bold and underline" in caption
    assert "(+ Mirror to BERT-mp)" in caption
    assert r"p \textless{} .05" in caption
    assert r"\label{tab:table01}" in text


def test_published_values_stand_in_comments_alone(make_table: MakeTable) -> None:
    text = latex_of(make_table())
    assert "% paper, fasttext: .528 & -- & --\n" in text
    assert "% paper, bert-mirror: .556 & .245 & .471\n" in text
    assert "paper, mbert-mirror" not in text
    shown = re.sub(r"%.*", "", text)
    assert ".528" not in shown
    assert "No value is comparable with those of Liu et al. (2021)." in shown


def test_table_without_average_has_arrows_in_all_columns(make_table: MakeTable) -> None:
    rows, _, caption = read_latex_table(latex_of(make_table(average=False)))
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
def test_special_characters_are_escaped(text: str, latex: str) -> None:
    assert latex_text(text) == latex


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]) | st.just("±")))
def test_any_text_gives_a_table_that_compiles(text: str) -> None:
    table = latex_table("t", text, "lr", ["", latex_text(text)], [[]], [text])
    rows, _, caption = read_latex_table(table)
    assert rows == [["", latex_text(text)]]
    assert caption == latex_text(text)
