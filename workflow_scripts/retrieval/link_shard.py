"""Step `link_shard`: the best ids of all mentions among the names of one shard."""

from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.suite_vectors import read_vectors
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.linked_ids import rank_ids
from workflow_scripts.retrieval.mentions import BATCH
from workflow_scripts.retrieval.name_index import open_index
from workflow_scripts.retrieval.shard_rankings import write_ranking


def link_shard(*, index: Path, mentions: Path, k: int, threads: int = 1, output: Path) -> None:
    """Find the best ids of all mentions among the names of one shard.

    Args:
        index: index of the shard's names
        mentions: vectors of the mentions, npy
        k: ids of a mention; one more is kept for the margin
        threads: threads of FAISS
        output: mention, id, name and score, tsv
    """
    names, vectors = open_index(index), read_vectors(mentions)
    batches = (vectors[start : start + BATCH] for start in range(0, len(vectors), BATCH))
    ranked = (
        links for batch in batches for links in rank_ids(names, batch, k + 1, threads=threads)
    )
    write_ranking(output, ranked)


main = command(link_shard)

if __name__ == "__main__":
    run_command(main)
