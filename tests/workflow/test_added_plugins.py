"""A second method, task with a metric, kind of table and paper: a file and a line each."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

ADDED = Path(__file__).parent / "added"
# (file, folder below workflow_scripts, name of the register's tuple if it has one)
PACKAGES = (
    ("push.py", "tuning/methods", "METHODS"),
    ("distance.py", "scoring/tasks", "TASKS"),
    ("titles.py", "tables/kinds", "KINDS"),
    # the primary metric of a task has no line
    ("mean_distance.py", "scoring/metrics", None),
)


def register(small):
    for file, package, names in PACKAGES:
        folder = small.folder / "workflow_scripts" / package
        shutil.copy2(ADDED / file, folder)
        if names is None:
            continue
        text = (folder / "register.py").read_text()
        line = f'{names} = ("{Path(file).stem}", '
        (folder / "register.py").write_text(re.sub(rf"^{names} = \(", line, text, flags=re.M))


def add_paper(small):
    (small.folder / "config" / "papers").mkdir(exist_ok=True)
    shutil.copy2(ADDED / "other.yaml", small.folder / "config" / "papers" / "other.yaml")
    reference = small.folder / "config" / "reference" / "other"
    reference.mkdir()
    values = "table\trow\tcolumn\tvalue\nother01\tplain\ten\t1.5\n"
    (reference / "other01.tsv").write_text(values)
    with small.edited_config() as config:
        config["base"].append("papers/other.yaml")


@pytest.mark.nightly
def test_what_is_added_runs_to_its_table_beside_the_first_paper_s(workspace):
    register(workspace)
    # no step of the first paper reads a register
    assert workspace.planned() == []
    add_paper(workspace)
    own = "model=bert-en-mini, recipe={}, corpus={}, seed={}".format
    tuned = [own("push", "words-en", 33), own("push-on", "words-fr", 33)]
    jobs = {
        "read_dataset dataset=apart",
        *(f"tune_encoder {one}" for one in tuned),
        *(
            f"{rule} {one}, suite=distance"
            for rule in ("embed_suite", "score_suite")
            for one in (own("base-mp", "none", 0), tuned[1])
        ),
        *(f"assemble_table table={table}" for table in ("other01", "other02", "running-time")),
        *("assemble_scores", "assemble_scorecard", "assemble_index", "all_tables"),
    }
    planned = [job for job in workspace.planned() if not job.startswith("write_table_block")]
    assert set(planned) == jobs

    before = workspace.tables()
    workspace.succeeds("all_tables")
    results = workspace.folder / "results"
    after = workspace.tables()
    shared = ("scores.tsv", "scorecard", "index.html", "blocks/")
    assert {name for name in before if before[name] != after[name]} <= {
        name for name in before if any(part in name for part in shared)
    }
    assert "hello" in (results / "tables/other02.md").read_text()
    table = (results / "tables/other01.md").read_text()
    assert "1.5" in table and "pushed" in table
    written = results / "encoders/bert-en-mini/push-on/words-fr/seed33/encoder.json"
    encoder = json.loads(written.read_text())
    assert encoder["recipe"]["method"] == "push" and encoder["tuning"]["steps"] == 3
    # it continues from another encoder, and is tuned again with it
    assert encoder["start"]["recipe_name"] == "push"
    paper = workspace.folder / "config" / "papers" / "other.yaml"
    paper.write_text(paper.read_text().replace("steps: 3", "steps: 2"))
    assert {f"tune_encoder {one}" for one in tuned} <= set(workspace.planned())
    paper.write_text(paper.read_text().replace("steps: 2", "steps: 3"))
    # against a plain computation
    items = json.loads((results / "datasets/apart/items.json").read_text())
    folder = "bert-en-mini/base-mp/none/seed0/distance"
    vectors = np.load(results / f"embeddings/{folder}.npy").astype(np.float64)
    apart = np.linalg.norm(vectors[items["left"]] - vectors[items["right"]], axis=1).mean()
    header, row = (results / f"scores/{folder}.tsv").read_text().splitlines()
    value = dict(zip(header.split("\t"), row.split("\t"), strict=True))["value"]
    assert float(value) == pytest.approx(apart, abs=1e-5)

    # a target for each paper
    (results / "tables/other02.html").unlink()
    assert "assemble_table table=other02" in workspace.planned("other_tables")
    assert workspace.planned("mirror_bert_tables") == []
