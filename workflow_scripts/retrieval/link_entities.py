"""Find the nearest dictionary names of the mentions of data sets."""

import argparse
from pathlib import Path

from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.entity_links import SIMILARITIES, rank_names
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.retrieval.suite_files import read_datasets


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--vectors", type=Path, required=True, help="vectors of their strings, npy")
    items = "items.json of the data sets; those without mentions are left out"
    add("--items", type=Path, nargs="+", required=True, help=items)
    add("--k", type=int, default=5, help="names a mention (default: 5)")
    similarity = "dot: vectors as they are, as SapBERT's evaluation does; cosine (default: dot)"
    add("--similarity", choices=SIMILARITIES, default="dot", help=similarity)
    add("--threads", type=int, default=1, help="threads of FAISS (default: 1)")
    add("--output", type=Path, required=True, help="ranked names, tsv")
    arguments = parser.parse_args(argv)

    how = (arguments.k, arguments.similarity)
    options = {"vectors_name": str(arguments.vectors), "threads": arguments.threads}
    ranked = (
        row
        for dataset, entry in read_datasets(arguments.items).items()
        if "mentions" in entry
        for row in rank_names(
            read_string_vectors(arguments.vectors, dataset), entry, dataset, *how, **options
        )
    )
    write_rankings(arguments.output, RankedName, ranked)


if __name__ == "__main__":
    run_command(main)
