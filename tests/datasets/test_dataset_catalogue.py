"""Entries of config/datasets.yaml."""

import re
from pathlib import Path

import pytest
from written_files import write

from workflow_scripts import plugins
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets import formats, items
from workflow_scripts.datasets.entry import raw_files
from workflow_scripts.datasets.formats.register import FORMATS, read_entry
from workflow_scripts.errors import UserError

GOOD = {"task": "similarity", "format": "simlex", "language": "en"}


@pytest.fixture(scope="module")
def config(project):
    return read_mapping(project / "config" / "datasets.yaml")


def test_every_shipped_entry_is_valid(config, tmp_path):
    for name, block in config["datasets"].items():
        entry = read_entry(name, block)
        assert raw_files(tmp_path, entry) or entry.corpora(), name


def test_every_module_is_in_the_register_and_yields_known_items():
    folder = Path(formats.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "register"}
    assert modules == {form.replace("-", "_") for form in FORMATS}
    for form in FORMATS:
        assert issubclass(plugins.load("datasets.formats", form).Entry.ITEMS, items.Items)


def test_the_format_that_the_docs_declare_reads_a_file(project, tmp_path):
    page = (project / "CONTRIBUTING.md").read_text()
    section = page.partition("\n### A format of data sets\n")[2]
    names = {}
    exec(re.search(r"^```python\n(.*?)^```$", section, flags=re.M | re.S)[1], names)
    entry = names["Entry"](task="similarity", format="my-pairs", language="en", split="dev")
    write(tmp_path / "my-pairs/dev.tsv", "score\ttext2\ttext1\n4\tb\ta\n0.5\td\tc\n")
    found = entry.read(tmp_path)
    assert (found.left, found.right, found.gold) == (["a", "c"], ["b", "d"], [4.0, 0.5])
    write(tmp_path / "my-pairs/dev.tsv", "score\ttext2\ttext1\n4\tb\ta\n5\td\tc\n")
    with pytest.raises(UserError, match=r"dev.tsv:3: expected a score from 0 to 4, found '5'"):
        entry.read(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pth": "x"}, "unknown key `datasets.mine.pth`; did you mean 'path'?"),
        ({"format": "simlx"}, "`datasets.mine.format` is 'simlx'; use one of: .*mean 'simlex'"),
        ({"format": ["simlex"]}, r"`datasets.mine.format` is \['simlex'\]; use one of: "),
        ({"task": "Similar"}, "`datasets.mine.task` is 'Similar'; ids: small letters"),
        ("no format", "key `datasets.mine.format` is missing; add it"),
        ("simlex", "`datasets.mine` is 'simlex'; give keys and values"),
    ],
)
def test_mistakes_in_an_entry_name_file_key_and_remedy(change, message):
    block = {**GOOD, **change} if isinstance(change, dict) else change
    block = {"task": "similarity"} if change == "no format" else block
    with pytest.raises(UserError, match=f"^my.yaml: {message}"):
        read_entry("mine", block, "my.yaml")
