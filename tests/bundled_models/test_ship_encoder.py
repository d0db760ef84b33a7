"""An encoder that is shipped: half the size, the same vectors within float16."""

import json

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from tiny_models import make_sentences, tiny_bert

from bundled_models.ship_encoder import ship_encoder
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.tune_encoder import make_encoder

__all__ = ["tiny_bert"]
BLOCK = {"method": "cmlm", "pooling": "mean", "embed_max_length": 16, "max_length": 16}
BLOCK |= {"batch_size": 4, "steps": 2, "projections": 3}


def test_half_the_size_and_the_same_vectors(tiny_bert, tmp_path):
    text, encoder, output = (tmp_path / name for name in ("text.txt", "encoder", "shipped"))
    sentences = make_sentences(12)
    text.write_text("\n".join(sentences) + "\n\n", encoding="utf-8")
    make_encoder(str(tiny_bert), text, "cmlm", BLOCK, 1, encoder, device="cpu")
    ship_encoder(encoder, output)
    before, after = (folder / "model.safetensors" for folder in (encoder, output))
    assert after.stat().st_size < 0.6 * before.stat().st_size
    assert not (output / "training_modules.safetensors").exists()
    vectors, mine = (
        SentenceTransformer(str(folder), device="cpu").encode(sentences)
        for folder in (encoder, output)
    )
    assert mine.dtype == np.float32
    np.testing.assert_allclose(mine, vectors, atol=5e-3)
    assert not np.array_equal(mine, vectors)
    record = json.loads((output / "encoder.json").read_text())
    made_of = json.loads((encoder / "encoder.json").read_text())["weights_sha256"]
    assert record["made_of_weights_sha256"] == made_of != record["weights_sha256"]


def test_a_folder_that_is_no_encoder_is_refused(tiny_bert, tmp_path):
    with pytest.raises(UserError, match=r"no encoder\.json; give a folder that tuning made"):
        ship_encoder(tiny_bert, tmp_path / "shipped")
    assert not (tmp_path / "shipped").exists()
