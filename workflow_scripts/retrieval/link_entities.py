"""Find the nearest dictionary names of the mentions of all entity-linking datasets of a suite."""

import argparse
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.retrieval.entity_links import SIMILARITIES, rank_names
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.retrieval.suite_files import read_datasets, read_vectors


def main(argv: list[str] | None = None) -> None:
    """Read vectors and items of a suite, write the ranked names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True, help="vectors of the suite, npy")
    parser.add_argument("--items", type=Path, required=True, help="items.json of the suite")
    parser.add_argument("--k", type=int, default=5, help="names a mention (default: 5)")
    parser.add_argument(
        "--similarity",
        choices=SIMILARITIES,
        default="dot",
        help="dot: vectors as they are, as SapBERT's evaluation does; cosine (default: dot)",
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of FAISS (default: 1)")
    parser.add_argument("--output", type=Path, required=True, help="ranked names, tsv")
    arguments = parser.parse_args(argv)

    datasets = {
        dataset: entry
        for dataset, entry in read_datasets(arguments.items).items()
        if entry["task"] == "entity-linking"
    }
    if not datasets:
        raise UserError(
            f"{arguments.items}: no entity-linking dataset; give the items of another suite"
        )
    vectors = read_vectors(arguments.vectors)
    ranked = (
        row
        for dataset, entry in datasets.items()
        for row in rank_names(
            vectors,
            entry,
            dataset,
            arguments.k,
            arguments.similarity,
            vectors_name=str(arguments.vectors),
            threads=arguments.threads,
        )
    )
    write_rankings(arguments.output, RankedName, ranked)


if __name__ == "__main__":
    run_command(main)
