"""Only what a change touches runs again: proven by dry runs over one real run."""

import os
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

SUMMARY = ["all_tables", "assemble_index", "assemble_scores"]


def rules(jobs):
    return {job.split()[0] for job in jobs}


def edit(file, text="\n# an edit\n"):
    file.write_text(file.read_text() + text)


def test_a_finished_run_has_nothing_to_do(workspace):
    assert workspace.planned() == []


def test_touching_every_file_reruns_nothing(workspace):
    later = time.time() + 60
    for file in sorted(workspace.folder.rglob("*")):
        if file.is_file() and ".snakemake" not in file.relative_to(workspace.folder).parts:
            os.utime(file, (later, later))
    assert workspace.planned() == []


def test_another_temperature_reruns_that_branch_and_its_table_only(workspace):
    config = workspace.read_config()
    config["recipes"]["mirror-sentence"]["temperature"] = 0.05
    workspace.write_config(config)
    branch = "model=bert-en-mini, recipe=mirror-sentence, corpus=sentences-en, seed=33"
    assert workspace.planned() == sorted(
        [
            f"tune_mirror {branch}",
            f"embed_suite {branch}, suite=sts-en",
            f"score_suite {branch}, suite=sts-en",
            "assemble_table table=sentences",
            *SUMMARY,
        ]
    )


def test_an_added_model_runs_its_own_jobs_only(workspace):
    config = workspace.read_config()
    config["tables"]["sentences"]["rows"].append(
        {"id": "multi-mp", "label": "multi", "model": "bert-multi-mini", "recipe": "base-mp"}
    )
    workspace.write_config(config)
    encoder = "model=bert-multi-mini, recipe=base-mp, corpus=none, seed=0, suite=sts-en"
    assert workspace.planned() == sorted(
        [
            f"embed_suite {encoder}",
            f"score_suite {encoder}",
            "assemble_table table=sentences",
            *SUMMARY,
        ]
    )


@pytest.mark.parametrize(
    ("module", "first", "others"),
    [
        ("tuning/span_masking.py", {"tune_mirror"}, {"read_suite", "sample_sentences"}),
        (
            "scoring/similarity.py",
            {"score_suite"},
            {"tune_mirror", "embed_suite", "induce_lexicon", "score_lexicon"},
        ),
        ("retrieval/csls.py", {"induce_lexicon"}, {"embed_suite", "score_suite", "link_entities"}),
        (
            "tables/render.py",
            {"assemble_table"},
            {"score_suite", "embed_suite", "assemble_scores"},
        ),
    ],
)
def test_an_edited_module_reruns_its_users_only(workspace, module, first, others):
    edit(workspace.folder / "workflow_scripts" / module)
    planned = rules(workspace.planned())
    assert first <= planned
    assert not planned & others


def test_another_sentence_of_one_data_set_reruns_its_suite_only(workspace):
    file = (
        workspace.folder / "resources/sampler/semeval-sts-original/STS12-en-test"
    ) / "STS.input.MSRvid.txt"
    lines = file.read_text().split("\n")
    lines[0] = lines[0] + " Indeed."
    file.write_text("\n".join(lines))
    planned = workspace.planned()
    assert "read_suite suite=sts-en" in planned
    assert all("suite=sts-en" in job for job in planned if "suite=" in job)
    assert rules(planned) == {
        *("read_suite", "embed_suite", "score_suite"),
        *("assemble_table", *SUMMARY),
    }
    assert [job for job in planned if "table=" in job] == ["assemble_table table=sentences"]


def test_a_real_rerun_after_a_change_gives_what_a_fresh_run_gives(workspace, fresh):
    """One real run: the cached branches and the new one together equal a run from nothing."""
    for small in (workspace, fresh):
        config = small.read_config()
        config["recipes"]["mirror-sentence"]["temperature"] = 0.05
        small.write_config(config)
        result = small.run("results/tables/sentences.tsv", "results/tables/words.tsv")
        assert result.returncode == 0, result.stdout + result.stderr
    changed, anew = workspace.tables(), fresh.tables()
    assert changed["sentences.tsv"] == anew["sentences.tsv"]
    assert changed["words.tsv"] == anew["words.tsv"]
