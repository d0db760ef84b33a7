"""Command of rule `link_shard`: the best ids of all mentions among the names of one shard."""

import argparse
from functools import partial
from pathlib import Path

from workflow_scripts.embedding.suite_vectors import read_vectors
from workflow_scripts.errors import run_command
from workflow_scripts.files import write_text
from workflow_scripts.retrieval.name_index import map_index
from workflow_scripts.retrieval.name_shards import write_shard_ranking
from workflow_scripts.retrieval.vector_search import search_blocks


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--names", type=Path, required=True, help="names of the shard, id<TAB>name a line")
    add("--vectors", type=Path, required=True, help="vectors of the names, npy")
    add("--mentions", type=Path, required=True, help="vectors of the mentions, npy")
    add("--k", type=int, required=True, help="ids of a mention; one more is kept for the margin")
    add("--threads", type=int, default=1, help="threads of FAISS (default: 1)")
    add("--output", type=Path, required=True, help="mention, id, name and score, tsv")
    arguments = parser.parse_args(argv)

    # a file of fewer names than shards
    if not arguments.names.stat().st_size:
        write_text(arguments.output, "")
        return
    index = map_index(arguments.names, arguments.vectors)
    search = partial(search_blocks, targets=index.vectors, threads=arguments.threads)
    mentions = read_vectors(arguments.mentions)
    write_shard_ranking(arguments.output, index, mentions, arguments.k + 1, search)


if __name__ == "__main__":
    run_command(main)
