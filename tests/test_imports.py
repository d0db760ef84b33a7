"""Imports: no circles; of large packages, the garbage collector within and their threads."""

import gc
import os
from collections import defaultdict
from graphlib import TopologicalSorter

import grimp
import pytest

from workflow_scripts.imports import default_threads, quick_imports


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_off_within_and_as_before_afterwards(enabled):
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with quick_imports():
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
        with pytest.raises(ImportError), quick_imports():
            raise ImportError
        assert gc.isenabled() == enabled
    finally:
        gc.unfreeze()
        (gc.enable if was_enabled else gc.disable)()


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "2000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, None)],
)
def test_threads_do_not_spin_for_long_unless_the_user_says_how(given, expected, monkeypatch):
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with quick_imports():
        pass
    assert os.environ.get("GOMP_SPINCOUNT") == expected


@pytest.mark.parametrize(
    ("given", "expected"), [("3", 3), ("4,2", 4), ("", None), ("0", None), ("many", None)]
)
def test_the_threads_of_a_command_not_told_are_those_of_openmp(given, expected, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert default_threads() == (expected or os.cpu_count())


def test_neither_modules_nor_packages_import_each_other_in_a_circle():
    """Nor in functions or for types alone."""
    graph = grimp.build_graph("workflow_scripts", "mirror_bert")
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    TopologicalSorter(imports).prepare()
    packages = defaultdict(set)
    for name, imported in imports.items():
        for other in imported:
            own, its = (one.split(".")[1:-1][:1] for one in (name, other))
            if own and its and own != its:
                packages[own[0]].add(its[0])
    TopologicalSorter(packages).prepare()
