"""The encoder of names and of the mentions that are linked to them."""

import argparse
from collections.abc import Sequence

import numpy as np

from workflow_scripts.embedding.chosen_encoder import add_encoder_arguments, open_encoder
from workflow_scripts.embedding.progress import Advance
from workflow_scripts.retrieval.linked_ids import scaled


def add_name_encoder_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that a `NameEncoder` takes."""
    parser.add_argument("--encoder", required=True, help="model folder or hub id (id@revision)")
    similarity = "cosine, or dot, of the vectors as they are, as the tables have it"
    parser.add_argument(
        "--similarity", choices=("cosine", "dot"), default="cosine", help=similarity
    )
    add_encoder_arguments(parser)


class NameEncoder:
    """Strings to finite float32 vectors, at unit length where the similarity is cosine.

    `maker` says what makes them, as JSON values.
    """

    def __init__(self, arguments: argparse.Namespace, pooling: str, max_length: int) -> None:
        self._name, self._similarity = arguments.encoder, arguments.similarity
        self._encoder, self.maker = open_encoder(arguments, self._name, pooling, max_length)
        self.maker |= {"similarity": self._similarity}
        self.dimension = self._encoder.dimension

    def encode_names(self, names: Sequence[str], advance: Advance) -> np.ndarray:
        """Return a vector for each name that is the same in whatever shard the name is."""
        vectors = self._encoder.encode(names, advance, each_alone=True)
        return scaled(vectors, self._similarity, self._name)

    def encode_mentions(self, texts: Sequence[str]) -> np.ndarray:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return scaled(self._encoder.encode(texts), self._similarity, self._name)
