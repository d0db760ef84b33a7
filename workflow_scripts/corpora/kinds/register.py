"""All kinds of corpora, for what checks a config; a step loads its own alone."""

from collections.abc import Mapping
from typing import Any

from workflow_scripts import plugins
from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.configuration.chosen import read_chosen
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.errors import ConfigError, nearest_name

KINDS = (
    "frequent-words",
    "names",
    "sentences",
    "random-strings",
    "joined",
    "text",
    "bitext",
    "nli",
    "labelled",
    "table",
    "absent",
)


def holds(kind: str) -> str:
    """Return what the strings of a kind of corpus are."""
    options: type[CorpusBlock] = plugins.load("corpora.kinds", kind).Options
    return options.holds


def read_corpus_block(name: str, block: Any, file: str | FileOf = "config") -> CorpusBlock:
    """Return a block of `corpora` as its kind's `Options`; `name` is its id."""
    return read_chosen("corpora.kinds", "Options", "kind", KINDS, block, f"corpora.{name}", file)


def check_joined(corpora: Mapping[str, CorpusBlock], file: str | FileOf = "config") -> None:
    """Raise `UserError` for a corpus made of one that is not there or is itself made of others.

    Or of some that are running text and some that are not.
    """
    for name, options in corpora.items():
        key = f"corpora.{name}.of"
        where = file if isinstance(file, str) else file(("corpora", name, "of"))
        for other in options.corpora():
            if other in corpora and not corpora[other].corpora():
                continue
            fault, remedy = "is not in `corpora`", nearest_name(other, corpora)
            if other in corpora:
                fault, remedy = "is of kind joined too", "list the corpora that it is made of"
            raise ConfigError(where, key, f"has `{other}`, which {fault}", remedy)
        running = {corpora[other].kind == "text": other for other in options.corpora()}
        if len(running) > 1:
            mixed = (
                f"`{running[True]}`, which is running text, and `{running[False]}`, which is not"
            )
            raise ConfigError(where, key, f"has {mixed}", "join them apart")
