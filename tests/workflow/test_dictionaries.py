"""The target all_links: its jobs, what a change reruns, and its mistakes."""

import shutil
import subprocess
import sys

import pytest
from doc_pages import blocks_of
from small_project import SAMPLE, TUNE, SmallProject, copy_project

pytestmark = pytest.mark.slow

PLACES = ["1-of-2", "2-of-2"]
DICTIONARY = {
    "encoder": {"model": "bert-en-mini", "recipe": "base-mp"},
    "names": {
        "one": {"path": "names/one.tsv"},
        "two": {"path": "names/two.txt", "format": "id-name"},
    },
    **{"mentions": "names/mentions.txt", "shards": 2, "dtype": "float16", "k": 2},
}


@pytest.fixture(scope="module")
def linked(project, tmp_path_factory) -> SmallProject:
    """The small project with the links of one dictionary. Do not change it: take a `dictionary`."""
    small = copy_project(project, tmp_path_factory.mktemp("linked") / "project")
    folder = small.folder / "resources/sample_data/names"
    words = ["water", "red", "wine", "winter", "house", "small", "dog", "green", "tree"]
    (folder / "one.tsv").write_text("".join(f"C{n // 2}\t{w}\n" for n, w in enumerate(words)))
    (folder / "two.txt").write_text("".join(f"D{n}||big {w}\n" for n, w in enumerate(words)))
    (folder / "mentions.txt").write_text("houses\n\nred wines\n")
    with small.edited_config() as config:
        config["dictionaries"] = {"words.of-mine": DICTIONARY}
    small.succeeds("all_links")
    return small


@pytest.fixture
def dictionary(linked, tmp_path) -> SmallProject:
    folder = tmp_path / "project"
    shutil.copytree(linked.folder, folder, symlinks=True)
    return SmallProject(folder)


def jobs(rule, *files):
    """Return the jobs of a rule for all shards of files."""
    end = "dictionary=words.of-mine, file={}, shard={}"
    return [f"{rule} {end.format(file, place)}" for file in files for place in PLACES]


def shards(*files):
    return [*jobs("embed_names", *files), *jobs("link_shard", *files)]


def names(file):
    return f"list_names dictionary=words.of-mine, file={file}"


MENTIONS = "embed_mentions dictionary=words.of-mine"
MERGE = ["merge_links dictionary=words.of-mine", "all_links"]
ONE = {"path": "names/one.tsv"}
# an edit of the config's block, or of a file of names and mentions, and the jobs that run
RERUNS = {
    "nothing": ({}, []),
    "mentions": ("mentions.txt", [MENTIONS, *jobs("link_shard", "one", "two"), *MERGE]),
    "names": ("two.txt", [names("two"), *shards("two"), *MERGE]),
    # before the others
    "a further file": (
        {"names": {"new": ONE, **DICTIONARY["names"]}},
        [names("new"), *shards("new"), *MERGE],
    ),
    "the order of files": ({"names": dict(reversed(DICTIONARY["names"].items()))}, MERGE),
    "a threshold": ({"threshold": 0.5}, MERGE),
    "an encoder": (
        {"encoder": {"model": "bert-en-mini", "recipe": "base-cls"}},
        [MENTIONS, *shards("one", "two"), *MERGE],
    ),
}


@pytest.mark.parametrize(("edit", "expected"), RERUNS.values(), ids=RERUNS)
def test_what_is_changed_runs_its_own_jobs_only(dictionary, edit, expected):
    if isinstance(edit, str):
        with (dictionary.folder / "resources/sample_data/names" / edit).open("a") as file:
            file.write("D100||a big house\n")
    with dictionary.edited_config() as config:
        config["dictionaries"]["words.of-mine"] |= edit if isinstance(edit, dict) else {}
    assert dictionary.planned("all_links") == sorted(expected)


def test_links_by_rules_are_those_of_the_command(dictionary):
    results = dictionary.folder / "results/dictionaries/words.of-mine"
    assert (results / "report.txt").read_text() == "2 mentions, 1 blank ones left out\n"
    files = "--names {0}/one.tsv {0}/two.txt --mentions {0}/mentions.txt".format(
        "resources/sample_data/names"
    )
    options = "--pooling mean --max-length 64 --k 2 --dtype float16 --device cpu --threads 1"
    command = f"link --encoder resources/models/bert-en-mini {files} {options} --output links.tsv"
    words = [sys.executable, "-m", *f"workflow_scripts.{command}".split()]
    subprocess.run(words, cwd=dictionary.folder, env=dictionary.environment(), check=True)
    assert (dictionary.folder / "links.tsv").read_bytes() == (results / "links.tsv").read_bytes()


def test_an_encoder_that_is_tuned_is_tuned_first(fresh):
    encoder = {"model": "bert-en-mini", "recipe": "mirror-word", "corpus": "words-en"}
    files = {"names": {"one": {"path": "names/biomedical_names.txt"}}, "mentions": "README.md"}
    with fresh.edited_config() as config:
        config["dictionaries"] = {"words": {"encoder": encoder, **files, "shards": 3}}
    planned = fresh.planned("all_links")
    tuned = "model=bert-en-mini, recipe=mirror-word, corpus=words-en, seed=33"
    assert f"{TUNE} {tuned}" in planned and f"{SAMPLE} corpus=words-en" in planned
    assert sum(job.startswith("embed_names") for job in planned) == 3


def test_the_tables_know_nothing_of_dictionaries(fresh):
    with fresh.edited_config() as config:
        config["dictionaries"] = {"words": {**DICTIONARY, "mentions": "none.txt"}}
    assert not [job for job in fresh.planned("all_tables") if "dictionary" in job]


def test_the_config_of_the_docs_is_right_and_short(fresh, project):
    page = (project / "docs/howto/run-on-a-cluster.md").read_text()
    [text] = [block for kind, block in blocks_of(page) if kind == "yaml"]
    assert len(text.splitlines()) <= 15
    (fresh.folder / "config/own.yaml").write_text(text)
    output = fresh.fails("--dry-run", "all_links", "--configfile", "config/own.yaml")
    assert "umls/MRCONSO.RRF: no such file; put the file there" in output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"encoder": {"model": "bert-en-mni", "recipe": "base-mp"}},
            "`dictionaries.words.encoder.model` is `bert-en-mni`, which is not in `models`; "
            "did you mean 'bert-en-mini'?",
        ),
        (
            {"encoder": {"model": "bert-en-mini", "recipe": "mirror-word"}},
            "`dictionaries.words.encoder.corpus` is missing: recipe `mirror-word` tunes on one",
        ),
        (
            {"encoder": {"model": "words", "recipe": "base-mp"}},
            "`dictionaries.words.encoder.model` is `words`, a file of word vectors",
        ),
        (
            {"names": {"one": {"path": "nowhere.tsv"}}},
            "nowhere.tsv: no such file; put the file there or "
            "change `dictionaries.words.names.one.path`",
        ),
        (
            {"shards": 0},
            "`dictionaries.words.shards` is 0; give a number of 1 or more",
        ),
        (
            {"names": {"one": {"path": "a.obo", "format": "oboe"}}},
            "`dictionaries.words.names.one.format` is 'oboe'; use one of: tsv, lines, table, obo",
        ),
    ],
)
def test_a_mistake_is_one_line(changes, message, fresh):
    with fresh.edited_config() as config:
        config["dictionaries"] = {"words": DICTIONARY | changes}
    output = fresh.fails("--dry-run", "all_links")
    (line,) = (line for line in output.splitlines() if "error" in line.lower())
    assert message in line
