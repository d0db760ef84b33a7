"""Step `embed_names`: an index of a shard of names under one encoder."""

from itertools import islice
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.name_lists import NameList
from workflow_scripts.embedding.vector_shards import Dtype
from workflow_scripts.files import stream_lines
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval import name_index
from workflow_scripts.retrieval.link_options import NameEncoderOptions
from workflow_scripts.retrieval.name_encoder import open_name_encoder


def read_shard(path: Path, shard: str) -> NameList:
    """Return one shard of a file of `list_names`, such as "2-of-8"; sizes differ by 1 at most."""
    number, shards = map(int, shard.split("-of-"))
    count = sum(1 for _ in stream_lines(path))
    first, end = (at * count // shards for at in (number - 1, number))
    rows = [line.split("\t", 1) for line in islice(stream_lines(path), first, end)]
    return NameList([identity for identity, _ in rows], [name for _, name in rows])


def embed_names(
    *,
    names: Path,
    choices_json: dict[str, Any],
    shard: str,
    dtype: Dtype,
    index: Path,
    encoder: NameEncoderOptions,
) -> None:
    """Make an index of a shard of names under one encoder.

    Args:
        names: ids and names of all shards, tsv
        choices_json: how they were read: the fields of Choices
        shard: which of them: 2-of-8 is the second eighth
        dtype: of the vectors
        index: folder of the names, their vectors and what they were made from
    """
    source = name_index.describe_files([names], choices_json, shard)
    opened = open_name_encoder(encoder)
    name_index.make_index(
        index,
        read_shard(names, shard),
        source,
        opened.provenance | {"dtype": dtype},
        opened.encode_names,
        opened.dimension,
        dtype,
    )


main = command(embed_names)

if __name__ == "__main__":
    run_command(main)
