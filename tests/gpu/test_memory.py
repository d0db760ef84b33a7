"""A device that has not enough memory: the same results in smaller parts, or one line."""

import numpy as np
import pytest
from device_runs import moved_apart, tune
from tiny_models import make_sentences

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError

pytestmark = pytest.mark.gpu


@pytest.fixture
def many_strings(tmp_path):
    """The folder of a corpus whose batch takes much more memory than the weights."""
    sentences = make_sentences(512)
    (tmp_path / "strings.txt").write_text("".join(f"{text}\n" for text in sentences))
    return tmp_path


def test_a_batch_that_does_not_fit_is_trained_on_in_parts(
    model, untuned, many_strings, device, limited_memory, figure, capsys
):
    def run(batch_size=512):
        return tune("mirror", model, many_strings, device, batch_size=batch_size)

    expected = run()
    with limited_memory(run, lambda: run(8), 0.4, rows=20):
        capsys.readouterr()
        actual = run()
    assert "out of memory: continuing" in capsys.readouterr().err
    apart = moved_apart(untuned, expected.weights, actual.weights)
    figure("weights, difference as a share of their change", apart, at_most=0.01)


def test_strings_that_do_not_fit_are_embedded_in_parts(model, device, limited_memory, figure):
    loaded, strings = load_model(str(model), device), make_sentences(4000)

    def run(count=4000):
        return encode_strings(loaded, strings[:count], EncoderSettings("mean", 24))

    expected = run()
    with limited_memory(run, lambda: run(8), 0.4, rows=20):
        actual = run()
    apart = float(np.abs(actual - expected).max() / np.abs(expected).max())
    figure("largest difference as a share of the largest value", apart, at_most=1e-4)


def test_what_does_not_fit_at_all_is_one_line(model, many_strings, device, limited_memory):
    def run():
        tune("mirror", model, many_strings, device, batch_size=8)

    with (
        limited_memory(run, lambda: None, 0.2, rows=0),
        pytest.raises(UserError, match="out of memory") as failure,
    ):
        run()
    assert "\n" not in str(failure.value)
