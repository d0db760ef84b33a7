"""Step `link_entities`: the nearest dictionary names of the mentions of data sets."""

from collections.abc import Sequence
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.entity_links import rank_names
from workflow_scripts.retrieval.link_options import Similarity
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.retrieval.suite_files import read_datasets


def link_entities(
    *,
    vectors: Path,
    items: Sequence[Path],
    k: int = 5,
    similarity: Similarity = "dot",
    threads: int = 1,
    output: Path,
) -> None:
    """Find the nearest dictionary names of the mentions of data sets.

    Args:
        vectors: vectors of their strings, npy
        items: items.json of the data sets; those without mentions are left out
        k: names a mention
        similarity: dot: vectors as they are, as SapBERT's evaluation does; cosine (default: dot)
        threads: threads of FAISS
        output: ranked names, tsv
    """
    ranked: list[RankedName] = []
    for dataset, entry in read_datasets(items).items():
        if "mentions" in entry:
            own = read_string_vectors(vectors, dataset)
            how = (dataset, k, similarity)
            ranked += rank_names(own, entry, *how, vectors_name=str(vectors), threads=threads)
    write_rankings(output, RankedName, ranked)


main = command(link_entities)

if __name__ == "__main__":
    run_command(main)
