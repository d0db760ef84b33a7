"""Step `embed_names`: an index of a shard of the names of a file under one encoder."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.name_lists import Choices, NameList, read_names
from workflow_scripts.embedding.vector_shards import SHARD_SIZE, Dtype
from workflow_scripts.errors import run_command
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval import name_index
from workflow_scripts.retrieval.link_options import NameEncoderOptions
from workflow_scripts.retrieval.name_encoder import NameEncoder, open_name_encoder


def take_shard(names: NameList, shard: str) -> NameList:
    """Return one shard of names, such as "2-of-8"; their sizes differ by 1 at most."""
    number, shards = map(int, shard.split("-of-"))
    first, end = ((at * len(names.names)) // shards for at in (number - 1, number))
    return NameList(names.ids[first:end], names.names[first:end], names.dropped)


def open_or_make_index(
    folder: Path,
    files: Sequence[Path],
    choices: Choices,
    encoder: NameEncoder,
    dtype: Dtype = "float32",
    shard_size: int = SHARD_SIZE,
    shard: str = name_index.WHOLE,
) -> name_index.NameIndex:
    """Return the index of a shard of names in a folder, made there where it is not finished.

    Without `files` it is a finished one of whatever names. Raises `UserError` where it is another.
    """
    provenance = encoder.provenance | {"dtype": dtype}
    source = name_index.describe_files(files, asdict(choices), shard) if files else None
    if source is not None and not name_index.is_finished(folder):
        names = take_shard(read_names(files, choices), shard)
        what = (names, source, provenance, encoder.encode_names)
        name_index.make_index(folder, *what, encoder.dimension, dtype, shard_size)
    return name_index.open_index(folder, provenance, source)


def embed_names(
    *,
    names: Path,
    choices_json: dict[str, Any],
    shard: str,
    dtype: Dtype,
    index: Path,
    encoder: NameEncoderOptions,
) -> None:
    """Make an index of a shard of the names of a file under one encoder.

    Args:
        names: file of names, as `link` takes it
        choices_json: how it is read: the fields of Choices
        shard: which names: 2-of-8 is the second eighth
        dtype: of the vectors
        index: folder of the names, their vectors and what they were made from
    """
    opened = open_name_encoder(encoder)
    open_or_make_index(index, [names], Choices(**choices_json), opened, dtype, shard=shard)


main = command(embed_names)

if __name__ == "__main__":
    run_command(main)
