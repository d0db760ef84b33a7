"""Results name the inputs whose bytes nobody knew before they were fetched."""

import json

import pytest
from plans import plan_of

LABEL = "the bundled sample data"


@pytest.fixture
def config(small_config, default_config, tmp_path):
    """Tables of data that the registry has hashes of, and of data that it has none of."""
    config = small_config
    config["datasets"]["cometa"] = default_config["datasets"]["cometa"]
    root = tmp_path / "root"
    (root / "cometa/splits").mkdir(parents=True)
    root.joinpath("mine.txt").write_text("a\nb\n")
    config["data"] |= {"root": str(root), "missing": "skip", "fetch": True, "label": LABEL}
    config["corpora"]["mine"] = {"kind": "names", "path": "mine.txt", "size": 2}

    def table(dataset, **row):
        column = {"id": "c", "label": "C", "dataset": dataset}
        first = {"id": "r", "label": "R", "model": "bert-en", "recipe": "base-mp", **row}
        return {"title": "T", "columns": [column], "rows": [first]}

    tuned = {"recipe": "mirror-sentence", "corpus": "mine"}
    config["tables"] = {
        "known": table("sickr"),
        "unknown": table("multisimlex-en"),
        "own": table("sickr", **tuned),
    }
    return config


def notes_of(plan):
    return {name: plan.outputs.resolved("tables", name)["data"] for name in plan.outputs.tables}


def test_tables_and_pages_of_everything_name_what_has_no_known_hash(config):
    plan = plan_of(config)
    said = f"{LABEL}; not checked against a known hash:"
    assert notes_of(plan) == {
        "known": LABEL,
        "unknown": f"{said} multi-simlex",
        # a file that is in no entry of the registry
        "own": f"{said} mine.txt",
    }
    for page in ("scorecard", "index"):
        assert (
            json.loads(plan.outputs.block("tables", page))["data"]
            == f"{said} mine.txt, multi-simlex"
        )


def test_word_vectors_and_development_sets_count_and_what_is_left_out_does_not(config):
    config["models"]["words"] = {"vectors": "fasttext/cc.en.300.bin", "oov": "subwords"}
    config["tables"]["known"]["rows"][0]["model"] = "words"
    development = {"dataset": "multisimlex-en", "every": 10}
    config["recipes"]["mirror-sentence"]["development"] = development
    # gated, and not there
    config["tables"]["unknown"]["columns"][0]["dataset"] = "cometa"
    said = f"{LABEL}; not checked against a known hash:"
    assert notes_of(plan_of(config)) == {
        "known": f"{said} fasttext-en",
        "unknown": LABEL,
        "own": f"{said} mine.txt, multi-simlex",
    }


def test_without_fetching_nothing_was_checked_but_what_ships_with_the_project(config, sample_data):
    config["data"]["fetch"] = False
    said = f"{LABEL}; not checked against known hashes (data.fetch is false)"
    assert set(notes_of(plan_of(config)).values()) == {said}
    config["data"]["root"] = str(sample_data)
    del config["tables"]["own"]
    assert set(notes_of(plan_of(config)).values()) == {LABEL}
