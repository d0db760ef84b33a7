"""Tables of words and numbers: the models, and running times worked out by hand."""

from typing import Any

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError
from workflow_scripts.tables.kinds.running_time import Job, read_benchmark

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


HEADER = "s h:m:s max_rss max_vms max_uss max_pss io_in io_out mean_load cpu_time"


def benchmark(made, name, *rows):
    """Write a benchmark file as Snakemake does, (seconds, memory, cpu) a row; return its path."""
    lines = [f"{s} 0:00:10 {memory} 4 0.3 0.7 0 0 0 {cpu}" for s, memory, cpu in rows]
    return made.text(name, ["\t".join(line.split()) for line in (HEADER, *lines)])


def times(*groups):
    listed = [{"label": label, "files": files} for label, files in groups]
    block = {"id": "running-time", "kind": "running-time", "title": "Running time"}
    return block | {"notes": ["The paper: 10-20 seconds for an epoch."], "groups": listed}


def test_groups_have_medians_sums_and_largest(made):
    words = [
        benchmark(made, "a.tsv", (10.0, 500, 15)),
        benchmark(made, "b.tsv", (14.0, 700.4, 25)),
        benchmark(made, "c.tsv", (30.0, "NA", "-")),
    ]
    tables = [benchmark(made, "d.tsv", (0.5, 3, 0.1), (1.5, 1200, 1.2))]
    found = made.assemble(times(("words", words), ("Tables", tables), ("None", [])))
    head = "Jobs;Number;Median (s);Longest (s);Sum (s);CPU time, sum (s);Largest memory (MB)"
    expected = [
        head.split(";"),
        ["words", "3", "14.0", "30.0", "54.0", "40.0", "700"],
        ["Tables", "2", "1.0", "1.5", "2.0", "1.3", "1,200"],
        ["None", "0", "–", "–", "–", "–", "–"],
        ["All jobs", "5", "10.0", "30.0", "56.0", "41.3", "1,200"],
    ]
    assert [found.header, *(list(row.values()) for row in found.rows)] == expected
    assert Page(found.html).tables == [expected]
    latex, rules, _ = read_latex_table(found.tex)
    plain = [[f.replace(r"\textbf{", "").rstrip("}").replace("--", "–") for f in r] for r in latex]
    assert plain == expected
    assert rules == [0, 1, 4, 5]
    assert "memory of 1, CPU time of 1 of 5 jobs" in found.md
    assert "10-20 seconds" in found.md


def test_benchmarks_are_read_by_the_names_of_their_columns(made):
    path = made.text("b.tsv", ["cpu_time\tmax_rss\ts", "3\t2\t1", "-\tNA\t1"])
    assert read_benchmark(path) == [Job(1, 2, 3), Job(1, None, None)]
    with pytest.raises(UserError, match=r"b\.tsv:1: the header has no column 'cpu_time'"):
        read_benchmark(made.text("b.tsv", ["s\tmax_rss", "1\t2"]))


def test_no_jobs_give_a_table_and_a_missing_benchmark_a_user_error(made):
    found = made.assemble(times())
    assert found.rows == []
    assert "Not measured" not in found.md
    with pytest.raises(UserError, match=r"none\.tsv: no such file"):
        made.assemble(times(("words", [made.file("none.tsv")])))
