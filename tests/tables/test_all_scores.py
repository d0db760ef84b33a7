"""The file of all scores, and how the commands start."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from result_files import make_score

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds import register as figures
from workflow_scripts.scoring.tidy_scores import read_scores, write_scores
from workflow_scripts.tables import assemble_scores
from workflow_scripts.tables.kinds import register as tables


def score(**changes):
    return make_score(**({"dataset": "d", "value": 0.5} | changes))


def merged(tmp_path, *files):
    paths = [tmp_path / f"{number}.tsv" for number in range(len(files))]
    for path, scores in zip(paths, files, strict=True):
        write_scores(path, scores)
    block, output = tmp_path / "block.json", tmp_path / "scores.tsv"
    block.write_text(json.dumps(list(map(str, paths))))
    assemble_scores.main(["--block", str(block), "--output", str(output)])
    return read_scores(output)


def test_scores_are_sorted_with_seeds_as_numbers_and_kept_once(tmp_path):
    a, b, c = score(seed=4), score(seed=33), score(model="a")
    assert merged(tmp_path, [b, a], [c], [a]) == [c, a, b]
    assert merged(tmp_path) == []


def test_contradicting_scores_are_a_user_error(tmp_path):
    with pytest.raises(UserError, match=r"1\.tsv: spearman of dataset `d` differs.*0\.tsv"):
        merged(tmp_path, [score()], [score(value=0.6)])
    assert not (tmp_path / "scores.tsv").exists()


STEPS = [f"tables.assemble_{what}" for what in ("index", "scorecard", "scores", "table")]
KINDS = [f"tables.kinds.{kind}" for kind in tables.KINDS]
KINDS += [f"figures.kinds.{kind}" for kind in figures.KINDS]


@pytest.mark.parametrize(
    ("names", "heavy"),
    [
        (STEPS, "torch transformers faiss scipy numpy pandas"),
        (["figures.draw_figure"], "torch scipy matplotlib faiss"),
        # read wherever a config is: a mistake in it is reported before anything heavy is read
        (KINDS, "torch transformers faiss scipy numpy pandas matplotlib"),
    ],
)
def test_commands_and_kinds_start_without_heavy_packages(project, names, heavy):
    modules = ", ".join(f"workflow_scripts.{name}".replace("-", "_") for name in names)
    code = f"import sys, {modules}; print(sorted({{*sys.modules}} & {{*{heavy.split()}}}))"
    command = [sys.executable, "-c", code]
    assert subprocess.check_output(command, cwd=project, text=True) == "[]\n"


# one argument of a command holds 128 KiB at most on Linux
def test_five_thousand_files_go_by_block(project, tmp_path):
    """Through the rule that writes a block, and the step that reads it."""
    folder = tmp_path / "results/benchmarks/score_suite/model/recipe-of-some-length/corpus"
    folder.mkdir(parents=True)
    files = [str(folder / f"seed{number}.tsv") for number in range(5000)]
    for file in files:
        Path(file).write_text("s\tmax_rss\tcpu_time\n1.5\t200\t1.0\n")
    text = "{{ x }} {b} 'q' \"d\" <é ρ> & {% raw %}"
    groups = [{"label": "all", "files": files}]
    block = {"id": "t", "kind": "running-time", "title": text, "notes": [], "groups": groups}
    (tmp_path / "made.json").write_text(json.dumps(block, ensure_ascii=False), encoding="utf-8")
    rules = (project / "rules/tables.smk").read_text()
    rule = rules[rules.index("rule write_table_block") : rules.index("rule assemble_table")]
    rule = rule.replace('outputs.block("tables", wildcards.table)', "open('made.json').read()")
    rule = rule.replace("<results>", "results").replace("project_file", "str")
    (tmp_path / "Snakefile").write_text(rule)
    (tmp_path / "rules").symlink_to(project / "rules")
    target = "results/tables/blocks/t.json"
    snakemake = [sys.executable, "-m", "snakemake", target, "--cores", "1", "-q", "all"]
    subprocess.run(snakemake, cwd=tmp_path, check=True)
    assert json.loads((tmp_path / target).read_text(encoding="utf-8")) == block
    command = [sys.executable, "-m", "workflow_scripts.tables.assemble_table", "--block", target]
    command += ["--output-prefix", "t", "--cells", "cells.tsv"]
    subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(project)}, check=True)
    row = (tmp_path / "t.tsv").read_text().splitlines()[1]
    assert row.startswith("all\t5,000\t1.5\t1.5\t7,500")
