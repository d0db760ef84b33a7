"""Step `embed_mentions`: the vectors of all mentions of a file, for all shards."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.vector_shards import write_array
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.link_options import MentionOptions, NameEncoderOptions
from workflow_scripts.retrieval.mentions import Mention, mention_batches, mentions_of
from workflow_scripts.retrieval.name_encoder import NameEncoder, open_name_encoder


def encode_mentions(
    encoder: NameEncoder, mentions: Iterable[Mention], lower_case: bool
) -> np.ndarray:
    """Return float32 [texts, dimension]: a row for each distinct text of each batch."""
    batches = mention_batches(mentions, lower_case)
    vectors = [encoder.encode_mentions(batch.distinct) for batch in batches]
    return np.vstack(vectors or [encoder.encode_mentions([])])


def embed_mentions(*, mentions: MentionOptions, encoder: NameEncoderOptions, output: Path) -> None:
    """Embed all mentions of a file, for all shards.

    Args:
        output: vectors, .npy, a row for each distinct text of a batch
    """
    opened = open_name_encoder(encoder)
    mention_rows = mentions_of(mentions)
    write_array(output, encode_mentions(opened, mention_rows, mentions.lower_case))


main = command(embed_mentions)

if __name__ == "__main__":
    run_command(main)
