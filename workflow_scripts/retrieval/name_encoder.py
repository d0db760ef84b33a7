"""The encoder of names and of the mentions that are linked to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workflow_scripts.embedding.progress import Advance
from workflow_scripts.embedding.recorded_settings import recipe_settings
from workflow_scripts.imports import quick_imports
from workflow_scripts.retrieval.link_options import NameEncoderOptions
from workflow_scripts.retrieval.suite_files import gather_rows, normalise

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder


@dataclass(frozen=True)
class NameEncoder:
    """Strings to finite float32 vectors, at unit length where `similarity` is "cosine".

    `name` is what errors call it, `provenance` says what makes the vectors, as JSON values.
    """

    encoder: "StringEncoder"
    similarity: str
    name: str
    provenance: dict[str, Any]

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    def encode_names(self, names: Sequence[str], advance: Advance) -> np.ndarray:
        """Return a vector for each name that is the same in whatever shard the name is."""
        vectors = self.encoder.encode(names, advance, role="passage", each_alone=True)
        return self._scaled(vectors)

    def encode_mentions(self, texts: Sequence[str]) -> np.ndarray:
        return self._scaled(self.encoder.encode(texts, role="query"))

    def _scaled(self, vectors: np.ndarray) -> np.ndarray:
        vectors = gather_rows(vectors, range(len(vectors)), self.name)
        return normalise(vectors, self.name) if self.similarity == "cosine" else vectors


def open_name_encoder(options: NameEncoderOptions) -> NameEncoder:
    """Return the encoder that the options name, loaded."""
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.string_encoding import torch_encoder
        from workflow_scripts.embedding.torch_setup import set_up_torch

    settings = recipe_settings(options.encoder, options.settings)
    device = set_up_torch(options.threads, options.device)
    loaded = load_model(options.encoder, device)
    loaded.warn_of_settings(settings)
    provenance = loaded.provenance(settings) | {"similarity": options.similarity}
    provenance |= {"backend": "torch", "precision": "float32", "device": device.type}
    encoder = torch_encoder(loaded, settings)
    return NameEncoder(encoder, options.similarity, options.encoder, provenance)
