"""Mistakes and faults of config, data and files: one clear line each, nothing half-written.

The run after the fixed one succeeds.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import reduce

import pytest

pytestmark = pytest.mark.slow


def errors_of(small, *options):
    """Return what a run that fails says at its end, a line for each failed job."""
    _, found, lines = small.fails(*options).partition("These jobs failed")
    assert found
    lines, _, _ = lines.partition("These show older values")
    errors = [line for line in lines.splitlines() if line.startswith("  ")]
    assert all(": error: " in line for line in errors)
    return errors


# ---- before the first job ------------------------------------------------------------------------


def test_an_unknown_key_stops_before_any_job(fresh):
    with fresh.edited_config() as config:
        config["recipes"]["mirror-word"]["temprature"] = 0.1
    output = fresh.fails("all_tables")
    assert "unknown key `recipes.mirror-word.temprature`; did you mean 'temperature'?" in output
    assert "error: config/small.yaml: " in output
    assert "Select jobs" not in output


def test_braces_anywhere_in_a_config(fresh):
    """Snakemake would fill `{name}` in texts that rules must get unchanged."""
    root, model = "resources/{da ta}{0:", "resources/models/}{bert en}"
    for old, new in (("resources/sample_data", root), ("resources/models/bert-en-mini", model)):
        (fresh.folder / old).rename(fresh.folder / new)
    with fresh.edited_config() as config:
        config["data"] |= {"root": root, "label": "the {embedded} sampler"}
        config["models"]["bert-en-mini"] = {"path": model, "label": "{BERT} {wildcards.model}"}
        config["downloads"] = {"mirror": "https://{user}", "models": "data/{ }"}
        config["papers"]["mirror-bert"]["title"] = "{first} {{paper}}"
        for table in ("words", "models"):
            config["tables"][table]["title"] = "{Words} {0} {"
        config["tables"]["words"]["rows"][1]["label"] = "{x!r} }"
        config["figures"]["sizes"] |= {"title": "{Sizes}", "caption": "{caption}"}
    assert "tune_encoder model=bert-en-mini" in " ".join(fresh.planned("all_tables"))
    tables = fresh.folder / "results/tables"
    blocks = [f"results/{kind}.json" for kind in ("tables/blocks/words", "figures/blocks/sizes")]
    fresh.succeeds(
        "results/scores/bert-en-mini/base-mp/none/seed0/similarity.tsv",
        "results/tables/models.md",
        *blocks,
    )
    assert "{Words} {0} {" in (tables / "models.md").read_text()
    assert "{BERT} {wildcards.model}" in (tables / "models.md").read_text()
    assert json.loads((tables / "blocks/words.json").read_text())["title"] == "{Words} {0} {"


PATHS = {
    "data.root": "raw/{bert}",
    "models.bert-en-mini": {"path": "a/{model}"},
    "results": "{x, .*}",
    "corpora.sentences-en.path": "{0}.txt",
}


@pytest.mark.parametrize("key", PATHS)
def test_a_path_that_snakemake_would_fill_in_is_named(fresh, key):
    *above, last = key.split(".")
    with fresh.edited_config() as config:
        reduce(dict.get, above, config)[last] = PATHS[key]
    output = fresh.fails("--dry-run", "all_tables")
    assert output.splitlines()[-1].startswith("error: ")
    path = PATHS[key] if isinstance(PATHS[key], str) else PATHS[key]["path"]
    assert f"Snakemake takes {re.search('{.*}', path)[0]}" in output


def test_two_runs_of_the_same_results_do_not_mix(fresh):
    """The second one is refused in one line while the lock of the first is held."""
    code = (
        "import time; from pathlib import Path; "
        "from workflow_scripts.runtime.run_lock import hold_run_lock; "
        "hold_run_lock(Path('results/.workflow')); print('held', flush=True); time.sleep(100)"
    )
    command = [sys.executable, "-c", code]
    holder = subprocess.Popen(command, cwd=fresh.folder, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        said = fresh.fails("all_tables")
        assert "another run of this workflow is active" in said
        # nothing is planned before
        assert said.splitlines()[-1].startswith("error: ") and "jobs" not in said
        fresh.succeeds("--dry-run", "all_tables")
        # one of other results continues
        fresh.succeeds("--config", "results=others", "--", "others/corpora/words-fr.txt")
    finally:
        holder.kill()
        holder.wait()


# ---- data sets -----------------------------------------------------------------------------------


def test_data_sets_with_a_malformed_row_an_id_twice_or_no_gold(fresh):
    """Each is read by itself; fixed they go through."""
    data = fresh.folder / "resources/sample_data"
    similar = data / "sick/semeval2014/SICK_test_annotated.txt"
    words = data / "multi-simlex/translation.csv"
    gold = sorted(data.glob("semeval-sts-original/STS13-en-test/STS.gs.*"))
    whole = {file: file.read_bytes() for file in (similar, words, *gold)}
    lines = whole[similar].split(b"\n")
    similar.write_bytes(b"\n".join([*lines[:3], b"only one column", *lines[3:]]))
    header, first, second, *rest = whole[words].split(b"\n")
    identity = first.split(b",")[0]
    again = b",".join([identity, *second.split(b",")[1:]])
    words.write_bytes(b"\n".join([header, first, again, *rest]))
    for file in gold:
        file.write_bytes(b"\n" * whole[file].count(b"\n"))

    names = ("sickr", "multisimlex-en", "sts13")
    targets = [f"results/datasets/{name}/items.json" for name in names]
    errors = errors_of(fresh, *targets)
    assert len(errors) == 3
    said = " ".join(errors)
    assert "SICK_test_annotated.txt:4:" in said
    assert f"translation.csv:3: ID {identity.decode()!r} occurs twice; remove one row" in said
    assert "data set 'sts13': no pair with a gold score" in said
    assert not any((fresh.folder / target).exists() for target in targets)
    for file, body in whole.items():
        file.write_bytes(body)
    fresh.succeeds(*targets)


def linking_cells(small):
    """Return the values of the table `linking` by column, as its tsv has them."""
    text = (small.folder / "results/tables/linking.tsv").read_text()
    header, row = (line.split("\t") for line in text.splitlines())
    return dict(zip(header, row, strict=True))


def test_a_missing_gated_set(workspace):
    column = {"id": "cometa@1", "label": "COMETA", "dataset": "cometa"}
    with workspace.edited_config() as config:
        config["tables"]["linking"]["columns"].append(column)
        config["tables"]["linking"] |= {"paper": "mirror-bert", "reference": "table02"}
    there, away = workspace.folder / "resources/sample_data/cometa", workspace.folder / "cometa"
    shutil.move(there, away)
    output = workspace.fails("all_tables")
    assert "cometa/splits/stratified_general/test.csv: no such file" in output
    assert "README of https://github.com/cambridgeltl/cometa links copies of COMETA" in output
    assert "data.missing: skip" in output
    assert "Select jobs" not in output

    with workspace.edited_config() as config:
        config["data"]["missing"] = "skip"
    workspace.succeeds("all_tables")
    reason = "data set cometa: test.csv is not in the data root"
    for page in ("linking.md", "scorecard.md"):
        assert reason in (workspace.folder / "results/tables" / page).read_text()
    assert linking_cells(workspace)["AskAPatient"]
    assert not linking_cells(workspace)["COMETA"]

    shutil.move(away, there)
    assert {"read_dataset dataset=cometa", "assemble_table table=linking"} <= set(
        workspace.planned()
    )


def test_what_was_cut_since_it_was_made_is_named_before_any_job(fresh):
    """A corpus, which would else be tuned on as it is."""
    target, corpus = "results/corpora/words-en-fr.txt", "results/corpora/words-en.txt"
    fresh.succeeds(target)
    whole = (fresh.folder / target).read_bytes()
    os.truncate(fresh.folder / corpus, 100)
    said = fresh.fails(target)
    assert said.splitlines()[-1].startswith(f"error: {corpus}: changed since a job made it; remove")
    (fresh.folder / corpus).unlink()
    (fresh.folder / target).unlink()
    fresh.succeeds(target)
    assert (fresh.folder / target).read_bytes() == whole
