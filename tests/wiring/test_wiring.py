"""Every key of a config reaches its commands, and every key that bears on numbers changes one.

The sections next to this file list what a key reaches, as options of commands. A constant instead
of a value, two swapped values, and a value that reaches one command too few or too many all fail
here.
"""

import json
import re

import corpus_sections
import pytest
from all_sections import ALONE, KEYS, SECTIONS, SNAKEFILES, changed_numbers, changed_wires
from planned_jobs import plan_jobs
from variations import reason_of
from wiring_project import small_config

# what reaches commands in other words: what a recipe or paper has, or a job that is added
IN_OTHER_WORDS = {
    **{"recipes.none": {"method", "start.recipe", "start.corpus"}, "corpora.absent": {"kind"}},
    **{"tables.scores": {"rows[].not_run"}, "tables.running-time": {"paper"}},
    **{"figures.roc": {"paper"}, "dictionaries": {"encoder.recipe"}},
    # a lexicon that is none any more
    "datasets.xling-eval": {"format"},
}
# the numbers of these take over 10 s
LONG = ("recipes", "figures", "config", "tuning_grid", "tables", "dictionaries")
LONG += ("bundled_models",)


def test_every_key_has_a_section_and_every_reason_a_key():
    other = SECTIONS.keys() ^ KEYS.keys()
    assert not other, f"add, or remove, in the *_sections.py of this folder: {sorted(other)}"
    for name, section in SECTIONS.items():
        keys = KEYS[name]
        known = {key[:end] for key in keys for end in range(1, len(key) + 1)}
        reasons = (section.same_number, section.no_command, section.not_run, section.not_changed)
        for words in reasons:
            assert not {*words} - known, f"{name}: {sorted({*words} - known)}"


@pytest.mark.parametrize("name", SECTIONS)
def test_a_key_reaches_the_commands_it_should_and_no_others(name):
    section, wrong = SECTIONS[name], []
    for one, changed in changed_wires(name):
        expected = section.wired.get(one.key, section.wires)
        if reason_of(section.no_command, one.key):
            expected = frozenset()
        if changed.keys() != expected:
            extra, missing = sorted(changed.keys() - expected), sorted(expected - changed.keys())
            wrong.append(f"{one.key}: reaches also {extra}, and not {missing}")
        elif one.key not in IN_OTHER_WORDS.get(name, ()) and not _is_among(one.value, changed):
            wrong.append(f"{one.key}: {one.value!r} is not among {changed}")
    assert not wrong, "\n".join([name, *wrong])


def _is_among(value, changed):
    """Return whether a new value appears in what it changed; for numbers and text only."""
    if value is None or isinstance(value, bool | list | dict) or not any(changed.values()):
        return True
    text = json.dumps(value, ensure_ascii=False).strip('"')
    return any(text in word for words in changed.values() for word in words)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name.startswith(LONG) else [])
        for name in SECTIONS
    ],
)
def test_a_key_that_bears_on_numbers_changes_one(name):
    section, wrong = SECTIONS[name], []
    for one, changed in changed_numbers(name):
        reason = reason_of(section.same_number, one.key) or reason_of(section.no_command, one.key)
        if changed == bool(reason):
            what = f"changes a number, in spite of: {reason}" if changed else "changes no number"
            wrong.append(f"{one.key}: {what}")
    assert not wrong, "\n".join([name, *wrong])


@pytest.mark.parametrize("name", ["config", "bundled_models"])
def test_everything_a_run_makes_is_in_the_folder_of_results(name):
    """The key `results`: the same jobs, with other paths."""
    section, _, targets = ALONE[name]
    snakefile = SNAKEFILES.get(name, "Snakefile")
    before = plan_jobs(section.base, targets, snakefile)
    after = plan_jobs(
        {**section.base, "results": "made-here"},
        [target.replace("results/", "made-here/") for target in targets],
        snakefile,
    )
    moved = sorted(json.dumps(job).replace("made-here", "results") for job in after)
    assert moved == sorted(map(json.dumps, before))
    assert "results/" not in json.dumps(after)


# where ids of a kind are named; of each kind one of the small config
PLACES = {
    "models": ("tiny", {"model", "same_as"}),
    "recipes": ("mirror", {"recipe"}),
    "corpora": ("strings", {"corpus"}),
    "datasets": ("pairs", {"dataset", "datasets"}),
    "tables": ("classes", set()),
    "dictionaries": ("ontology", set()),
}


def _renamed(value, old, places, place=None):
    if isinstance(value, dict):
        return {key: _renamed(one, old, places, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, old, places, place) for one in value]
    return "elsewhere" if place in places and value == old else value


def _comparable(jobs, new, old):
    """Return what jobs get by what they are of, but blocks; lists of files have no order."""
    found = {
        tuple(part.replace(new, old) for part in job.key): {
            option: sorted(word.replace(new, old) for word in words)
            for option, words in job.options.items()
            if "block" not in option and option != "--shards"
        }
        for job in jobs
    }
    # else a job of the first id is left
    assert len(found) == len(jobs)
    return found


@pytest.mark.parametrize("kind", [*PLACES, "seeds"])
def test_another_id_is_in_all_places_of_the_first(kind):
    """No job has the input, the seed or the folder of another one."""
    _, _, targets = ALONE["config"]
    config = small_config()
    if kind == "seeds":
        config["seeds"], new, old = [77, 44], "77", "33"
    else:
        old, places = PLACES[kind]
        new = "elsewhere"
        config = _renamed(config, old, places)
        names = config[kind]
        config[kind] = {new if name == old else name: block for name, block in names.items()}
    found = _comparable(plan_jobs(config, targets), new, old)
    assert found == _comparable(plan_jobs(small_config(), targets), new, old)


def test_the_overview_of_a_table_reaches_the_first_page():
    first = {"task": "Words", "column": "en", "rows": ["bert-mirror"]}
    others = {"task": "Strings", "column": "c1", "rows": ["other"]}
    config = small_config()
    table = config["tables"]["similarity"]
    table["columns"].append({"id": "c1", "label": "C1", "dataset": "pairs-2"})
    table["rows"].append({**table["rows"][1], "id": "other", "label": "other"})

    def index(overview):
        table["overview"] = overview
        [job] = plan_jobs(config, ["results/tables/blocks/index.json"])
        return json.loads(job.options["block"][0])["overview"]["mirror-bert"][0]

    before = index(first)
    found = {key: index({**first, key: value}) for key, value in others.items()}
    assert (before["task"], found["task"]["task"]) == ("Words", "Strings")
    assert (before["column"], found["column"]["column"]) == ("en", "c1")
    shown = [[row["row"] for row in one["rows"]] for one in (before, found["rows"])]
    assert shown == [["bert-mirror"], ["other"]]


def test_the_section_that_the_docs_show_is_one(project):
    page = (project / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n( .*?)^```$", page, flags=re.M | re.S)
    [(name, section)] = eval("{" + code + "}", vars(corpus_sections)).items()
    sentences = corpus_sections.SECTIONS["corpora.sentences"]
    assert name == "corpora.questions" and section.wires == sentences.wires
    assert {*section.changes} == {*sentences.changes} - {"format", "side", "margin"}
    assert [*section.files] == [section.base["path"]]
