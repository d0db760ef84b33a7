"""Step `link_shard`: the best ids of all mentions among the names of one shard."""

from functools import partial
from pathlib import Path

from workflow_scripts.embedding.suite_vectors import read_vectors
from workflow_scripts.errors import run_command
from workflow_scripts.files import write_text
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.name_index import map_index
from workflow_scripts.retrieval.name_shards import write_shard_ranking
from workflow_scripts.retrieval.vector_search import search_blocks


def link_shard(
    *, names: Path, vectors: Path, mentions: Path, k: int, threads: int = 1, output: Path
) -> None:
    """Find the best ids of all mentions among the names of one shard.

    Args:
        names: names of the shard, id<TAB>name a line
        vectors: vectors of the names, npy
        mentions: vectors of the mentions, npy
        k: ids of a mention; one more is kept for the margin
        threads: threads of FAISS
        output: mention, id, name and score, tsv
    """
    # a file of fewer names than shards
    if not names.stat().st_size:
        write_text(output, "")
        return
    index = map_index(names, vectors)
    search = partial(search_blocks, targets=index.vectors, threads=threads)
    write_shard_ranking(output, index, read_vectors(mentions), k + 1, search)


main = command(link_shard)

if __name__ == "__main__":
    run_command(main)
