"""Errors are data: their text, their other places, and how the code makes and reads them."""

import ast
import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import cache
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
PROJECT = Path(__file__).resolve().parents[1]
# the classes of errors, and of how many parts one is made
KINDS = dict.fromkeys(("UserError", "AbsentError", "UnknownKeyError", "MissingError"), 3)
KINDS |= {"MissingKeyError": 2, "ConfigError": 4}
# methods of text, and functions of `re`
PARSING = {*("sub", "subn", "search", "match", "fullmatch", "findall", "finditer", "replace")}
PARSING |= {*("partition", "rpartition", "split", "rsplit", "splitlines", "find", "index", "count")}
PARSING |= {*("startswith", "endswith", "removeprefix", "removesuffix")}


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


@cache
def modules():
    names = ("workflow_scripts", "mirror_bert", "benchmarks", "bundled_models", "tools")
    folders = [PROJECT / name for name in names]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return {file.relative_to(PROJECT): ast.parse(file.read_text("utf-8")) for file in files}


def name_of(node):
    return getattr(node, "id", None) or getattr(node, "attr", None)


def kinds_of(node):
    """Return the classes of errors that an expression names: one, a choice, or several."""
    if isinstance(node, ast.IfExp):
        return kinds_of(node.body) | kinds_of(node.orelse)
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {name_of(part) for part in parts} & set(KINDS)


def made_errors():
    """Yield where an error is made, the number of its parts, and the call."""
    for file, module in modules().items():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and (kinds := kinds_of(node.func)):
                (number,) = {KINDS[kind] for kind in kinds}
                yield f"{file}:{node.lineno}", number, node


def literal(node):
    """Return what of a string is not computed."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def test_an_error_is_made_of_its_parts():
    found = list(made_errors())
    assert len(found) > 400
    for place, number, call in found:
        assert len(call.args) == number and not call.keywords, place
        # the separator is that of the text
        assert not any("; " in literal(part) for part in call.args[:-1]), place


def test_a_remedy_is_left_out_only_where_the_problem_says_what_to_do():
    missing = {place: call for place, _, call in made_errors() if literal(call.args[-1]) == "None"}
    assert len(missing) <= 21
    for place, call in missing.items():
        # or where each of several things has its own
        of_several = isinstance(call.func, ast.Name) and call.func.id == "MissingError"
        # or the text of a block's own check, which has both
        of_block = ast.unparse(call.args[1]) == "first['msg']"
        starts = literal(call.args[1]).startswith(("give ", "write "))
        assert starts or of_several or of_block, place


def errors_in(module):
    """Yield the names that errors have in a module, each with the code that knows it by it."""
    for node in ast.walk(module):
        if isinstance(node, ast.ExceptHandler) and node.name and node.type and kinds_of(node.type):
            yield node.name, node
        if isinstance(node, ast.FunctionDef):
            for argument in node.args.args:
                if argument.annotation and kinds_of(argument.annotation):
                    yield argument.arg, node


def is_text_of(node, name):
    """Return whether a node is the text, or the arguments, of the error of that name."""
    if isinstance(node, ast.Call) and name_of(node.func) in ("str", "repr"):
        return any(name_of(one) == name for one in node.args)
    if isinstance(node, ast.FormattedValue):
        return name_of(node.value) == name
    return isinstance(node, ast.Attribute) and node.attr == "args" and name_of(node.value) == name


def taken_apart(module):
    """Yield the lines where the text of an error is taken apart, or put into another error."""
    for name, code in errors_in(module):
        nodes = list(ast.walk(code))
        texts = {node for node in nodes if is_text_of(node, name)}
        # and variables that hold it
        holding = [node for node in nodes if isinstance(node, ast.Assign | ast.NamedExpr)]
        holding = [node for node in holding if texts & {*ast.walk(node.value)}]
        names = {name_of(one) for node in holding for one in getattr(node, "targets", ())}
        names |= {name_of(node.target) for node in holding if isinstance(node, ast.NamedExpr)}
        texts |= {node for node in nodes if isinstance(node, ast.Name) and node.id in names}
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            method = isinstance(node.func, ast.Attribute) and node.func.attr in PARSING
            taken = [*node.args, *([node.func.value] if method else [])]
            if (method or kinds_of(node.func)) and texts & {
                n for one in taken for n in ast.walk(one)
            }:
                yield node.lineno


APART = [
    "str(error).replace('a', 'b')",
    "re.search('a', str(error))",
    "error.args[0].partition(': ')",
    "f'{error}'.startswith('a')",
    "raise UserError(None, f'a: {error}', None)",
    "text = str(error); first, _ = text.split(';')",
    "(text := f'{error} too').removeprefix('a')",
]
WHOLE = ["raise error.at('a')", "print(error)", "reasons.append(str(error))", "raise"]


@pytest.mark.parametrize(
    "around", ["try: run()\nexcept UserError as error:", "def a(error: UserError):"]
)
@pytest.mark.parametrize("code", [*APART, *WHOLE])
def test_a_message_that_is_taken_apart_is_seen(code, around):
    assert bool(list(taken_apart(ast.parse(f"{around}\n    {code}")))) == (code in APART)


def test_no_message_of_ours_is_taken_apart():
    lines = [f"{file}:{line}" for file, one in modules().items() for line in taken_apart(one)]
    assert lines == []
