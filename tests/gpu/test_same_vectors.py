"""Embedding on the device: the vectors of a processor."""

import numpy as np
import pytest
from tiny_models import make_sentences

from workflow_scripts.embedding import string_encoding
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings, torch_encoder

pytestmark = pytest.mark.gpu
STRINGS = [*make_sentences(300), "a", "", "the " * 60, "dog", "éß 中文", "dog"]


def cosines(left, right):
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return (left * right).sum(axis=1) / norms


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded", "mean_pieces", "max"])
def test_vectors_are_those_of_a_processor_in_order(pooling, model, device, figure, monkeypatch):
    # a GPU goes through them in pieces
    monkeypatch.setattr(string_encoding, "STRINGS_AHEAD", 70)
    settings = EncoderSettings(pooling, 24)
    expected = encode_strings(load_model(str(model)), STRINGS, settings)
    loaded = load_model(str(model), device)
    actual = encode_strings(loaded, STRINGS, settings)
    size = float(np.abs(expected).max())
    apart = float(np.abs(actual - expected).max()) / size
    figure("float32, largest difference as a share of the largest value", apart, at_most=1e-4)
    # some are the zero vector of an empty string
    filled = np.linalg.norm(expected, axis=1) > 0
    half = encode_strings(loaded, STRINGS, settings, precision="auto")
    nearest = float(cosines(expected[filled], half[filled]).min())
    figure("auto, least cosine with float32", nearest, at_least=0.999)


def test_each_alone_a_string_has_the_same_bits_in_any_company(model, device, figure):
    encoder = torch_encoder(load_model(str(model), device), EncoderSettings("mean", 24))
    whole = encoder.encode(STRINGS, each_alone=True)
    part = encoder.encode(STRINGS[100:200], each_alone=True)
    apart = float(np.abs(part - whole[100:200]).max())
    figure("largest difference of a value", apart, at_most=0)
