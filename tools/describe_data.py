"""The list of data sets, from config/registry.yaml."""

import re
from collections.abc import Iterable
from pathlib import Path

from tools.doc_pages import markdown_table
from workflow_scripts.downloads.registry import DataSet, read_registry

REGISTRY = Path(__file__).resolve().parents[1] / "config" / "registry.yaml"


def describe() -> str:
    """Return the generated part of the page."""
    sets = list(read_registry(REGISTRY).values())
    return "\n".join([_unknown(sets), _gated(sets), _table(sets)])


def _unknown(sets: Iterable[DataSet]) -> str:
    unknown = [entry.name for entry in sets if entry.without_hash and not entry.gated]
    names = ", ".join(f"`{name}`" for name in unknown)
    text = (
        "For these sets nobody could compute a hash when the registry was written. The first "
        "download is taken as it comes; its hash is noted in `.first-hashes/` of the data root, "
        "and from then on the file must match it. Tables made from such files name them."
    )
    return f"## Without a known hash\n\n{text}\n\n{names}.\n"


def _gated(sets: Iterable[DataSet]) -> str:
    text = (
        "No program may or can fetch these. Under `data.missing: skip` the cells that need them "
        "are left out with the reason; otherwise the error repeats the text below."
    )
    rows = [
        f"- **{entry.name}**: {entry.obtain[0].upper()}{entry.obtain[1:]}.".replace("<", "\\<")
        for entry in sets
        if entry.obtain
    ]
    return "\n".join(["## Fetched by hand", "", text, "", *rows, ""])


def _table(sets: Iterable[DataSet]) -> str:
    text = (
        "Sizes are those of the files below the data root; `?` means unknown. One set may serve "
        "several data sets of the config: `bc5cdr` has diseases and chemicals."
    )
    heads = ("name", "what", "task", "languages", "size", "licence", "citation", "access")
    rows = (
        (
            *(f"`{entry.name}`", entry.title, entry.task, " ".join(entry.languages)),
            *(_size(entry), entry.licence, entry.citation, "gated" if entry.gated else "open"),
        )
        for entry in sets
    )
    return "\n".join(["## All sets", "", text, "", *markdown_table(heads, rows), ""])


def _size(entry: DataSet) -> str:
    sizes = [file.size for file in entry.all_files]
    known = sum(size or 0 for size in sizes)
    if not known:
        stated = re.search(r"about \d+ [GM]B", entry.note or "")
        return stated[0] if stated else "?"
    text = f"{known / 1e3:.0f} kB" if known < 1e5 else f"{known / 1e6:.1f} MB"
    return text if None not in sizes else f"{text} and more"
