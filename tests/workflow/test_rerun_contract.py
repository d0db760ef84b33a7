"""Only what a change touches runs again: proven by dry runs over one real run."""

import json
import os
import re
import time

import pytest
from small_project import SAMPLE, TUNE

PAGES = ["all_tables", "assemble_index"]
# what follows any score: the table of times is of the jobs that ran
SUMMARY = [*PAGES, "assemble_scores", "assemble_scorecard", "assemble_table table=running-time"]
SCORING = {TUNE, "embed_suite", "embed_static", "score_suite", "score_lexicon"}
DRAW, EMBED = "draw_figure", "embed_suite"
FROZEN = "recipe=base-mp, corpus=none, seed=0"
MIRROR = "recipe=mirror-sentence, corpus=sentences-en, seed=33"
NO_MASKING = "mirror-sentence-no-masking"
# each starts from the encoder of the one before
STAGES = {"cmlm-multilingual": "text-multi", "cmlm-s3": "text-multi", "cmlm-s3-nli": "nli-multi"}


def rules(jobs):
    return {job.split()[0] for job in jobs}


def steps(workspace):
    """Return the planned jobs but those that only write the blocks of others."""
    return [job for job in workspace.planned() if not job.startswith("write_")]


def branch_jobs(recipe):
    branch = f"model=bert-en-mini, recipe={recipe}, corpus=sentences-en, seed=33"
    embedded = f"{branch}, suite=similarity"
    return [f"{TUNE} {branch}", f"embed_suite {embedded}", f"score_suite {embedded}"]


def stage_jobs(*recipes):
    """Return the jobs of stages of CMLM and what shows them."""
    jobs = ["assemble_table table=translations", *SUMMARY]
    if "cmlm-s3" in recipes:
        jobs.append("draw_figure figure=plane")
    for recipe in recipes:
        branch = f"model=bert-multi-mini, recipe={recipe}, corpus={STAGES[recipe]}, seed=33"
        embedded = f"{branch}, suite=bitext-retrieval"
        jobs += [f"{TUNE} {branch}", f"embed_suite {embedded}", f"score_suite {embedded}"]
    return jobs


def encoder_jobs(embed, encoder, suite, table):
    wildcards = f"{encoder}, recipe=base-mp, corpus=none, seed=0, suite={suite}"
    jobs = [f"{embed} {wildcards}", f"score_suite {wildcards}", f"assemble_table table={table}"]
    return sorted([*jobs, *SUMMARY])


def test_a_finished_run_has_nothing_to_do_though_every_file_is_touched(workspace):
    assert workspace.planned() == []
    later = time.time() + 60
    for file in sorted(workspace.folder.rglob("*")):
        if file.is_file() and ".snakemake" not in file.relative_to(workspace.folder).parts:
            os.utime(file, (later, later))
    assert workspace.planned() == []


def test_the_development_set_chose_a_step(finished):
    folder = f"results/encoders/bert-en-mini/{NO_MASKING}/sentences-en/seed33"
    tuning = json.loads((finished.folder / folder / "encoder.json").read_text())["tuning"]
    assert tuning["steps"] == 3
    assert tuning["best_step"] in (2, 3)


def test_another_temperature_reruns_its_recipe_those_like_it_and_their_tables_only(workspace):
    """mirror-sentence-no-masking is `like` mirror-sentence."""
    with workspace.edited_config() as config:
        config["recipes"]["mirror-sentence"]["temperature"] = 0.05
    tables = ["assemble_table table=sentences", "assemble_table table=masking"]
    jobs = [*branch_jobs("mirror-sentence"), *branch_jobs(NO_MASKING), *tables, *SUMMARY]
    assert steps(workspace) == sorted(jobs)


def test_a_recipe_that_is_like_another_changes_alone(workspace):
    with workspace.edited_config() as config:
        config["recipes"][NO_MASKING]["temperature"] = 0.05
    jobs = [*branch_jobs(NO_MASKING), "assemble_table table=masking", *SUMMARY]
    assert steps(workspace) == sorted(jobs)


def test_an_added_model_runs_its_own_jobs_only(workspace):
    with workspace.edited_config() as config:
        config["tables"]["sentences"]["rows"].append(
            {"id": "multi-mp", "label": "multi", "model": "bert-multi-mini", "recipe": "base-mp"}
        )
    jobs = encoder_jobs("embed_suite", "model=bert-multi-mini", "similarity", "sentences")
    assert steps(workspace) == jobs


def test_a_further_seed_of_one_table_runs_its_own_branches_only(workspace):
    with workspace.edited_config() as config:
        config["tables"]["masking"]["seeds"] = [33, 44]
    branches = [*branch_jobs("mirror-sentence"), *branch_jobs(NO_MASKING)]
    jobs = [job.replace("seed=33", "seed=44") for job in branches]
    # the table of the first, which shows the config's seeds, stays
    assert steps(workspace) == sorted([*jobs, "assemble_table table=masking", *SUMMARY])


def test_an_added_data_set_is_read_and_embedded_by_the_encoders_that_show_it(workspace):
    """One without a column changes nothing; to take one out embeds its encoders again."""
    with workspace.edited_config() as config:
        config["datasets"]["mine"] = dict(config["datasets"].get("mine", {})) | {
            **{"task": "similarity", "format": "simlex", "language": "en"},
            "path": "simlex-999/SimLex-999.txt",
        }
    assert steps(workspace) == []
    with workspace.edited_config() as config:
        column = {"id": "mine", "label": "Mine", "dataset": "mine"}
        config["tables"]["linking"]["columns"].append(column)
    jobs = encoder_jobs("embed_suite", "model=bert-en-mini", "similarity", "linking")
    planned = steps(workspace)
    # the tables of its other sets have the scores that they had, of a file that is made again
    tables = {job for job in planned if job.startswith(("assemble_table", "draw_figure"))}
    assert {*planned} - tables == {*jobs, "read_dataset dataset=mine"} - tables
    assert "assemble_table table=linking" in tables and "assemble_table table=masking" not in tables


def test_a_column_of_deviations_is_for_its_table_alone(workspace):
    with workspace.edited_config() as config:
        column = {"id": "en-spread", "label": "EN spread", "dataset": "multisimlex-en"}
        config["tables"]["words"]["columns"].append(column | {"statistic": "deviation"})
    jobs = [*PAGES, "assemble_scorecard", "assemble_table table=words"]
    assert steps(workspace) == sorted(jobs)


def test_another_caption_redraws_its_figure_only(workspace):
    with workspace.edited_config() as config:
        config["figures"]["sizes"]["caption"] = "Another caption."
    jobs = [*PAGES, "assemble_scorecard", "draw_figure figure=sizes"]
    assert steps(workspace) == sorted(jobs)


def test_a_changed_published_value_reruns_its_table_only(workspace):
    file = workspace.folder / "config/reference/mirror-bert/table03.tsv"
    lines = file.read_text().splitlines()
    (number,) = (n for n, line in enumerate(lines) if line.startswith("table03\tbert-mp\tsts12\t"))
    lines[number] += "1"
    file.write_text("\n".join(lines) + "\n")
    jobs = [*PAGES, "assemble_scorecard", "assemble_table table=sentences"]
    assert steps(workspace) == sorted(jobs)


def test_whether_a_model_is_the_paper_s_is_for_tables_and_figures_alone(workspace):
    with workspace.edited_config() as config:
        config["models"]["bert-en-mini"]["paper"] = "mirror-bert"
    planned = steps(workspace)
    # the others are of no paper
    tables = [job for job in planned if job.startswith("assemble_table")]
    assert tables == [f"assemble_table table={name}" for name in ("models", "sentences", "words")]
    assert rules(planned) == {"assemble_table", "assemble_scorecard", *PAGES}


def test_strings_of_one_corpus_rerun_what_is_tuned_on_it_and_on_what_it_is_joined_in(workspace):
    with workspace.edited_config() as config:
        config["corpora"]["words-fr"]["size"] = 150
    planned = steps(workspace)
    assert f"{SAMPLE} corpus=words-fr" in planned
    assert f"{SAMPLE} corpus=words-en" not in planned
    (tuned,) = (job for job in planned if job.startswith(TUNE))
    assert tuned == f"{TUNE} model=bert-en-mini, recipe=mirror-word, corpus=words-en-fr, seed=33"
    assert "draw_figure figure=sizes" in planned
    tables = [job for job in planned if job.startswith("assemble_table")]
    assert tables == ["assemble_table table=running-time"]


@pytest.mark.parametrize(
    ("file", "corpus", "first"),
    [
        ("running-text/es.txt", "text-multi", 0),
        ("wikimatrix/WikiMatrix.en-es.tsv", "bitext-multi", 1),
        ("nli/es.tsv", "nli-multi", 2),
    ],
)
def test_a_changed_corpus_reruns_the_stages_from_its_own_on(workspace, file, corpus, first):
    """Neither the stages before, nor Mirror, nor what is tuned on other corpora."""
    path = workspace.folder / "resources/sample_data" / file
    path.write_text(path.read_text().replace(" de ", " del ", 1))
    jobs = [f"{SAMPLE} corpus={corpus}", *stage_jobs(*list(STAGES)[first:])]
    assert steps(workspace) == sorted(jobs)


def test_another_choice_of_one_stage_reruns_it_and_those_that_start_from_it(workspace):
    with workspace.edited_config() as config:
        config["recipes"]["cmlm-s3"]["learning_rate"] = 1.0e-4
    assert steps(workspace) == sorted(stage_jobs("cmlm-s3", "cmlm-s3-nli"))


def test_another_protocol_reruns_the_classifiers_and_what_shows_them(workspace):
    """Not what a classifier says that was trained with its encoder."""
    with workspace.edited_config() as config:
        config["classification"] = {"protocol": "default"}
    encoder = "recipe=base-mp, corpus=none, seed=0"
    models = [f"model={one}, {encoder}" for one in ("bert-en-mini", "bert-multi-mini")]
    rules = ("classify_texts", "score_suite")
    jobs = [f"{rule} {model}, suite=classification" for rule in rules for model in models]
    tables = [f"assemble_table table={table}" for table in ("classes", "reviews")]
    assert steps(workspace) == sorted([*jobs, *tables, *SUMMARY])


def review_jobs(*rules, encoder="recipe=classify, corpus=reviews-en, seed=33"):
    """Return the jobs of an encoder of the reviews after its tuning, and what shows them."""
    jobs = [f"{rule} model=bert-multi-mini, {encoder}, suite=classification" for rule in rules]
    return [*jobs, "assemble_table table=reviews", *SUMMARY]


TRAINED = f"{TUNE} model=bert-multi-mini, recipe=classify, corpus=reviews-en, seed=33"
AFTER = ("embed_suite", "classify_texts", "score_suite")


def test_another_rate_reruns_the_encoder_with_a_classifier_not_the_frozen_one(workspace):
    with workspace.edited_config() as config:
        config["recipes"]["classify"]["learning_rate"] = 1.0e-4
    assert steps(workspace) == sorted([TRAINED, *review_jobs(*AFTER)])


def test_another_review_to_train_on_reruns_its_corpus_and_its_data_sets(workspace):
    folder = workspace.folder / "resources/sample_data/cls-acl10-unprocessed/en/dvd"
    path = folder / "train.review"
    path.write_text(path.read_text().replace("<text>", "<text>Well, ", 1))
    frozen = "recipe=base-mp, corpus=none, seed=0"
    jobs = [f"{SAMPLE} corpus=reviews-en", TRAINED]
    jobs += [f"read_dataset dataset=reviews-{language}" for language in ("en", "fr")]
    jobs += [*review_jobs(*AFTER)[:3], *review_jobs(*AFTER, encoder=frozen)]
    assert steps(workspace) == sorted(jobs)


def test_an_edited_task_scores_its_own_sets_and_redraws_its_figure_only(workspace):
    file = workspace.folder / "workflow_scripts/scoring/tasks/language_bias.py"
    file.write_text(file.read_text() + "\n# an edit\n")
    encoder = "model=bert-multi-mini, recipe=base-mp, corpus=none, seed=0, suite=bitext-retrieval"
    jobs = [f"score_suite {encoder}", "draw_figure figure=languages", *SUMMARY]
    assert steps(workspace) == sorted(jobs)


def test_one_more_metric_scores_its_column_again_and_nothing_else(workspace, project):
    """Kendall's tau of docs/extending.md, in a column of Table 3."""
    page = (project / "docs" / "extending.md").read_text()
    [code] = re.findall(r'^```python\n("""Kendall.*?)^```$', page, flags=re.M | re.S)
    folder = workspace.folder / "workflow_scripts/scoring/metrics"
    (folder / "kendall.py").write_text(code)
    register = folder / "register.py"
    line = 'FURTHER = {\n    "similarity": ("kendall",),'
    register.write_text(register.read_text().replace("FURTHER = {", line))
    assert steps(workspace) == []
    with workspace.edited_config() as config:
        more = {"id": "tau", "label": "tau", "dataset": "sickr", "metric": "kendall"}
        config["tables"]["sentences"]["columns"].append(more)
    encoders = [f"model=bert-en-mini, {ids}, suite=similarity" for ids in (FROZEN, MIRROR)]
    # which read the files of these encoders, too
    tables = [f"assemble_table table={name}" for name in ("sentences", "words", "masking")]
    jobs = [f"score_suite {encoder}" for encoder in encoders]
    assert steps(workspace) == sorted([*jobs, *tables, *SUMMARY])
    scores = workspace.folder / "results/scores/bert-en-mini/base-mp/none/seed0/similarity.tsv"
    before, rows = workspace.tables(), scores.read_text().splitlines()
    workspace.succeeds("all_tables")
    changed = {name for name, text in workspace.tables().items() if before.get(name) != text}
    # a page has the hashes of the files that it shows
    shown = ("sentences.", "scores.tsv", "scorecard", "blocks/", ".html")
    assert [name for name in changed if not any(part in name for part in shown)] == []
    [added] = [row for row in scores.read_text().splitlines() if row not in rows]
    assert "\tkendall\t" in added


def test_other_neighbours_of_a_figure_are_another_metric(workspace):
    with workspace.edited_config() as config:
        config["figures"]["languages"]["neighbours"] = 1
    encoder = f"model=bert-multi-mini, {FROZEN}, suite=bitext-retrieval"
    jobs = [f"score_suite {encoder}", "draw_figure figure=languages", *SUMMARY]
    assert steps(workspace) == sorted(jobs)


def test_another_choice_of_a_figure_redraws_it_alone(workspace):
    with workspace.edited_config() as config:
        config["figures"]["plane"]["method"] = "tsne"
    jobs = [*PAGES, "assemble_scorecard", "draw_figure figure=plane"]
    assert steps(workspace) == sorted(jobs)


def test_other_word_vectors_rerun_their_rows_only(workspace):
    file = workspace.folder / "resources/sample_data/static-vectors/en.vec"
    head, first, rest = file.read_text().split("\n", 2)
    word, _, values = first.partition(" ")
    file.write_text(f"{head}\n{word} 9{values}\n{rest}")
    assert steps(workspace) == encoder_jobs("embed_static", "model=words", "similarity", "words")


@pytest.mark.parametrize(
    ("module", "first", "others"),
    [
        ("tuning/span_masking.py", {TUNE}, {"read_dataset", "read_lexicon", SAMPLE}),
        # a part of the tuning that has a development set, and of no other
        (
            "scoring/similarity.py",
            {"score_suite", f"{TUNE} {NO_MASKING}"},
            {f"{TUNE} mirror-sentence", f"{TUNE} mirror-word", "induce_lexicon", "score_lexicon"},
        ),
        (
            "tuning/cmlm_objective.py",
            {f"{TUNE} cmlm-multilingual", f"{TUNE} cmlm-s3"},
            {f"{TUNE} mirror-sentence", f"{TUNE} mirror-word", SAMPLE},
        ),
        (
            "tuning/nli_objective.py",
            {f"{TUNE} cmlm-s3-nli"},
            {f"{TUNE} cmlm-multilingual", f"{TUNE} cmlm-s3", f"{TUNE} mirror-word", SAMPLE},
        ),
        (
            "tuning/classify_objective.py",
            {f"{TUNE} classify"},
            {f"{TUNE} cmlm-s3-nli", f"{TUNE} mirror-word", SAMPLE},
        ),
        (
            "scoring/nearest_translations.py",
            {"score_suite"},
            {TUNE, EMBED, "link_entities", "score_lexicon"},
        ),
        (
            "scoring/linear_probe.py",
            {"classify_texts", "score_suite"},
            {TUNE, EMBED, "read_dataset", "link_entities"},
        ),
        ("retrieval/csls.py", {"induce_lexicon"}, {"embed_suite", "score_suite", "link_entities"}),
        ("tables/score_page.py", {"assemble_table"}, {*SCORING, "assemble_scores", DRAW}),
        ("figures/kinds/lines.py", {DRAW}, {*SCORING, "assemble_scores", "assemble_table"}),
        ("embedding/static_vectors.py", {"embed_static"}, {TUNE, EMBED, "induce_lexicon", DRAW}),
    ],
)
def test_an_edited_module_reruns_its_users_only(workspace, module, first, others):
    file = workspace.folder / "workflow_scripts" / module
    file.write_text(file.read_text() + "\n# an edit\n")
    planned = steps(workspace)
    found = rules(planned)
    for job in planned:
        if job.startswith(TUNE):
            found.add(f"{job.split()[0]} {job.split('recipe=')[1].split(',')[0]}")
    assert first <= found
    assert not found & others


@pytest.mark.parametrize(
    ("module", "jobs", "ids"),
    [
        ("corpora/kinds/joined.py", f"{SAMPLE} corpus", ["words-en-fr"]),
        ("corpora/kinds/text.py", f"{SAMPLE} corpus", ["text-multi"]),
        ("corpora/kinds/bitext.py", f"{SAMPLE} corpus", ["bitext-multi"]),
        ("corpora/kinds/nli.py", f"{SAMPLE} corpus", ["nli-multi"]),
        ("corpora/kinds/labelled.py", f"{SAMPLE} corpus", ["reviews-en"]),
        ("datasets/formats/semeval_sts.py", "read_dataset dataset", ["sts12"]),
        ("datasets/formats/sentence_pool.py", "read_dataset dataset", ["paws-x-pool"]),
        ("datasets/formats/register.py", "read_dataset dataset", []),
        ("datasets/labelled_pairs.py", "read_dataset dataset", ["qnli"]),
        ("datasets/entity_linking.py", "read_dataset dataset", ["askapatient"]),
    ],
)
def test_an_edited_kind_or_format_reruns_those_that_are_of_it(workspace, module, jobs, ids):
    file = workspace.folder / "workflow_scripts" / module
    file.write_text(file.read_text() + "\n# an edit\n")
    planned = [job for job in steps(workspace) if job.startswith(f"{jobs}=")]
    assert planned == [f"{jobs}={one}" for one in ids]


@pytest.mark.parametrize(
    ("old", "new", "datasets"),
    [
        ("class Qnli(", "# an edit\nclass Another(ScoredColumns):\n    pass\n\n\nclass Qnli(", []),
        ("SCALE: ClassVar = (0.0, 10.0)", "SCALE: ClassVar = (0.0, 9.9)", ["simlex999"]),
        ("SCALE: ClassVar = (1.0, 5.0)", "SCALE: ClassVar = (1.0, 4.9)", ["sickr"]),
        ('"entailment": 1}', '"entailment": 1, "same": 1}', ["qnli"]),
    ],
)
def test_an_edited_format_of_columns_reruns_its_data_sets(workspace, old, new, datasets):
    file = workspace.folder / "workflow_scripts/datasets/formats/columns.py"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    planned = [job for job in steps(workspace) if job.startswith("read_")]
    assert planned == [f"read_dataset dataset={name}" for name in datasets]


def test_another_sentence_reruns_its_data_set_only(workspace):
    folder = workspace.folder / "resources/sample_data/semeval-sts-original/STS12-en-test"
    file = folder / "STS.input.MSRvid.txt"
    first, rest = file.read_text().split("\n", 1)
    file.write_text(f"{first} Indeed.\n{rest}")
    planned = steps(workspace)
    assert [job for job in planned if "read_" in job] == ["read_dataset dataset=sts12"]
    assert all("suite=similarity" in job for job in planned if "suite=" in job)
    expected = {"read_dataset", "embed_suite", "score_suite", "assemble_table"}
    assert rules(planned) == expected | rules(SUMMARY)
    # the encoder of the words table has these sentences in the job of its words
    tables = ["masking", "running-time", "sentences", "words"]
    tables = [f"assemble_table table={table}" for table in tables]
    assert [job for job in planned if job.startswith("assemble_table")] == tables


@pytest.mark.slow
def test_a_real_rerun_after_a_change_gives_what_a_fresh_run_gives(workspace, fresh):
    """The cached branches and the new one together equal a run from nothing."""
    for small in (workspace, fresh):
        with small.edited_config() as config:
            config["recipes"]["mirror-sentence"]["temperature"] = 0.05
        small.succeeds("results/tables/sentences.tsv")
    changed, anew = workspace.tables(), fresh.tables()
    assert changed["tables/sentences.tsv"] == anew["tables/sentences.tsv"]
