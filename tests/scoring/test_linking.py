"""Hits within k names and accuracy@k of entity linking by hand."""

import pytest

from workflow_scripts.scoring.linking import coverage, hits_at

# Rows 0 and 1 are two names of one concept; row 3 stands for two concepts.
NAME_CONCEPTS = [["D1"], ["D1"], ["D2"], ["D3", "D4"]]


def test_k_counts_names_not_concepts():
    # The gold concept is the second concept but the third name.
    ranked, gold = [[[0, 1, 2]]], [[["D2"]]]
    assert hits_at(2, ranked, NAME_CONCEPTS, gold) == [False]
    assert hits_at(3, ranked, NAME_CONCEPTS, gold) == [True]


def test_any_accepted_id_and_any_concept_of_a_name_counts():
    assert hits_at(1, [[[3]]], NAME_CONCEPTS, [[["D9", "D4"]]]) == [True]
    assert hits_at(1, [[[3]]], NAME_CONCEPTS, [[["D9"]]]) == [False]


@pytest.mark.parametrize(
    ("ranked", "at_1", "at_2"),
    [
        ([[0, 2], [2, 0]], 1, 1),  # both parts first
        ([[2, 0], [2, 0]], 0, 1),  # the first part second
        ([[0, 2], [0, 1]], 0, 0),  # the second part nowhere
    ],
)
def test_a_composite_mention_needs_all_its_parts(ranked, at_1, at_2):
    gold = [[["D1"], ["D2"]]]
    assert hits_at(1, [ranked], NAME_CONCEPTS, gold) == [at_1]
    assert hits_at(2, [ranked], NAME_CONCEPTS, gold) == [at_2]


def test_every_mention_counts_repetitions_kept():
    ranked = [[[0]], [[0]], [[2]], [[0], [2]]]
    gold = [[["D1"]], [["D1"]], [["D1"]], [["D1"], ["D2"]]]
    assert hits_at(1, ranked, NAME_CONCEPTS, gold) == [True, True, False, True]


def test_coverage_asks_for_every_part():
    gold = [[["D1"]], [["D9", "D4"]], [["D1"], ["D9"]], [["D9"]]]
    assert coverage(NAME_CONCEPTS, gold) == 0.5


def test_unequal_parts_are_a_programming_error():
    with pytest.raises(ValueError):
        hits_at(1, [[[0]]], NAME_CONCEPTS, [[["D1"], ["D2"]]])
