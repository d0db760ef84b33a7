"""The page that links the tables, and the file of all scores."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from table_files import make_score

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score, read_scores, write_scores
from workflow_scripts.tables import assemble_index, assemble_scores

BLOCK: dict[str, Any] = {
    "tables": [{"id": "table01", "title": "Words & more"}, {"id": "table03", "title": "STS"}],
    "figures": [{"id": "figure04", "title": "ROC <curve>"}],
    "seeds": [33, 44],
    "data": "the embedded sampler",
    "paper": False,
    "models": {"mini": "a <small> model"},
}


def score(**changes: Any) -> Score:
    return make_score(**({"dataset": "d", "value": 0.5} | changes))


def merged(tmp_path: Path, *files: list[Score]) -> list[Score]:
    paths = [tmp_path / f"{number}.tsv" for number in range(len(files))]
    for path, scores in zip(paths, files, strict=True):
        write_scores(path, scores)
    output = tmp_path / "scores.tsv"
    assemble_scores.main(["--output", str(output), "--scores", *map(str, paths)])
    return read_scores(output)


def test_scores_are_sorted_with_seeds_as_numbers(tmp_path: Path) -> None:
    a, b, c = score(seed=4), score(seed=33), score(model="a")
    assert merged(tmp_path, [b, a], [c]) == [c, a, b]


def test_score_of_two_suites_is_kept_once(tmp_path: Path) -> None:
    assert merged(tmp_path, [score()], [score()]) == [score()]


def test_contradicting_scores_are_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"1\.tsv: spearman of dataset `d` differs.*0\.tsv"):
        merged(tmp_path, [score()], [score(value=0.6)])
    assert not (tmp_path / "scores.tsv").exists()


def test_no_scores_give_a_header_alone(tmp_path: Path) -> None:
    assert merged(tmp_path) == []


def test_index_links_each_table_and_names_what_made_them(tmp_path: Path) -> None:
    output = tmp_path / "index.html"
    assemble_index.main(["--block", json.dumps(BLOCK), "--output", str(output)])
    text = output.read_text(encoding="utf-8")
    links = re.findall(r'href="([^"]*)"', text)
    assert links == [
        *(f"scorecard.{ending}" for ending in ("html", "tsv", "md")),
        *(f"table01.{ending}" for ending in ("html", "tsv", "md", "tex")),
        *(f"table03.{ending}" for ending in ("html", "tsv", "md", "tex")),
        "scores.tsv",
        *(f"../figures/figure04.{ending}" for ending in ("png", "svg", "tsv", "md")),
    ]
    assert '<img src="../figures/figure04.png" alt="ROC &lt;curve&gt;">' in text
    assert text.index("scorecard.html") < text.index("table01.html")
    assert "Words &amp; more" in text
    assert "a &lt;small&gt; model" in text
    assert "the embedded sampler" in text
    assert "33, 44" in text
    assert "nothing here reproduces the paper" in text
    assert "torch" in text
    first = output.read_bytes()
    assemble_index.main(["--block", json.dumps(BLOCK), "--output", str(output)])
    assert output.read_bytes() == first


def test_index_without_figures_has_no_heading_for_them() -> None:
    block = {key: value for key, value in BLOCK.items() if key != "figures"}
    page = assemble_index.render_index(assemble_index.parse_index(json.dumps(block)), {})
    assert "<h2>Figures</h2>" not in page
    assert "<img" not in page


def test_index_of_the_papers_data_makes_no_reservation() -> None:
    index = assemble_index.parse_index(json.dumps(BLOCK | {"paper": True}))
    assert "reproduces" not in assemble_index.render_index(index, {"python": "3"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "--block: not valid JSON"),
        ("{}", "--block: option 'tables' is missing"),
        (json.dumps(BLOCK | {"more": 1}), "--block: unknown option 'more'"),
        (json.dumps(BLOCK | {"seeds": 3}), "--block: option 'seeds' must be list"),
        (json.dumps(BLOCK | {"tables": ["t"]}), "--block: `tables`: expected a block of keys"),
        (json.dumps(BLOCK | {"figures": [{"id": "f"}]}), "`figures`: option 'title' is missing"),
        (
            json.dumps(BLOCK | {"tables": BLOCK["tables"] * 2}),
            "--block: `tables`: `table01` twice",
        ),
    ],
)
def test_malformed_index_is_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        assemble_index.parse_index(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        "assemble_grid",
        "assemble_index",
        "assemble_models",
        "assemble_running_time",
        "assemble_scorecard",
        "assemble_scores",
        "assemble_table",
    ],
)
def test_commands_start_without_heavy_packages(project: Path, command: str) -> None:
    heavy = "{'torch', 'transformers', 'faiss', 'scipy', 'numpy', 'pandas'}"
    code = (
        f"import sys, workflow_scripts.tables.{command};"
        f"found = {heavy} & set(sys.modules); assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], cwd=project, check=True)


def test_user_error_is_one_line_and_no_traceback(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workflow_scripts.tables.assemble_table"]
    command += ["--table-json", "{", "--output-prefix", str(tmp_path / "t")]
    command += ["--cells", str(tmp_path / "c")]
    run = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("error: --table-json: not valid JSON")
    assert run.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
