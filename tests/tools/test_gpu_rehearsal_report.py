"""The page and the rows of a rehearsal, from counts made up by hand."""

import csv
from dataclasses import replace
from io import StringIO

import pytest

from tools.gpu_rehearsal.cards import CARDS
from tools.gpu_rehearsal.rehearse import Counts
from tools.gpu_rehearsal.report import Result, page_of, rows_of
from tools.gpu_rehearsal.scenarios import MODELS, SCENARIOS, SHORT, Embedding, Scenario

# seconds, by card
BOUNDS = (1.5, 0.678, 0.0123, 0.00456)
SMALL, LARGE = CARDS[0].usable, CARDS[-1].usable
CACHE = "out of memory: continuing slice by slice (gradient cache), same results"
PARTS = "out of memory: continuing in parts of {} strings or fewer, same results"
COUNTS = Counts(
    step=2,
    parameters=1_000_000_000,
    operators={"mm": 3, "view": 4},
    launches=3,
    flops=2_500_000_000_000,
    moved=1_234_000_000,
    copied={},
    peak=4_500_000_000,
    peak_by_category={"weights": 4_000_000_000, "activations": 500_000_000},
    most_by_category={},
    bounds=dict(zip((card.name for card in CARDS), BOUNDS, strict=True)),
    synchronisations={"tuning/losses.py:42: a value is read": 7, "elsewhere: boolean index": 2},
)
WORDS = Scenario("mirror-word", "BERT-base", paper="1 s, a card")


def line_of(page, heading, name):
    section = page.split(f"## {heading}")[1].split("\n## ")[0]
    (line,) = [line for line in section.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    ("answers", "fits"),
    [
        ([], "whole"),
        ([CACHE], "gradient cache"),
        ([CACHE, PARTS.format(200), PARTS.format(100)], "parts of 100"),
    ],
)
def test_how_a_step_is_taken_is_read_off_what_the_run_said(answers, fits):
    assert Result(WORDS, SMALL, replace(COUNTS, answers=answers)).fits == fits


def test_the_page_says_first_that_it_counts_and_what_it_leaves_out():
    first, second, *_ = page_of([Result(WORDS, LARGE, COUNTS)]).split("\n\n")
    assert first == "# Rehearsal on a fake GPU"
    assert "counts, not times" in second.replace("\n", " ")


def test_a_step_has_its_counts_its_memory_and_what_fits_which_card():
    refused = "weights take 16.0 GB; use a smaller model"
    page = page_of([Result(WORDS, LARGE, COUNTS), Result(WORDS, SMALL, refused)])
    name = WORDS.name
    work = [name, "9", "7", "3", "2.50", "1.23"]
    work += ["1.50 s", "678 ms", "12.3 ms", "4.56 ms", "1 s, a card"]
    assert line_of(page, "What a step asks for", name) == work
    assert line_of(page, "Memory of a step", name)[:4] == [name, "whole", "4.50", "4.00"]
    assert line_of(page, "What fits", name) == [
        *(name, "16.0", "no", "", "not rehearsed", "", "whole", "4.50"),
    ]
    assert f"- {refused}" in page
    places = line_of(page, "Where the host waits", "tuning/losses.py:42: a value is read")
    assert places[1:] == ["7", name]


def test_a_card_that_was_left_out_is_said_to_be():
    page = page_of([Result(WORDS, LARGE, COUNTS)])
    assert line_of(page, "What fits", WORDS.name)[2] == "not rehearsed"


def test_rows_are_tidy():
    results = [Result(WORDS, LARGE, COUNTS), Result(Embedding("tiny"), SMALL, "too small")]
    rows = list(csv.DictReader(StringIO(rows_of(results)), delimiter="\t"))
    assert [row["scenario"] for row in rows] == [WORDS.name, Embedding("tiny").name]
    assert rows[0]["kernels"] == "3" and rows[0]["peak_activations"] == "500000000"
    assert rows[0]["synchronisations"] == "9" and rows[0]["bound_seconds_H100_80GB"] == "0.00456"
    assert rows[1]["fits"] == "no" and rows[1]["flops"] == ""


def test_scenarios_have_names_of_their_own_models_and_recipes():
    names = [scenario.name for scenario in (*SCENARIOS, *SHORT)]
    assert len(set(names[: len(SCENARIOS)])) == len(SCENARIOS)
    for scenario in (*SCENARIOS, *SHORT):
        assert scenario.model in MODELS
        if isinstance(scenario, Scenario):
            assert scenario.recipe().batch_size > 1


def test_methods_sizes_precisions_and_optimisers_are_all_rehearsed():
    steps = [scenario for scenario in SCENARIOS if isinstance(scenario, Scenario)]
    recipes = [step.recipe() for step in steps]
    methods = {"mirror", "cmlm", "mlm", "quickthought", "bitext", "nli"}
    assert {recipe.method for recipe in recipes} == methods
    assert {recipe.optimiser for recipe in recipes} == {"adamw", "lamb"}
    assert {step.precision for step in steps} == {"bfloat16", "float16"}
    assert {step.inputs for step in steps} == {"full", "ragged"}
