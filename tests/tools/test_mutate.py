"""The scores and the report of mutation tests; `make mutate` alone makes mutants."""

import pytest

from tools.mutate import GROUPS, Mutant, read_equivalent, score_of, survivors, write_report

FILE = "workflow_scripts/scoring/bootstrap.py"
OUTCOMES = ["killed", "survived", "no tests", "timeout or crash", "survived", "killed"]


def mutant(number):
    return Mutant(FILE, "resamples", f"n + {number} => n - {number}")


def result(outcomes):
    tried = [mutant(n)._asdict() | {"outcome": one} for n, one in enumerate(outcomes)]
    return {"mutants": 90, "tried": tried, "failing": []}


def test_equivalent_mutants_are_neither_killed_nor_missed():
    found, equivalent = result(OUTCOMES), {mutant(4): "the same", mutant(0): "killed all the same"}
    assert survivors(found) == [mutant(1), mutant(2), mutant(4)]
    score = score_of(found, equivalent)
    assert score == (90, 6, 1, 3)
    # Wilson's interval of 3 of 5, by its formula
    centre, half = (3 + 1.96**2 / 2) / (5 + 1.96**2), 1.96 * (0.6 * 0.4 * 5 + 1.96**2 / 4) ** 0.5
    ends = [100 * (centre + sign * half / (5 + 1.96**2)) for sign in (-1, 1)]
    assert str(score) == f"60.0 ({ends[0]:.0f} to {ends[1]:.0f})"


def test_the_report_compares_and_lists_survivors_with_reasons():
    equivalent = {mutant(4): "The same value."}
    before = {"scoring": result(["survived", "killed"])}
    text = write_report({"scoring": result(OUTCOMES)}, {"before": before}, equivalent)
    heads, rule, row = [line for line in text.splitlines() if line.startswith("|")]
    assert heads.endswith("| score, % (95%) | before |")
    assert rule == "| --- |" + " --: |" * 6
    assert row.startswith("| scoring | 90 | 6 | 1 | 3 | 60.0 (") and "| 50.0 (" in row
    alive = [line for line in text.splitlines() if line.startswith("- scoring/bootstrap.py")]
    assert len(alive) == 3
    assert alive[0].endswith("`n + 1 => n - 1`. Not equivalent: no test notices.")
    assert alive[2].endswith("`n + 4 => n - 4`. The same value.")


@pytest.mark.parametrize("name", GROUPS)
def test_groups_name_files_and_tests_of_the_project(name, project):
    group = GROUPS[name]
    assert all(list((project / "workflow_scripts").glob(file)) for file in group.files)
    assert all((project / test).exists() for test in group.tests)


def test_equivalent_mutants_are_of_files_of_the_groups(project):
    known = {
        str(path.relative_to(project))
        for group in GROUPS.values()
        for file in group.files
        for path in (project / "workflow_scripts").glob(file)
    }
    listed = read_equivalent()
    assert {one.file for one in listed} <= known
    assert all(" => " in one.change and reason.endswith(".") for one, reason in listed.items())
