"""What rules hand on: values quoted for the shell, texts of config by functions alone."""

import re

import pytest
from pydantic import TypeAdapter, ValidationError

from workflow_scripts.configuration.blocks import Id, Sha256
from workflow_scripts.configuration.config import Commit, HubId
from workflow_scripts.tables.kinds.scores import ColumnId

# numbers that Snakemake makes
NUMBERS = {"threads", "params.processes", "params.threads", "resources.gpu", "resources.mem_mb"}


@pytest.fixture(scope="module")
def rules(rule_files):
    return {file.name: file.read_text() for file in rule_files}


def test_every_value_in_a_shell_command_is_quoted(rules):
    unquoted = [
        (name, value)
        for name, text in rules.items()
        for command in re.findall(r'shell:\s+r"""(.*?)"""', text, re.DOTALL)
        for value in re.findall(r"\{([^{}]*)\}", command)
        if not value.endswith(":q") and value not in NUMBERS
    ]
    assert not unquoted


def test_params_of_config_are_functions_since_snakemake_fills_in_texts(rules):
    plain = [
        (name, line.strip())
        for name, text in rules.items()
        for block in re.findall(r"^    params:\n((?:        .*\n)+)", text, re.MULTILINE)
        for line in block.splitlines()
        if re.match(r" {8}\w+=(?!lambda )", line) and re.search(r"\b(plan|given|grid)\.", line)
    ]
    assert not plain


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Id, "a-b"), (HubId, "a/b"), (Commit, "0" * 40), (Sha256, "0" * 64), (ColumnId, "en@1")],
)
def test_a_name_that_ends_in_a_newline_is_none(kind, value):
    assert TypeAdapter(kind).validate_python(value) == value
    for other in (f"{value}\n", f"\n{value}", f"{value}\nx"):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(other)
