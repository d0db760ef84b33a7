"""Only what a change touches runs again: proven by dry runs over one real run."""

import os
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

PAGES = ["all_tables", "assemble_index"]
# what follows any score: the table of times is of the jobs that ran
SUMMARY = [
    *PAGES,
    "assemble_scores",
    "assemble_scorecard",
    "assemble_running_time table=running-time",
]
SCORING = {"tune_mirror", "embed_suite", "embed_static", "score_suite", "score_lexicon"}


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


def branch_jobs(recipe):
    branch = f"model=bert-en-mini, recipe={recipe}, corpus=sentences-en, seed=33"
    return [
        f"tune_mirror {branch}",
        f"embed_suite {branch}, suite=sts-en",
        f"score_suite {branch}, suite=sts-en",
    ]


def test_another_temperature_reruns_its_recipe_those_like_it_and_their_tables_only(workspace):
    """mirror-sentence-no-masking is `like` mirror-sentence."""
    config = workspace.read_config()
    config["recipes"]["mirror-sentence"]["temperature"] = 0.05
    workspace.write_config(config)
    assert workspace.planned() == sorted(
        [
            *branch_jobs("mirror-sentence"),
            *branch_jobs("mirror-sentence-no-masking"),
            "assemble_table table=sentences",
            "assemble_table table=masking",
            *SUMMARY,
        ]
    )


def test_a_recipe_that_is_like_another_changes_alone(workspace):
    config = workspace.read_config()
    config["recipes"]["mirror-sentence-no-masking"] = {"temperature": 0.05}
    workspace.write_config(config)
    assert workspace.planned() == sorted(
        [
            *branch_jobs("mirror-sentence-no-masking"),
            "assemble_table table=masking",
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


def test_another_caption_redraws_its_figure_only(workspace):
    config = workspace.read_config()
    config["figures"]["sizes"]["caption"] = "Another caption."
    workspace.write_config(config)
    planned = workspace.planned()
    assert planned == sorted([*PAGES, "assemble_scorecard", "draw_figure figure=sizes"])


def test_a_changed_published_value_reruns_its_table_only(workspace):
    file = workspace.folder / "config/reference/table03.tsv"
    lines = file.read_text().splitlines()
    assert any(line.startswith("table03\tbert-mp\tsts12\t") for line in lines)
    file.write_text(
        "\n".join(
            f"{line}1" if line.startswith("table03\tbert-mp\tsts12\t") else line for line in lines
        )
        + "\n"
    )
    assert workspace.planned() == sorted(
        [*PAGES, "assemble_scorecard", "assemble_table table=sentences"]
    )


def test_whether_a_model_is_the_paper_s_is_for_tables_and_figures_alone(workspace):
    config = workspace.read_config()
    config["models"]["bert-en-mini"]["paper"] = True
    workspace.write_config(config)
    planned = workspace.planned()
    tables = {"words", "linking", "sentences", "masking", "lexicon"}
    assert {f"assemble_table table={table}" for table in tables} <= set(planned)
    assert "assemble_models table=models" in planned
    assert rules(planned) <= {
        *("assemble_table", "assemble_models", "assemble_scorecard", "draw_figure"),
        *PAGES,
    }


def test_strings_of_one_corpus_rerun_what_is_tuned_on_it_and_on_what_it_is_joined_in(workspace):
    config = workspace.read_config()
    config["corpora"]["words-fr"]["size"] = 150
    workspace.write_config(config)
    planned = workspace.planned()
    assert "sample_frequent_words corpus=words-fr" in planned
    assert "sample_frequent_words corpus=words-en" not in planned
    tuned = [job for job in planned if job.startswith("tune_mirror")]
    assert tuned == [
        "tune_mirror model=bert-en-mini, recipe=mirror-word, corpus=words-en-fr, seed=33"
    ]
    assert "draw_figure figure=sizes" in planned
    assert "assemble_table" not in rules(planned)


def test_other_word_vectors_rerun_their_rows_only(workspace):
    file = workspace.folder / "resources/sampler/static-vectors/en.vec"
    head, first, *rest = file.read_text().splitlines()
    word, _, values = first.partition(" ")
    file.write_text("\n".join([head, f"{word} 9{values}", *rest]) + "\n")
    encoder = "model=words, recipe=base-mp, corpus=none, seed=0, suite=words-en"
    assert workspace.planned() == sorted(
        [
            f"embed_static {encoder}",
            f"score_suite {encoder}",
            "assemble_table table=words",
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
            {*SCORING, "assemble_scores", "draw_figure"},
        ),
        (
            "figures/lines.py",
            {"draw_figure"},
            {*SCORING, "assemble_scores", "assemble_table", "assemble_running_time"},
        ),
        (
            "embedding/static_vectors.py",
            {"embed_static"},
            {"tune_mirror", "embed_suite", "induce_lexicon", "draw_figure"},
        ),
        ("corpora/join_corpora.py", {"join_corpora"}, {"sample_frequent_words", "read_suite"}),
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
        *("read_suite", "embed_suite", "score_suite", "assemble_table"),
        *rules(SUMMARY),
    }
    assert [job for job in planned if job.startswith("assemble_table")] == [
        "assemble_table table=masking",
        "assemble_table table=sentences",
    ]


def test_a_real_rerun_after_a_change_gives_what_a_fresh_run_gives(workspace, fresh):
    """One real run: the cached branches and the new one together equal a run from nothing."""
    for small in (workspace, fresh):
        config = small.read_config()
        config["recipes"]["mirror-sentence"]["temperature"] = 0.05
        small.write_config(config)
        result = small.run("results/tables/sentences.tsv", "results/tables/words.tsv")
        assert result.returncode == 0, result.stdout + result.stderr
    changed, anew = workspace.tables(), fresh.tables()
    assert changed["tables/sentences.tsv"] == anew["tables/sentences.tsv"]
    assert changed["tables/words.tsv"] == anew["tables/words.tsv"]
