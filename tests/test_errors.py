"""Errors are data: their text, and their other places."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from workflow_scripts.downloads.answers import AbsentError
from workflow_scripts.errors import (
    ConfigError,
    MissingKeyError,
    UnknownKeyError,
    UserError,
    damaged_file_error,
)
from workflow_scripts.plan.fetched import MissingError

ERRORS = {
    "a.tsv:3: no words; write one": UserError("a.tsv:3", "no words", "write one"),
    "--k 0: give 1 or more": UserError("--k 0", "give 1 or more", None),
    "out of memory; take less": UserError(None, "out of memory", "take less"),
    "a/b: gone; wait": AbsentError(Path("a/b"), "gone", "wait"),
    "c.yaml: `a.b` is 0; give 1": ConfigError("c.yaml", "a.b", "is 0", "give 1"),
    "c.yaml: key `a.b` is missing; add it": MissingKeyError(Path("c.yaml"), "a.b"),
    "c.yaml: unknown key `a.c`; did you mean": UnknownKeyError("c.yaml", "a.c", "did you mean"),
    "gone; fetch them:\n  a\n  b c": MissingError("gone", "fetch them", ["a", "b\nc"]),
}


@pytest.mark.parametrize(("text", "error"), ERRORS.items())
def test_the_text_is_where_problem_remedy(text, error):
    assert str(error) == text


@pytest.mark.parametrize("error", ERRORS.values())
@pytest.mark.parametrize("copied", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_has_the_same_class_text_and_parts(error, copied):
    for one in (error, error.at("elsewhere")):
        again = copied(one)
        assert type(again) is type(one) and str(again) == str(one) and vars(again) == vars(one)


def _fail(error):
    try:
        raise ValueError("a number")
    except ValueError as cause:
        raise error from cause


def test_an_error_comes_back_from_a_process_pool():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for error in ERRORS.values():
            with pytest.raises(type(error)) as caught:
                pool.submit(_fail, error).result()
            assert vars(caught.value) == vars(error) and str(caught.value) == str(error)


def test_an_error_is_placed_elsewhere_and_itself_unchanged():
    error = UserError("made/text.txt:3", "blank", "fill it")
    with pytest.raises(UserError) as caught:
        _fail(error.at(Path("own.txt")))
    assert isinstance(caught.value.__cause__, ValueError)
    assert str(caught.value) == "own.txt: blank; fill it"
    assert str(error) == "made/text.txt:3: blank; fill it"
    assert str(error.within("set a")) == "set a: made/text.txt:3: blank; fill it"
    assert str(UserError(None, "blank", None).within("set a")) == "set a: blank"
    # the subject of the sentence is replaced
    own = ConfigError("c.yaml", "a.b", "is 0", "give 1").at("--b")
    assert str(own) == "--b is 0; give 1" and own.key == "a.b"
    assert type(AbsentError("a", "gone", None).at("b")) is AbsentError


@pytest.mark.parametrize("named", ["made/a.txt", "made/a.txt:3", "made/a.txt: `key`"])
def test_a_file_is_called_by_another_name_with_its_line(named):
    error = UserError(named, "blank", None)
    renamed = error.renamed(Path("made/a.txt"), "own.txt")
    assert renamed.where == named.replace("made/a.txt", "own.txt")
    for other in ("made/a", "made/a.txt.gz", "a.txt"):
        assert error.renamed(other, "own.txt").where == named
    assert UserError(None, "blank", None).renamed("made/a.txt", "own.txt").where is None


def test_damage_is_named_by_the_file_and_what_a_user_does_wrong_is_left():
    with (
        pytest.raises(UserError, match=r"^a\.npy: damaged \(KeyError: 'x'\); make it"),
        damaged_file_error(Path("a.npy"), "make it"),
    ):
        raise KeyError("x")
    with pytest.raises(UserError) as caught, damaged_file_error("a.npy"):
        raise ERRORS["out of memory; take less"]
    assert caught.value is ERRORS["out of memory; take less"]
