"""Only what a change touches runs again: an edit of a file and the jobs that rerun, row by row.

Proven by dry runs over one real run.
"""

import os
import re
import shutil
import time
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import pytest
import yaml
from small_project import SAMPLE, TUNE, SmallProject

DATA = "resources/sample_data"
CODE = "workflow_scripts"
PAGES = ["all_tables", "assemble_index", "assemble_scorecard"]
# what follows any score: the table of times is of the jobs that ran
SUMMARY = [*PAGES, "assemble_scores", "assemble_table running-time"]
SENTENCE = "bert-en-mini/mirror-sentence/sentences-en/33"
NO_MASKING = "bert-en-mini/mirror-sentence-no-masking/sentences-en/33"
UNTUNED, STATIC = "bert-en-mini/base-mp/none/0", "words/base-mp/none/0"
MULTI = "bert-multi-mini/base-mp/none/0"
CLASSIFY = "bert-multi-mini/classify/reviews-en/33"
# each starts from the encoder of the one before
STAGES = [
    f"bert-multi-mini/{stage}/33"
    for stage in ("cmlm-multilingual/text-multi", "cmlm-s3/text-multi", "cmlm-s3-nli/nli-multi")
]


class Edit(NamedTuple):
    """A file and how its text is changed."""

    file: str
    change: Callable[[str], str]


def config(path: str, value: Any, add: bool = False) -> Edit:
    """Set a key of the small config, or add an item to the list that is there."""

    def change(text: str) -> str:
        content = yaml.safe_load(text)
        *above, last = path.split(".")
        block = reduce(lambda block, key: block.setdefault(key, {}), above, content)
        block[last] = [*block[last], value] if add else value
        return yaml.safe_dump(content, sort_keys=False)

    return Edit("config/small.yaml", change)


def text(file: str, old: str, new: str) -> Edit:
    """Replace the first place of a text."""

    def change(content: str) -> str:
        assert old in content
        return content.replace(old, new, 1)

    return Edit(file, change)


def code(module: str) -> Edit:
    return Edit(f"{CODE}/{module}", lambda content: f"{content}\n# an edit\n")


def jobs_of(rules: str, *encoders: str, suite: str = "") -> list[str]:
    return [f"{rule} {one}{suite}" for one in encoders for rule in rules.split()]


def tuned(*encoders: str, suite: str = "/similarity", scored: str = "embed_suite score_suite"):
    return [*jobs_of(TUNE, *encoders), *jobs_of(scored, *encoders, suite=suite)]


def stages(*encoders: str) -> list[str]:
    """Return the jobs of stages of CMLM and what shows them."""
    shown = ["assemble_table translations", *SUMMARY]
    shown += ["draw_figure plane"] * (STAGES[1] in encoders)
    return [*tuned(*encoders, suite="/bitext-retrieval"), *shown]


def tables(*names: str) -> list[str]:
    return [f"assemble_table {name}" for name in names]


NEW_ROW = {"id": "multi-mp", "label": "multi", "model": "bert-multi-mini", "recipe": "base-mp"}
NEW_SET = {"task": "similarity", "format": "simlex", "language": "en"}
NEW_SET["path"] = "simlex-999/SimLex-999.txt"
DEVIATIONS = {"id": "en-spread", "label": "EN spread", "dataset": "multisimlex-en"}
DEVIATIONS["statistic"] = "deviation"
AFTER = "embed_suite classify_texts score_suite"
REVIEWS = [f"read_dataset reviews-{language}" for language in ("en", "fr")]
REVIEWS += [*tuned(CLASSIFY, suite="/classification", scored=AFTER), *tables("reviews"), *SUMMARY]
WORDS_EN_FR = "bert-en-mini/mirror-word/words-en-fr/33"
SHOWS_STS12 = [SENTENCE, NO_MASKING, UNTUNED]
RERUNS: dict[str, tuple[Edit, list[str]]] = {
    "a recipe, those that are `like` it and their tables": (
        config("recipes.mirror-sentence.temperature", 0.05),
        [*tuned(SENTENCE, NO_MASKING), *tables("sentences", "masking"), *SUMMARY],
    ),
    "an added model": (
        config("tables.sentences.rows", NEW_ROW, add=True),
        [
            *jobs_of("embed_suite score_suite", MULTI, suite="/similarity"),
            *tables("sentences"),
            *SUMMARY,
        ],
    ),
    # the table of the first encoder, which shows the config's seeds, stays
    "a further seed of one table": (
        config("tables.masking.seeds", [33, 44]),
        [
            *(job.replace("/33", "/44") for job in tuned(SENTENCE, NO_MASKING)),
            *tables("masking"),
            *SUMMARY,
        ],
    ),
    "a data set without a column": (config("datasets.mine", NEW_SET), []),
    # its encoder is embedded again, and the tables with its other scores are made again
    "a data set in a table": (
        config("tables.linking.columns", {"id": "x", "label": "X", "dataset": "sts13"}, add=True),
        [
            "read_dataset sts13",
            *jobs_of("embed_suite score_suite", UNTUNED, suite="/similarity"),
            *tables("linking", "sentences", "words"),
            *SUMMARY,
        ],
    ),
    "a column of deviations": (
        config("tables.words.columns", DEVIATIONS, add=True),
        [*PAGES, *tables("words")],
    ),
    "a caption": (
        config("figures.sizes.caption", "Another caption."),
        [*PAGES, "draw_figure sizes"],
    ),
    "the neighbours of a figure, which are another metric": (
        config("figures.languages.neighbours", 1),
        [f"score_suite {MULTI}/bitext-retrieval", "draw_figure languages", *SUMMARY],
    ),
    "a choice of a figure": (
        config("figures.plane.method", "tsne"),
        [*PAGES, "draw_figure plane"],
    ),
    "a published value": (
        text(
            "config/reference/mirror-bert/table03.tsv", "\tbert-mp\tsts12\t", "\tbert-mp\tsts12\t1"
        ),
        [*PAGES, *tables("sentences")],
    ),
    # other tables are of no paper
    "whether a model is the paper's": (
        config("models.bert-en-mini.paper", "mirror-bert"),
        [*PAGES, *tables("models", "sentences", "words")],
    ),
    "a corpus and what it is joined in": (
        config("corpora.words-fr.size", 150),
        [
            *(f"{SAMPLE} {corpus}" for corpus in ("words-fr", "words-en-fr")),
            *tuned(WORDS_EN_FR),
            "draw_figure sizes",
            *SUMMARY,
        ],
    ),
    # neither the stages before, nor Mirror, nor what is tuned on other corpora
    "text of the first stage": (
        text(f"{DATA}/running-text/es.txt", " de ", " del "),
        [f"{SAMPLE} text-multi", *stages(*STAGES)],
    ),
    "bitext of the second": (
        text(f"{DATA}/wikimatrix/WikiMatrix.en-es.tsv", " de ", " del "),
        [f"{SAMPLE} bitext-multi", *stages(*STAGES[1:])],
    ),
    "inference of the third": (
        text(f"{DATA}/nli/es.tsv", " de ", " del "),
        [f"{SAMPLE} nli-multi", *stages(STAGES[2])],
    ),
    "a recipe and the stages that start from it": (
        config("recipes.cmlm-s3.learning_rate", 1.0e-4),
        stages(*STAGES[1:]),
    ),
    # not what a classifier says that was trained with its encoder
    "a protocol": (
        config("classification", {"protocol": "default"}),
        [
            *jobs_of("classify_texts score_suite", UNTUNED, MULTI, suite="/classification"),
            *tables("classes", "reviews"),
            *SUMMARY,
        ],
    ),
    "a review to train on": (
        text(f"{DATA}/cls-acl10-unprocessed/en/dvd/train.review", "<text>", "<text>Well, "),
        [
            f"{SAMPLE} reviews-en",
            *REVIEWS,
            *jobs_of(AFTER, MULTI, suite="/classification"),
        ],
    ),
    "a task: its own sets": (
        code("scoring/tasks/language_bias.py"),
        [f"score_suite {MULTI}/bitext-retrieval", "draw_figure languages", *SUMMARY],
    ),
    "word vectors": (
        text(f"{DATA}/static-vectors/en.vec", " 0.", " 9."),
        [
            *jobs_of("embed_static score_suite", STATIC, suite="/similarity"),
            *tables("words"),
            *SUMMARY,
        ],
    ),
    # the encoder of the words table has these sentences in the job of its words
    "a sentence": (
        text(f"{DATA}/semeval-sts-original/STS12-en-test/STS.input.MSRvid.txt", "\t", " Indeed.\t"),
        [
            "read_dataset sts12",
            *jobs_of("embed_suite score_suite", *SHOWS_STS12, suite="/similarity"),
            *tables("masking", "sentences", "words"),
            *SUMMARY,
        ],
    ),
}
# edit, begin of the names of jobs, those of them that rerun: of a kind or format its own
KINDS = [
    (code("corpora/kinds/joined.py"), SAMPLE, ["words-en-fr"]),
    (code("corpora/kinds/text.py"), SAMPLE, ["text-multi"]),
    (code("corpora/kinds/bitext.py"), SAMPLE, ["bitext-multi"]),
    (code("corpora/kinds/nli.py"), SAMPLE, ["nli-multi"]),
    (code("corpora/kinds/labelled.py"), SAMPLE, ["reviews-en"]),
    (code("datasets/formats/semeval_sts.py"), "read", ["sts12"]),
    (code("datasets/formats/sentence_pool.py"), "read", ["paws-x-pool"]),
    (code("datasets/formats/register.py"), "read", []),
    (code("datasets/labelled_pairs.py"), "read", ["qnli"]),
    (code("datasets/entity_linking.py"), "read", ["askapatient"]),
    (code("datasets/formats/simlex.py"), "read", ["simlex999"]),
]
SCORING = {TUNE, "embed_suite", "embed_static", "score_suite", "score_lexicon"}
MIRROR, CMLM, NLI = f"{TUNE} mirror-word", f"{TUNE} cmlm-multilingual", f"{TUNE} cmlm-s3-nli"
# module: rules, and encoders by recipe, that rerun, and such that do not
USERS = {
    "tuning/span_masking.py": ({TUNE}, {"read_dataset", "read_lexicon", SAMPLE}),
    # a part of the tuning that has a development set, and of no other
    "scoring/similarity.py": (
        {"score_suite", f"{TUNE} mirror-sentence-no-masking"},
        {f"{TUNE} mirror-sentence", MIRROR, "induce_lexicon", "score_lexicon"},
    ),
    "tuning/objectives/cmlm.py": (
        {CMLM, f"{TUNE} cmlm-s3"},
        {f"{TUNE} mirror-sentence", MIRROR, SAMPLE},
    ),
    "tuning/methods/nli.py": ({NLI}, {CMLM, f"{TUNE} cmlm-s3", MIRROR, SAMPLE}),
    "tuning/methods/classify.py": ({f"{TUNE} classify"}, {NLI, MIRROR, SAMPLE}),
    "scoring/nearest_translations.py": (
        {"score_suite"},
        {TUNE, "embed_suite", "link_entities", "score_lexicon"},
    ),
    "scoring/linear_probe.py": (
        {"classify_texts", "score_suite"},
        {TUNE, "embed_suite", "read_dataset", "link_entities"},
    ),
    "retrieval/csls.py": ({"induce_lexicon"}, {"embed_suite", "score_suite", "link_entities"}),
    "tables/score_page.py": ({"assemble_table"}, {*SCORING, "assemble_scores", "draw_figure"}),
    "figures/kinds/lines.py": ({"draw_figure"}, {*SCORING, "assemble_scores", "assemble_table"}),
    "embedding/static_vectors.py": (
        {"embed_static"},
        {TUNE, "embed_suite", "induce_lexicon", "draw_figure"},
    ),
}


@pytest.fixture(scope="module")
def shared(finished, tmp_path_factory):
    """A copy of the finished project for dry runs, each of which undoes its edit."""
    folder = tmp_path_factory.mktemp("rerun") / "project"
    shutil.copytree(finished.folder, folder, symlinks=True)
    return SmallProject(folder)


@pytest.fixture
def rerun(shared):
    """Return the jobs that an edit reruns as "rule value/value"; not those that write blocks."""
    edited = []

    def plan(edit):
        file = shared.folder / edit.file
        edited.append((file, file.read_bytes()))
        file.write_text(edit.change(file.read_text(encoding="utf-8")), encoding="utf-8")
        jobs = (job.partition(" ") for job in shared.planned() if not job.startswith("write_"))
        values = ((rule, [pair.partition("=")[2] for pair in w.split(", ")]) for rule, _, w in jobs)
        return [f"{rule} {'/'.join(value)}".strip() for rule, value in values]

    yield plan
    for file, before in edited:
        file.write_bytes(before)


@pytest.mark.parametrize(("edit", "jobs"), RERUNS.values(), ids=RERUNS)
def test_what_is_edited_reruns_its_own_jobs_and_what_shows_them(rerun, edit, jobs):
    assert sorted(rerun(edit)) == sorted(jobs)


@pytest.mark.parametrize(("edit", "rules", "ids"), KINDS)
def test_an_edited_kind_or_format_reads_those_that_are_of_it(rerun, edit, rules, ids):
    assert [job.split()[1] for job in rerun(edit) if job.startswith(rules)] == ids


@pytest.mark.parametrize("module", USERS)
def test_an_edited_module_reruns_its_users_only(rerun, module):
    jobs = [job.split() for job in rerun(code(module))]
    found = {rule for rule, *_ in jobs}
    found |= {
        f"{TUNE} {encoder.split('/')[1]}"
        for rule, *rest in jobs
        if rule == TUNE
        for encoder in rest
    }
    first, others = USERS[module]
    assert first <= found and not found & others


def test_a_finished_run_has_nothing_to_do_though_every_file_is_touched(workspace):
    later = time.time() + 60
    for file in sorted(workspace.folder.rglob("*")):
        if file.is_file() and ".snakemake" not in file.relative_to(workspace.folder).parts:
            os.utime(file, (later, later))
    assert workspace.planned() == []


@pytest.mark.slow
def test_one_more_metric_scores_its_column_again_and_nothing_else(workspace, project):
    """Kendall's tau of CONTRIBUTING.md, in a column of Table 3."""
    page = (project / "CONTRIBUTING.md").read_text()
    [code] = re.findall(r'^```python\n("""Kendall.*?)^```$', page, flags=re.M | re.S)
    folder = workspace.folder / "workflow_scripts/scoring/metrics"
    (folder / "kendall.py").write_text(code)
    register = folder / "register.py"
    line = '"similarity": ("auc", "kendall"),'
    register.write_text(register.read_text().replace('"similarity": ("auc",),', line))
    assert workspace.planned() == []
    with workspace.edited_config() as config:
        more = {"id": "tau", "label": "tau", "dataset": "sickr", "metric": "kendall"}
        config["tables"]["sentences"]["columns"].append(more)
    rules = {job.split()[0] for job in workspace.planned() if not job.startswith("write_")}
    shown = {"assemble_table", *(job.split()[0] for job in SUMMARY)}
    assert rules == {"score_suite", *shown}
    assert sum(job.startswith("score_suite") for job in workspace.planned()) == 2
    scores = workspace.folder / "results/scores/bert-en-mini/base-mp/none/seed0/similarity.tsv"
    before, rows = workspace.tables(), scores.read_text().splitlines()
    workspace.succeeds("all_tables")
    changed = {name for name, text in workspace.tables().items() if before.get(name) != text}
    # a page has the hashes of the files that it shows
    own = ("sentences.", "scores.tsv", "scorecard", "blocks/", ".html")
    assert [name for name in changed if not any(part in name for part in own)] == []
    [added] = [row for row in scores.read_text().splitlines() if row not in rows]
    assert "\tkendall\t" in added


@pytest.mark.slow
def test_a_real_rerun_after_a_change_gives_what_a_fresh_run_gives(workspace, fresh):
    """The cached branches and the new one together equal a run from nothing."""
    for small in (workspace, fresh):
        with small.edited_config() as config:
            config["recipes"]["mirror-sentence"]["temperature"] = 0.05
        small.succeeds("results/tables/sentences.tsv")
    changed, anew = workspace.tables(), fresh.tables()
    assert changed["tables/sentences.tsv"] == anew["tables/sentences.tsv"]
