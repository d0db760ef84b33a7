"""Map the words of one language into the space of another and rank the translations of each."""

import argparse
from pathlib import Path

from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MAPPINGS
from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.retrieval.suite_files import read_dataset, side_of
from workflow_scripts.retrieval.translations import SIMILARITIES, LexiconSide, rank_translations


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    for side in SIDES:
        add(f"--{side}-vectors", type=Path, required=True, help=f"vectors of the {side} side, npy")
    add("--items", type=Path, required=True, help="items.json of the lexicon")
    add("--mapping", choices=MAPPINGS, required=True, help="how the map is learnt")
    small = "of the supervised map's whitening, for small dictionaries (default: 0, as published)"
    add("--regularisation", type=float, default=0.0, help=small)
    add("--retrieval", choices=SIMILARITIES, default="csls", help="how words rank (default: csls)")
    add("--neighbours", type=int, default=NEIGHBOURS, help=f"of CSLS (default: {NEIGHBOURS})")
    add("--k", type=int, default=5, help="target words a source word (default: 5)")
    add("--threads", type=int, default=1, help="threads of FAISS (default: 1)")
    add("--output", type=Path, required=True, help="ranked translations, tsv")
    given = parser.parse_args(argv)

    entry = read_dataset(given.items)
    source, target = (
        LexiconSide(
            read_string_vectors(file, entry["dataset"], side), side_of(entry, side), str(file)
        )
        for side, file in zip(SIDES, (given.source_vectors, given.target_vectors), strict=True)
    )
    ranked = rank_translations(
        *(source, target, entry["dataset"], given.k),
        mapping=given.mapping,
        similarity=given.retrieval,
        neighbours=given.neighbours,
        regularisation=given.regularisation,
        threads=given.threads,
    )
    write_rankings(given.output, RankedTranslation, ranked)


if __name__ == "__main__":
    run_command(main)
