"""The one command: its names, its help, and that it runs where make or pip put it."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from workflow_scripts.cli import COMMANDS

# what no help waits for
HEAVY = ("torch", "transformers", "sklearn", "scipy", "onnxruntime")


def example_of(module):
    return importlib.import_module(f"workflow_scripts.{module}").EXAMPLE.strip()


def run(*words, **options):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, **options)


def test_each_command_has_a_name_and_none_is_left_out(project):
    files = (project / "workflow_scripts").glob("*.py")
    commands = {file.stem for file in files if file.read_text().startswith('"""Command: ')}
    assert {module for module, _ in COMMANDS.values()} == commands


def test_no_help_waits_for_torch_and_each_shows_its_example(project):
    code = f"""
import contextlib, importlib, sys
for module in {[module for module, _ in COMMANDS.values()]}:
    print(f"== {{module}}")
    with contextlib.suppress(SystemExit):
        importlib.import_module(f"workflow_scripts.{{module}}").main(["--help"])
print("==", [name for name in {HEAVY} if name in sys.modules])
"""
    result = run(sys.executable, "-c", code, cwd=project)
    *pages, heavy = result.stdout.split("== ")[1:] if not result.stderr else [result.stderr]
    assert heavy == "[]\n"
    for page in pages:
        module, usage, *_ = page.split("\n")
        assert usage.startswith(f"usage: python -m workflow_scripts.{module} ")
        assert "Command: " not in page
        last = example_of(module).splitlines()[-1].replace("COMMAND", usage.split()[3])
        assert page.rstrip().endswith(last.split()[-1])


def test_messages_name_the_command_that_was_typed(mirror_bert, project, tmp_path):
    result = run(mirror_bert, "--help")
    assert result.returncode == 0 and all(f"\n  {name} " in result.stdout for name in COMMANDS)
    assert run(mirror_bert).returncode == 2
    result = run(mirror_bert, "tuen")
    assert result.returncode == 2
    assert result.stderr == "error: mirror-bert tuen: no such command; did you mean 'tune'?\n"
    # as of a variable of the shell that is not set
    said = run(mirror_bert, "link", "--encoder", "e", "--mentions", "m", "", "a b").stderr
    assert said == "error: '' 'a b': not expected here; --help lists the options\n"
    lines = run(mirror_bert, "link", "--help").stdout.splitlines()
    assert lines[0].startswith("usage: mirror-bert link --encoder TEXT")
    assert any(" | mirror-bert link --encoder my-encoder" in line for line in lines)
    result = run(mirror_bert, "search", "nearest")
    assert result.stderr.startswith(
        "error: --encoder, --strings, --queries, --output: missing; see "
    )
    assert result.stderr.endswith(" mirror-bert search nearest --help\n")
    result = run(sys.executable, "-m", "workflow_scripts", "link", cwd=project)
    help_is = "see python -m workflow_scripts link --help"
    assert result.stderr == f"error: --encoder, --mentions: missing; {help_is}\n"


def test_an_interrupt_while_the_command_starts_is_one_line(mirror_bert, tmp_path):
    (tmp_path / "importlib.py").write_text("raise KeyboardInterrupt\n")
    (tmp_path / "difflib.py").write_text("raise KeyboardInterrupt\n")
    result = run(mirror_bert, "tune", env={"PYTHONPATH": str(tmp_path)})
    assert (result.returncode, result.stderr) == (130, "interrupted\n")


def copy_sources(project, folder):
    """Copy the files that git has of the project, without data, tests and documents."""
    files = run("git", "ls-files", "-co", "--exclude-standard", cwd=project).stdout.splitlines()
    for name in files:
        if name.split("/")[0] not in ("resources", "tests", "docs"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, folder / name)


def finds_its_config(mirror_bert, folder, **options):
    """See that an installed command reads the recipes and data sets that it came with."""
    (folder / "corpus.txt").write_text("a\n")
    words = ("--model", "m", "--corpus", folder / "corpus.txt", "--output", folder / "out")
    told = run(mirror_bert, "tune", *words, "--recipe", "mirror-wrod", cwd=folder, **options)
    wanted = (
        r"error: --recipe mirror-wrod: no such recipe in \S+/config/recipes\.yaml; did you mean "
    )
    assert re.fullmatch(rf"{wanted}'mirror-word'\?\n", told.stderr), told.stderr
    (folder / "m").mkdir()
    words = ("--model", "m", "--pooling", "cls", "--data-root", ".", "--output", "scores.json")
    told = run(mirror_bert, "evaluate", *words, "--datasets", "stsben", cwd=folder, **options)
    assert "did you mean 'stsb'?" in told.stderr


@pytest.mark.slow
def test_make_puts_the_command_into_the_environment_without_network(project, tmp_path):
    copy_sources(project, tmp_path)
    # a Python whose new environments see the packages of this one, as if they had been installed
    python = tmp_path / "python"
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    script = f"""#!/bin/sh
[ "$2" = venv ] && set -- "$@" --without-pip
{shlex.quote(sys.executable)} "$@" || exit
[ "$2" != venv ] || echo {shlex.quote(packages)} > "$(echo "$3"/lib/python*/site-packages)/all.pth"
"""
    python.write_text(script)
    python.chmod(0o755)
    offline = {**os.environ, "PIP_NO_INDEX": "1"}
    made = run("make", "environment", f"PYTHON={python}", cwd=tmp_path, env=offline)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / ".venv" / ".ready").is_file()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    finds_its_config(tmp_path / ".venv" / "bin" / "mirror-bert", elsewhere)


@pytest.mark.slow
def test_pip_install_of_a_checkout_brings_the_config(project, tmp_path):
    copy_sources(project, tmp_path / "checkout")
    target = tmp_path / "installed"
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", target)
    pip = run(sys.executable, "-m", "pip", "install", *options, tmp_path / "checkout")
    assert pip.returncode == 0, pip.stderr
    shutil.rmtree(tmp_path / "checkout")
    finds_its_config(
        target / "bin" / "mirror-bert", tmp_path, env={**os.environ, "PYTHONPATH": str(target)}
    )


@pytest.mark.nightly
def test_the_examples_of_the_manuals_run_as_written(linked_checkout, run_as_written):
    # `push` needs the hub
    for name, (module, _) in [item for item in COMMANDS.items() if item[0] != "push"]:
        words = example_of(module).replace("COMMAND", f"mirror-bert {name}")
        run_as_written(words, linked_checkout)


def test_the_version_is_that_of_the_project(mirror_bert, project):
    declared = re.search(r'^version = "(.*)"$', (project / "pyproject.toml").read_text(), re.M)
    assert run(mirror_bert, "--version").stdout == f"mirror-bert {declared[1]}\n"


def test_a_reader_that_has_enough_is_no_error(mirror_bert):
    # more than a pipe holds, so that the command writes after its reader has gone
    many = f"{shlex.quote(str(mirror_bert))} recipes | true; exit ${{PIPESTATUS[0]}}"
    for _ in range(3):
        result = run("bash", "-c", many)
        assert result.returncode in (0, 1) and "Traceback" not in result.stderr


def test_each_target_of_make_is_explained(project):
    # make of make, as in `make test`, says where it goes
    text = run("make", "--no-print-directory", "help", cwd=project).stdout
    makefile = (project / "Makefile").read_text()
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split()
    internal = {"help", "packages", "lock", "rulegraph", "clean"}
    internal |= {f"{kind}-packages" for kind in ("cluster", "pages", "latex")}
    assert all(re.search(rf"\b{target}\b", text) for target in set(targets) - internal)
    assert text.startswith("One command from a fresh machine")
