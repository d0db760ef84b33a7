"""Command of rule `embed_mentions`: the vectors of all mentions of a file, for all shards."""

import argparse
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.vector_shards import write_array
from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.mention_links import (
    add_mention_arguments,
    mention_batches,
    read_mentions,
)
from workflow_scripts.retrieval.name_encoder import add_name_encoder_arguments, open_name_encoder


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_mention_arguments(parser)
    add_name_encoder_arguments(parser)
    output = "vectors, .npy, a row for each distinct text of a batch"
    parser.add_argument("--output", type=Path, required=True, help=output)
    arguments = parser.parse_args(argv)

    encoder = open_name_encoder(arguments)
    asked = read_mentions(arguments.mentions, arguments.mention_column, arguments.gold_column)
    batches = mention_batches(asked, arguments.lower_case)
    vectors = [encoder.encode_mentions(batch.distinct) for batch in batches]
    write_array(arguments.output, np.vstack(vectors or [encoder.encode_mentions([])]))


if __name__ == "__main__":
    run_command(main)
