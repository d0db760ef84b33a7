"""The encoders of resources/models: whole, and of use to the libraries."""

import json

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from workflow_scripts.embedding.encoder_folder import load_model, weights_sha256
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings

SENTENCES = ["a man is riding a horse", "somebody rides a horse", "the market fell on monday"]


@pytest.mark.parametrize(
    ("name", "method"),
    [("cmlm-en-mini", "cmlm"), ("mlm-en-mini", "mlm"), ("cmlm-multi-mini", "cmlm")],
)
def test_an_encoder_is_what_its_record_says_and_finds_the_nearer_sentence(project, name, method):
    folder = project / "resources/models" / name
    record = json.loads((folder / "encoder.json").read_text())
    assert record["weights_sha256"] == weights_sha256(folder)
    assert (record["stored"], record["recipe"]["method"]) == ("float16", method)
    mine = encode_strings(
        load_model(str(folder)), SENTENCES, EncoderSettings("mean", record["max_length"])
    )
    theirs = SentenceTransformer(str(folder), device="cpu").encode(SENTENCES)
    np.testing.assert_allclose(mine, theirs, atol=1e-5)
    unit = mine / np.linalg.norm(mine, axis=1, keepdims=True)
    near, far, _ = (unit @ unit.T)[np.triu_indices(3, 1)]
    assert near > far
