"""All formats, for what checks a config; a step loads that of its data set alone."""

from typing import Any

from workflow_scripts.configuration.blocks import FileOf
from workflow_scripts.configuration.chosen import read_chosen
from workflow_scripts.datasets.entry import DatasetEntry

FORMATS = (
    *("semeval-sts", "sts-benchmark", "sick", "simlex", "multi-simlex", "multi-simlex-pairs"),
    *("sts2017", "stsb-multi-mt", "qnli", "qqp", "labelled-pairs", "labelled-texts"),
    *("parallel-sentences", "tatoeba", "pubtator", "biosyn", "mention-rows", "askapatient"),
    *("cometa", "xling-eval", "corpus", "sentence-pool", "scored-pairs"),
)


def read_entry(name: str, block: Any, file: str | FileOf = "config") -> DatasetEntry:
    """Return a block of `datasets` as an entry of its format; `name` is its id."""
    where = f"datasets.{name}"
    return read_chosen("datasets.formats", "Entry", "format", FORMATS, block, where, file)
