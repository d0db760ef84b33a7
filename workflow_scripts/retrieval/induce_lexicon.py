"""Step `induce_lexicon`: the translations of the words of a lexicon, ranked by vectors."""

from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MappingKind
from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.retrieval.suite_files import read_dataset
from workflow_scripts.retrieval.translations import Retrieval, rank_translations, side_of


def induce_lexicon(
    *,
    source_vectors: Path,
    target_vectors: Path,
    items: Path,
    mapping: MappingKind,
    regularisation: float = 0.0,
    retrieval: Retrieval = "csls",
    neighbours: int = NEIGHBOURS,
    k: int = 5,
    threads: int = 1,
    output: Path,
) -> None:
    """Map the words of one language into the space of another and rank the translations of each.

    Args:
        source_vectors: vectors of the source side, npy
        target_vectors: vectors of the target side, npy
        items: items.json of the lexicon
        mapping: how the map is learnt
        regularisation: of the supervised map's whitening, for small dictionaries (default: 0, as
            published)
        retrieval: how words are ranked
        neighbours: neighbourhood size of CSLS
        k: target words a source word
        threads: threads of FAISS
        output: ranked translations, tsv
    """
    entry = read_dataset(items)
    source, target = (
        side_of(entry, side, read_string_vectors(file, entry["dataset"], side), str(file))
        for side, file in zip(SIDES, (source_vectors, target_vectors), strict=True)
    )
    ranked = rank_translations(
        *(source, target, entry["dataset"], k),
        mapping=mapping,
        similarity=retrieval,
        neighbours=neighbours,
        regularisation=regularisation,
        threads=threads,
    )
    write_rankings(output, RankedTranslation, ranked)


main = command(induce_lexicon)

if __name__ == "__main__":
    run_command(main)
