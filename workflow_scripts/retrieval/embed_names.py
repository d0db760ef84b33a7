"""Step `embed_names`: the vectors of a shard of names under one encoder."""

from pathlib import Path

from workflow_scripts.embedding.vector_shards import Dtype, ShardedJob, embed_in_shards
from workflow_scripts.errors import run_command
from workflow_scripts.files import stream_lines
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.link_options import NameEncoderOptions
from workflow_scripts.retrieval.name_encoder import open_name_encoder


def embed_names(*, names: Path, dtype: Dtype, output: Path, encoder: NameEncoderOptions) -> None:
    """Embed a shard of names under one encoder.

    Args:
        names: id<TAB>name a line
        dtype: of the vectors
        output: vectors, .npy, row = line
    """
    texts = [line.partition("\t")[2] for line in stream_lines(names)]
    opened = open_name_encoder(encoder)
    job = ShardedJob(output, texts, opened.dimension, opened.provenance, dtype)
    embed_in_shards(job, opened.encode_names)


main = command(embed_names)

if __name__ == "__main__":
    run_command(main)
