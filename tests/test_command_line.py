"""The command line that is made of a path function: its words, its errors and its help."""

import importlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.path_functions import MAY_BE_BARE, command, command_of_modes
from workflow_scripts.sources import PACKAGES

PROJECT = Path(__file__).resolve().parents[1]
calls: list[dict[str, Any]] = []


@dataclass(frozen=True)
class MachineOptions:
    """What a command runs on.

    Args:
        device: where it runs
        max_length: tokens a string is cut to
    """

    device: Literal["cpu", "cuda"]
    max_length: int = 64


def convert(
    file: str,
    /,
    *,
    block: dict[str, Any],
    words: Sequence[str] = (),
    corpora: Sequence[Path],
    machine: MachineOptions,
    text: str = "none",
    rate: float | None = None,
    mirror: Annotated[str | None, MAY_BE_BARE] = None,
    quick: bool = False,
    more: Sequence[str] | None = None,
    way: Literal["long", "short"] | None = None,
) -> None:
    """Convert a file.

    In a way
    that takes long.

    Args:
        file: what is converted
        block: how, as JSON
        corpora: text files, one string
            a line
        text: what is written; the default is nothing
        rate: of all
        quick: leave the rest out
    """
    calls.append({key: value for key, value in locals().items()})


main = command(convert, "COMMAND a.txt --quick")
NEEDED = {
    "file": ["a.txt"],
    "block": ["--block", '{"a": [1]}'],
    "corpora": ["--corpora", "c", "d"],
    "device": ["--device", "cpu"],
}


def run(*words: str, without: str = "") -> dict[str, Any]:
    """Return what the function gets from the needed words and `words`."""
    calls.clear()
    main([word for name, part in NEEDED.items() if name != without for word in part] + [*words])
    return calls[0]


def test_a_function_gets_values_of_its_types_and_its_own_defaults():
    assert run() == {
        **{"file": "a.txt", "block": {"a": [1]}, "corpora": [Path("c"), Path("d")], "words": ()},
        **{"machine": MachineOptions("cpu", 64), "text": "none", "rate": None, "mirror": None},
        **{"quick": False, "more": None, "way": None},
    }
    values = run("--rate", "-1e-3", "--quick", "--max-length=8", "--words", "--text", "")
    assert (values["rate"], values["quick"], values["words"], values["text"]) == (
        -1e-3,
        True,
        [],
        "",
    )
    assert values["machine"] == MachineOptions("cpu", 8)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        # what a typed reader would take for other than text
        *((["--text", text], "text", text) for text in ("none", "null", "{}", "[]", "...", "3")),
        (["--words", "none", '["a"]', "1"], "words", ["none", '["a"]', "1"]),
        # the last value of a scalar counts, a list grows
        (["--text", "a", "--text", "b"], "text", "b"),
        (["--words", "a", "--words", "b", "c"], "words", ["a", "b", "c"]),
        (["--quick", "--quick"], "quick", True),
        # standard input, as a value of its own and only there
        (["--text", "-"], "text", "-"),
        (["--text=-"], "text", "-"),
        (["--words", "-", "a", "-", "--quick"], "words", ["-", "a", "-"]),
        (["--text=--quick"], "text", "--quick"),
        (["--mirror"], "mirror", None),
        (["--mirror", "--quick"], "mirror", None),
        (["--mirror", ""], "mirror", ""),
        (["--mirror", "m"], "mirror", "m"),
        (["--rate", "5"], "rate", 5.0),
    ],
)
def test_words_are_values_as_they_are(words, name, value):
    assert run(*words)[name] == value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--qick"], "--qick: no such option; did you mean '--quick'?"),
        (["--max-lenght=3"], "--max-lenght: no such option; did you mean '--max-length'?"),
        (["--max", "3"], "--max: no such option; "),
        (["-q"], "-q: no such option; known are --block, --corpora, "),
        (["--no-quick"], "--no-quick: no such option; "),
        (["--machine.device", "cpu"], "--machine.device: no such option; "),
        (["--quick", "-", "", "a b"], "- '' 'a b': not expected here; --help lists the options"),
        (["--text"], "--text: has no value; give one"),
        (["--text", "--quick"], "--text: has no value; give one"),
        (["--more"], "--more: has no value; give one"),
        (["--way", "lang"], "--way lang: unknown; did you mean 'long'?"),
        (["--text", "--", "a"], "--text: has no value; give one"),
        (["--mirror", "a", "b"], "b: not expected here; --help lists the options"),
        (["--text", "a", "-5"], "-5: not expected here; --help lists the options"),
        (["--quick=very"], "--quick: is a flag; give it without a value"),
        (["--max-length", "4_5"], "--max-length 4_5: not a whole number; give one such as 10"),
        (["--max-length", "0x10"], "--max-length 0x10: not a whole number"),
        (["--max-length", "2.0"], "--max-length 2.0: not a whole number"),
        (["--max-length", "\u0664"], "--max-length \u0664: not a whole number"),
        (["--max-length", "9" * 5000], "--max-length 999"),
        (["--rate", "nan"], "--rate nan: not a number; give one such as 0.5"),
        (["--rate", "0_1"], "--rate 0_1: not a number"),
        (["--device", "cud"], "--device cud: unknown; did you mean 'cuda'?"),
        (["--device", "CPU"], "--device CPU: unknown; known are cpu, cuda"),
        (["--block", "{"], "--block: not valid JSON (Expecting property name"),
        (["--block", "[1]"], '--block: not a JSON object; give {"key": value, ...}'),
    ],
)
def test_words_that_do_not_fit_are_one_line_that_names_the_option(words, message):
    with pytest.raises(UserError) as caught:
        run(*words)
    assert str(caught.value).startswith(message) and calls == []


def test_all_that_is_missing_is_named_at_once():
    for name in ("block", "corpora", "device"):
        with pytest.raises(UserError, match=rf"^--{name}: missing; see python -m .* --help$"):
            run(without=name)
    with pytest.raises(UserError, match=r"^FILE, --block, --corpora, --device: missing; see "):
        main([])
    with pytest.raises(UserError, match=r"^--corpora: has no value; give one$"):
        run("--corpora", without="corpora")


def test_help_is_plain_text_by_group_with_the_example(capsys):
    for words in (["--help"], ["a.txt", "-h"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert capsys.readouterr().out == HELP.lstrip()


HELP = """
usage: python -m tests.test_command_line FILE --block JSON --corpora PATH ... --device cpu|cuda
  [OPTION ...]

Convert a file.

In a way that takes long.

arguments:
  FILE  what is converted

options:
  --block JSON        how, as JSON
  --corpora PATH ...  text files, one string a line
  --words TEXT ...
  --text TEXT         what is written; the default is nothing
  --rate NUMBER       of all
  --mirror [TEXT]
  --quick             leave the rest out
  --more TEXT ...
  --way long|short

machine:
  --device cpu|cuda  where it runs
  --max-length N     tokens a string is cut to; default 64

example (in a checkout):
  python -m tests.test_command_line a.txt --quick
""".replace("tests.test_command_line", __name__)


def shorten(*, words: Sequence[str]) -> None:
    """Shorten words.

    All of them.

    Args:
        words: what is shortened
    """
    calls.append({"words": words})


modal = command_of_modes({"convert": convert, "shorten": shorten}, "Do two things.", "COMMAND x")


def test_the_first_word_of_a_command_of_modes_leads_to_a_path_function(capsys):
    calls.clear()
    modal(["shorten", "--words", "a", "b"])
    assert calls == [{"words": ["a", "b"]}]
    for words, message in (
        ([], "MODE: missing; give convert or shorten"),
        (["shortn", "--words", "a"], "shortn: no such mode; did you mean 'shorten'?"),
        (["shorten", "--word", "a"], "--word: no such option; did you mean '--words'?"),
        (["shorten"], f"--words: missing; see python -m {__name__} shorten --help"),
    ):
        with pytest.raises(UserError) as caught:
            modal(words)
        assert str(caught.value) == message
    for words, page in ((["--help"], MODES_HELP), (["shorten", "-h"], MODE_HELP)):
        with pytest.raises(SystemExit):
            modal(words)
        assert capsys.readouterr().out == page.lstrip()


MODES_HELP = f"""
usage: python -m {__name__} convert|shorten [OPTION ...]

Do two things.

modes (MODE --help lists the options of each):
  convert  Convert a file.
  shorten  Shorten words.

example (in a checkout):
  python -m {__name__} x
"""
MODE_HELP = f"""
usage: python -m {__name__} shorten --words TEXT ... [OPTION ...]

Shorten words.

All of them.

options:
  --words TEXT ...  what is shortened
"""


def path_functions() -> list[str]:
    """Return the modules whose command line is made of path functions."""
    files = [file for package in PACKAGES for file in sorted((PROJECT / package).rglob("*.py"))]
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    modules = [file for file, text in texts.items() if "\nmain = command" in text]
    return [".".join(file.relative_to(PROJECT).with_suffix("").parts) for file in modules]


def test_there_are_path_functions_of_all_stages():
    assert {module.split(".")[-2] for module in path_functions()} >= {
        *("corpora", "datasets", "downloads", "embedding", "figures", "retrieval", "scoring"),
        *("tables", "tuning_grid"),
    }


@pytest.mark.parametrize("module", path_functions())
def test_the_help_of_each_command_fits_a_screen_and_tells_all(module, capsys):
    from workflow_scripts.command_line import format_help, format_modes, read_help

    imported, name = importlib.import_module(module), module.rpartition(".")[2]
    main, example = imported.main, getattr(imported, "EXAMPLE", "")
    # of read_dataset the object function has the name of the module
    own = {"read_dataset": "write_dataset"}.get(name, name)
    modes = getattr(main, "modes", None) or {own: main.path_function}
    pages = [format_help(function, example) for function in modes.values()]
    if len(modes) > 1:
        pages.append(format_modes(modes, main.about, example))
    for mode, function in modes.items():
        assert function.__name__ == mode
        about, groups = read_help(function)
        rows = [row for group in groups for row in group.options]
        assert about and all(text for _, text in rows), rows
    for page in pages:
        own = page.partition("\nexample ")[0].splitlines()
        assert len(page.splitlines()) <= 75 and max(map(len, own)) <= 100, page


def test_a_mistake_is_one_line_and_a_command_that_runs_waits_for_no_help(tmp_path):
    """What reads docstrings is for the help alone."""
    code = """
import runpy, sys
runpy.run_module("workflow_scripts.tables.assemble_scores", run_name="__main__", alter_sys=True)
print([name for name in ("docstring_parser",) if name in sys.modules])
"""
    (tmp_path / "block.json").write_text("[]")

    def run_step(*words):
        command = [sys.executable, "-c", code, "--block", str(tmp_path / "block.json"), *words]
        result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    assert run_step("--output", str(tmp_path / "scores.tsv")) == (0, "[]\n", "")
    message = "error: --outptu: no such option; did you mean '--output'?\n"
    assert run_step("--outptu", "o") == (2, "", message)
