"""The environments of conda and the container hold what the lock file says."""

import ast
import hashlib
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from synthetic_files import synthetic

from workflow_scripts.cli import COMMANDS
from workflow_scripts.sources import PACKAGES, sources

PYTHON, PIP = "3.11.7", "23.2.1"


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def sections_of(file):
    """Return the lines of each section of an Apptainer definition, the head's under ""."""
    sections, name = {"": []}, ""
    for line in file.read_text().replace("\\\n", " ").splitlines():
        if line.startswith("%"):
            name = line[1:]
            sections[name] = []
        elif line.strip() and not line.strip().startswith("#"):
            sections[name].append(" ".join(line.split()))
    return sections


@pytest.fixture(scope="module")
def locked(project):
    lines = (project / "requirements.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    return {normalised(name): version for name, version in pins.items()}


def test_the_lock_file_pins_what_the_project_names_and_the_docs_say_why(project, locked):
    reasons = (project / "envs" / "README.md").read_text()
    lines = (project / "requirements.in").read_text().splitlines()
    named = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert len(named) > 15
    for package in named:
        assert package.specifier.contains(locked[normalised(package.name)])
        assert re.search(rf"\b{re.escape(package.name)}\b", reasons), package.name


def steps_of(rule_files, environment):
    """Return the steps of the rules that run in a conda environment."""
    blocks = [block for file in rule_files for block in file.read_text().split("\nrule ")[1:]]
    blocks = [block for block in blocks if "shell:" in block]
    assert all("conda:" in block for block in blocks)
    of_it = [block for block in blocks if f'"../envs/{environment}.yaml"' in block]
    return [re.search(r'sources\(\s*"([^"]+)"', block)[1] for block in of_it]


def loaded_by_name(project, step):
    """Return the modules in the folders of a step's package: it loads those of a given name."""
    package = step.split(".")[0]
    files = (project / "workflow_scripts" / package).glob("*/[a-z]*.py")
    return [
        f"{package}.{file.parent.name}.{file.stem}" for file in files if file.stem != "register"
    ]


def imported_packages(project, steps):
    """Return the packages that the sources of steps import, functions included."""
    names = set()
    # which makes the command line of each, and is loaded by name
    files = {*sources("command_line")}
    for file in files | {
        f for step in steps for f in sources(step, *loaded_by_name(project, step))
    }:
        for node in ast.walk(ast.parse((project / file).read_text())):
            if isinstance(node, ast.Import):
                names.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    names -= {*PACKAGES, *sys.stdlib_module_names}
    distributions = packages_distributions()
    return {normalised(distributions[name][0]) for name in names}


def with_their_needs(packages):
    """Return packages and all that the installed ones say they need on Linux, by marker and extra.

    Of torch it is what the CPU build needs, which is what is tested; the other brings CUDA as well.
    """
    environment = default_environment() | {
        **{"python_version": "3.11", "python_full_version": PYTHON},
        **{"platform_system": "Linux", "sys_platform": "linux", "platform_machine": "x86_64"},
    }
    found, todo = set(), [(package, "") for package in packages]
    while todo:
        package, extra = todo.pop()
        if (package, extra) in found:
            continue
        found.add((package, extra))
        for text in requires(package) or []:
            need = Requirement(text)
            if normalised(need.name).startswith(("nvidia-", "cuda-", "triton")):
                continue
            if need.marker is None or need.marker.evaluate(environment | {"extra": extra}):
                todo += [(normalised(need.name), extra) for extra in ("", *need.extras)]
    return {package for package, _ in found}


@pytest.mark.parametrize("name", ["torch", "plain"])
def test_a_conda_environment_is_what_its_steps_import_at_the_locked_versions(
    name, project, locked, rule_files
):
    steps = steps_of(rule_files, name)
    assert len(steps) > 5
    environment = yaml.safe_load((project / "envs" / f"{name}.yaml").read_text())
    assert environment["dependencies"][:2] == [f"python ={PYTHON}", f"pip ={PIP}"]
    pins = dict(pin.split("==") for pin in environment["dependencies"][2]["pip"])
    pins = {normalised(package): version for package, version in pins.items()}
    wanted = with_their_needs(imported_packages(project, steps))
    assert "numpy" in wanted
    assert pins == {package: locked[package] for package in wanted}


def test_the_command_declares_what_its_commands_import(project):
    table = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    declared = {normalised(Requirement(text).name) for text in table["dependencies"]}
    kinds = ("tuning.methods", "scoring.tasks", "datasets.formats", "corpora.kinds")
    steps = {module for module, _ in COMMANDS.values()}
    for kind in kinds:
        steps |= set(loaded_by_name(project, kind))
    imported = imported_packages(project, steps)
    assert imported <= with_their_needs(declared)
    # onnx exports by the one without an import of ours; the Python API gives tables of the other
    assert declared - imported <= {"onnxscript", "pandas"}
    named = (project / "requirements.in").read_text() + (project / "requirements.lock").read_text()
    assert declared <= {normalised(line.split("==")[0]) for line in named.splitlines()}


@pytest.mark.parametrize("name", ["torch", "plain"])
def test_an_environment_of_a_pin_file_gets_packages_by_pip(name, project, tmp_path, monkeypatch):
    """Snakemake runs the script in the new environment, in the project's folder, with sh."""
    synthetic(tmp_path, "python")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    subprocess.run(["sh", f"envs/{name}.post-deploy.sh"], cwd=project, check=True)
    environment = yaml.safe_load((project / "envs" / f"{name}.yaml").read_text())
    words = (tmp_path / "python.words").read_text().splitlines()
    assert words == ["-m", "pip", "install", "--quiet", *environment["dependencies"][2]["pip"]]
    # pin files come from a machine with conda; there may be none
    for file in (project / "envs").glob(f"{name}.*.pin.txt"):
        text = file.read_text()
        assert "@EXPLICIT" in text.splitlines()
        assert f"/python-{PYTHON}-" in text


def test_the_container_installs_the_lock_file_and_nothing_else(project):
    sections = sections_of(project / "envs" / "container.def")
    digest = hashlib.sha256((project / "requirements.lock").read_bytes()).hexdigest()
    assert sections["labels"] == [f"requirements.lock.sha256 {digest}"]
    assert sections[""] == ["Bootstrap: docker", f"From: python:{PYTHON}-slim-bookworm"]
    ((source, target),) = (line.split() for line in sections["files"])
    assert source == "requirements.lock"
    installs = [line for line in sections["post"] if "install" in line.split()]
    assert len(installs) == 1
    options = "( --no[a-z-]+| --disable[a-z-]+)+"
    assert re.search(rf"pip install{options} --requirement {target}$", installs[0])
    subprocess.run(["sh", "-n", "-c", "\n".join(sections["post"])], check=True)


def test_in_the_container_the_hub_is_offline_unless_one_says_otherwise(project):
    script = "\n".join(sections_of(project / "envs" / "container.def")["environment"])
    command = ["sh", "-c", f"{script}\necho $HF_HUB_OFFLINE $PATH"]
    for given, seen in (({}, "1"), ({"HF_HUB_OFFLINE": "0"}, "0")):
        shown = subprocess.check_output(command, env={"PATH": "/usr/bin:/bin", **given}, text=True)
        assert shown == f"{seen} /opt/mirror-bert/venv/bin:/usr/bin:/bin\n"


def test_make_builds_the_image_that_the_workflow_takes(project):
    assert 'container: project_file("envs/container.sif")' in (project / "Snakefile").read_text()
    # a test run that make started is not part of this one
    command = ["env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "-n", "--always-make"]
    plan = subprocess.check_output([*command, "container"], cwd=project, text=True)
    assert plan == "apptainer build --force envs/container.sif envs/container.def\n"
