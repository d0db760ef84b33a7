"""Command of rule `embed_names`: the vectors of a shard of names under one encoder."""

import argparse
from pathlib import Path

from workflow_scripts.embedding.vector_shards import DTYPES, ShardedJob, embed_in_shards
from workflow_scripts.errors import run_command
from workflow_scripts.files import stream_lines
from workflow_scripts.retrieval.name_encoder import add_name_encoder_arguments, open_name_encoder


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--names", type=Path, required=True, help="id<TAB>name a line")
    add("--dtype", choices=DTYPES, required=True, help="of the vectors")
    add("--output", type=Path, required=True, help="vectors, .npy, row = line")
    add_name_encoder_arguments(parser)
    arguments = parser.parse_args(argv)

    names = [line.partition("\t")[2] for line in stream_lines(arguments.names)]
    encoder = open_name_encoder(arguments)
    size = (encoder.dimension, encoder.provenance, arguments.dtype)
    embed_in_shards(ShardedJob(arguments.output, names, *size), encoder.encode_names)


if __name__ == "__main__":
    run_command(main)
