"""The manifests of the real files next to the project."""

import csv


def read_manifest(root):
    """Return the rows of a folder's manifest by path."""
    with open(root / "MANIFEST.tsv", encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["path"]: row for row in rows}
