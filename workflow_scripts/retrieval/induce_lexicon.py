"""Map the words of one language into the space of another and rank the translations of each."""

import argparse
from pathlib import Path

from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.lexicon_sides import read_side
from workflow_scripts.retrieval.mapping import MAPPINGS
from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.retrieval.suite_files import read_vectors
from workflow_scripts.retrieval.translations import RETRIEVALS, LexiconSide, rank_translations


def main(argv: list[str] | None = None) -> None:
    """Read vectors and items of two suites, write the ranked translations of one lexicon."""
    parser = argparse.ArgumentParser(description=__doc__)
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-vectors", type=Path, required=True, help=f"vectors of the {side} suite, npy"
        )
        parser.add_argument(
            f"--{side}-items", type=Path, required=True, help=f"items.json of the {side} suite"
        )
    parser.add_argument("--dataset", required=True, help="lexicon dataset, such as bli-en-fr")
    parser.add_argument("--mapping", choices=MAPPINGS, required=True, help="how the map is learnt")
    parser.add_argument(
        "--regularisation",
        type=float,
        default=0.0,
        help="of the supervised map's whitening, for small dictionaries (default: 0, as published)",
    )
    parser.add_argument(
        "--retrieval", choices=RETRIEVALS, default="csls", help="how words rank (default: csls)"
    )
    parser.add_argument(
        "--neighbours", type=int, default=NEIGHBOURS, help=f"of CSLS (default: {NEIGHBOURS})"
    )
    parser.add_argument("--k", type=int, default=5, help="target words a source word (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of FAISS (default: 1)")
    parser.add_argument("--output", type=Path, required=True, help="ranked translations, tsv")
    arguments = parser.parse_args(argv)

    source, target = (
        LexiconSide(read_vectors(vectors), read_side(items, arguments.dataset, side), str(vectors))
        for side, vectors, items in (
            ("source", arguments.source_vectors, arguments.source_items),
            ("target", arguments.target_vectors, arguments.target_items),
        )
    )
    ranked = rank_translations(
        source,
        target,
        arguments.dataset,
        arguments.k,
        mapping=arguments.mapping,
        retrieval=arguments.retrieval,
        neighbours=arguments.neighbours,
        regularisation=arguments.regularisation,
        threads=arguments.threads,
    )
    write_rankings(arguments.output, RankedTranslation, ranked)


if __name__ == "__main__":
    run_command(main)
