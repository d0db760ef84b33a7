"""Pages that show older values than there are: what the terminal and status.js have of them."""

import json

DONE = "open index.html there"
MADE_BEFORE = "It was made before tables/linking was made again."
INDEX, SCORES, CARD = "tables/index", "tables/scores", "tables/scorecard"


def status(small):
    text = (small.folder / "results/tables/status.js").read_text()
    return json.loads(text.removeprefix("window.runStatus = ").removesuffix(";\n"))


def states(small):
    return {page: entry["state"] for page, entry in status(small)["pages"].items()}


def test_after_one_table_is_made_again_others_say_that_they_are_older(workspace, finished):
    assert states(finished) == {}
    with workspace.edited_config() as config:
        config["retrieval"]["linking"]["similarity"] = "cosine"
    said = workspace.succeeds("results/tables/linking.html")
    # what other jobs wrote of their times is shown there
    older = dict.fromkeys([INDEX, SCORES, CARD, "tables/running-time"], "older")
    assert states(workspace) == older
    assert status(workspace)["pages"][INDEX]["why"] == MADE_BEFORE
    assert DONE not in said and "Done. Made: results/tables/linking.html" in said
    pages = "results/tables/index.html, results/tables/scorecard.html"
    assert f"  {pages}: {MADE_BEFORE}\n" in said
    assert (
        "results/tables/scores.tsv: Its contents were made again, or removed, since then." in said
    )
    command = "snakemake all_tables --configfile config/small.yaml --cores 2"
    assert f"To bring everything up to date: {command}\n" in said
    # again the bytes that the index was made from, however new the file is
    with workspace.edited_config() as config:
        config["retrieval"]["linking"]["similarity"] = "dot"
    said = workspace.succeeds("results/tables/linking.html")
    assert states(workspace) == {"tables/running-time": "older"}
    assert DONE in said


def test_times_are_those_of_the_jobs_that_the_config_asks_for(finished):
    results = finished.folder / "results"
    asked = json.loads((results / "tables/blocks/index.json").read_text())["jobs"]
    times = (results / "benchmarks").rglob("*.tsv")
    # the page itself is not yet made when it counts them
    ran = {str(file.relative_to(results / "benchmarks").with_suffix("")) for file in times}
    assert asked == sorted(ran - {"assemble_index"})


def test_after_a_failed_run_the_pages_that_it_did_not_make_say_so(workspace):
    terms = workspace.folder / "resources/sample_data/askapatient/dictionary.txt"
    terms.write_text("no columns\n")
    said = workspace.fails("--keep-going", "all_tables")
    failed = dict.fromkeys([INDEX, SCORES, CARD, "tables/linking", "tables/running-time"], "failed")
    assert states(workspace) == failed
    assert DONE not in said and "These show older values:\n  results/tables/index.html, " in said
    found = status(workspace)
    assert " ended before it made this page again." in found["pages"][INDEX]["why"]
    (line,) = found["failed"]
    assert line.startswith("read_dataset") and "askapatient/dictionary.txt" in line
    # a dry run writes nothing
    workspace.succeeds("--dry-run", "results/tables/models.html", "--forcerun", "assemble_table")
    assert status(workspace) == found
