"""Tables of words and numbers: the models, and running times worked out by hand."""

import re
from typing import Any

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError

HUB = "https://huggingface.co/"
BERT, TURKISH = f"{HUB}bert-base-uncased", "dbmdz/bert-base-turkish-uncased"
MODELS: dict[str, Any] = {
    **{"id": "table15", "kind": "models", "title": "Table 15. Models"},
    "notes": ["Revisions are pinned."],
    "models": [
        {"id": name, "label": label, "location": here, "paper": paper} | published
        for name, label, here, paper, published in (
            ("bert-en", "BERT (English)", "bert-base-uncased@0a1b", True, {"published": BERT}),
            ("bert-tr", "Turkish BERT", "bert_tr_mini", False, {"published": TURKISH}),
            ("mine", "Own & new", "mine", False, {}),
        )
    ],
}


def test_models_stand_beside_the_papers(made):
    found = made.assemble(MODELS)
    expected = [
        ["Model", "In the paper", "Here", "The paper's"],
        ["BERT (English)", BERT, "bert-base-uncased@0a1b", "yes"],
        ["Turkish BERT", TURKISH, "bert_tr_mini", "no"],
        ["Own & new", "–", "mine", "no"],
    ]
    page = Page(found.html)
    assert page.tables == [expected]
    assert {link for link in page.links if "http" in link} == {BERT, HUB + TURKISH}
    assert [found.header, *(list(row.values()) for row in found.rows)] == expected
    rows, _, caption = read_latex_table(found.tex)
    assert rows[2][2] == r"\url{bert_tr_mini}"
    assert r"% needs \usepackage{booktabs,url}" in found.tex
    assert rows[3][:2] == [r"Own \& new", "--"]
    assert caption == "Models"
    for text in (found.md, found.html):
        assert "1 of 3 models are the paper's." in text
        assert "Revisions are pinned." in text


def benchmark(made, name, seconds, memory, processor):
    """Write what a job took, among what else jobs write; return the path."""
    return made.text(name, ["cpu_time\th:m:s\tmax_rss\ts", f"{processor}\t-\t{memory}\t{seconds}"])


def times(**groups):
    listed = [{"label": label, "files": files} for label, files in groups.items()]
    block = {"id": "running-time", "kind": "running-time", "title": "Running time"}
    return block | {"notes": ["The paper: 10-20 seconds for an epoch."], "groups": listed}


def test_groups_have_medians_sums_and_largest(made):
    words = [
        benchmark(made, "a.tsv", 10.0, 500, 15),
        benchmark(made, "b.tsv", 14.0, 700.4, 25),
        benchmark(made, "c.tsv", 30.0, 20, 0),
    ]
    tables = [benchmark(made, "d.tsv", 0.5, 3, 0.1), benchmark(made, "e.tsv", 1.5, 1200, 1.2)]
    forms = made.assemble(times(words=words, Tables=tables))
    head = "Jobs;Number;Median (s);Longest (s);Sum (s);CPU time, sum (s);Largest memory (MB)"
    expected = [
        head.split(";"),
        ["words", "3", "14.0", "30.0", "54.0", "40.0", "700"],
        ["Tables", "2", "1.0", "1.5", "2.0", "1.3", "1,200"],
        ["All jobs", "5", "10.0", "30.0", "56.0", "41.3", "1,200"],
    ]
    assert [forms.header, *(list(row.values()) for row in forms.rows)] == expected
    assert Page(forms.html).tables == [expected]
    latex, rules, _ = read_latex_table(forms.tex)
    assert [[re.sub(r"\\textbf{(.*)}", r"\1", field) for field in row] for row in latex] == expected
    assert rules == [0, 1, 3, 4]
    assert "10-20 seconds" in forms.md


def test_no_jobs_give_a_table_and_a_missing_benchmark_or_column_a_user_error(made):
    assert made.assemble(times()).rows == []
    with pytest.raises(UserError, match=r"none\.tsv: no such file"):
        made.assemble(times(words=[made.file("none.tsv")]))
    with pytest.raises(UserError, match=r"b\.tsv:1: the header has no column 'cpu_time'"):
        made.assemble(times(words=[made.text("b.tsv", ["s\tmax_rss", "1\t2"])]))
