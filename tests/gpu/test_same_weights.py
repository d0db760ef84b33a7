"""Training on the device: the weights of a processor, and again the same ones."""

import pytest
from device_runs import METHODS, ON_GPU, moved_apart, relative_difference, tune

pytestmark = pytest.mark.gpu
# Ten times what float32 and float64 differ by on a processor, at BERT-base's shape: 3e-6, and 8e-4
# of the weights' change.
LOSS, WEIGHTS = 3e-5, 0.01
# The same of bfloat16 and float32, with 12 layers of 256 units: 1e-4 and 0.1. The tiny model's
# weights are large, so that it loses more.
HALF_LOSS, HALF_WEIGHTS = (0.001, 0.3) if ON_GPU else (0.02, 0.6)


@pytest.mark.parametrize("method", METHODS)
def test_float32_gives_the_weights_of_a_processor(method, model, untuned, corpora, device, figure):
    expected = tune(method, model, corpora, "cpu")
    actual = tune(method, model, corpora, device)
    for which in ("first_loss", "last_loss"):
        losses = (getattr(tuned, which) for tuned in (expected, actual))
        figure(f"{which}, relative difference", relative_difference(*losses), at_most=LOSS)
    apart = moved_apart(untuned, expected.weights, actual.weights)
    figure("weights, difference as a share of their change", apart, at_most=WEIGHTS)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
@pytest.mark.parametrize("method", ["mirror", "cmlm"])
def test_half_precision_is_close_to_float32(
    method, precision, model, untuned, corpora, device, figure
):
    expected = tune(method, model, corpora, device)
    actual = tune(method, model, corpora, device, precision=precision)
    loss = relative_difference(expected.first_loss, actual.first_loss)
    figure("first_loss, relative difference", loss, at_most=HALF_LOSS)
    apart = moved_apart(untuned, expected.weights, actual.weights)
    # the scaler of float16 may leave out the first steps, until its scale fits
    is_scaled = ON_GPU and precision == "float16"
    most = None if is_scaled else HALF_WEIGHTS
    figure("weights, difference as a share of their change", apart, at_most=most)


@pytest.mark.parametrize("method", ["mirror", "cmlm"])
def test_two_runs_with_dropout_give_every_bit(method, model, untuned, corpora, device, figure):
    choices = {"precision": "auto", "dropout": 0.1}
    first, second = (tune(method, model, corpora, device, **choices).weights for _ in range(2))
    apart = max((second[name] - first[name]).abs().max().item() for name in first)
    figure("largest difference of a weight", apart, at_most=0)
    plain = tune(method, model, corpora, device, precision="auto").weights
    moved = moved_apart(untuned, plain, first)
    figure("weights, what dropout changes as a share of their change", moved, at_least=0.01)
