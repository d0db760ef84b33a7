"""Copies for training: the weights of the model, which stays as it was loaded."""

import pytest
import torch
from tiny_models import cpu_means

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.language_modelling.prediction import load_masked_lm, predict_pieces
from workflow_scripts.tuning.chosen_positions import ChosenPositions
from workflow_scripts.tuning.output_layer import end_before_output_layer
from workflow_scripts.tuning.training_copy import TrainingCopy
from workflow_scripts.tuning.vectors_beside import VectorsBeside

IDS = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 3, 3]])


def logits_of(whole):
    """The logits as the model is, and in training mode, by its own dropout."""
    plain, training = whole(input_ids=IDS).logits, whole.training
    torch.manual_seed(1)
    dropped = whole.train()(input_ids=IDS).logits
    whole.train(training)
    return plain, dropped


@pytest.mark.parametrize("kind", ["tiny_bert", "tiny_roberta"])
def test_a_copy_shares_the_weights_and_leaves_the_model_as_it_is(kind, request):
    whole = load_masked_lm(load_model(str(request.getfixturevalue(kind))), 1).eval()
    before, logits = whole.config.to_json_string(), logits_of(whole)
    copies = [TrainingCopy(whole, cpu_means(), 0.5, 0.5, first_alone=True) for _ in range(2)]
    for copy in copies:
        end_before_output_layer(copy.whole)
        ChosenPositions(copy.encoder)
        VectorsBeside(copy.encoder, "before")
        mine = dict(copy.encoder.named_parameters())
        assert all(mine[name] is one for name, one in whole.base_model.named_parameters())
        assert all(module.training for module in copy.whole.modules())
        copy.masks.start(1, 0, 0, 2, 2)
        states = copy.encoder(input_ids=IDS).last_hidden_state
        assert states.shape == (2, 1, 32)
        # the head's input to its output layer
        assert predict_pieces(copy.whole, states).shape == (2, 1, 32)
    assert copies[0].masks is not copies[1].masks
    # neither training mode nor hooks, layers, rates or attention are the copies'
    assert whole.config.to_json_string() == before
    torch.testing.assert_close(logits_of(whole), logits, rtol=0, atol=0)
    states[..., 0].sum().backward()
    embeddings = whole.get_input_embeddings().weight
    assert embeddings.grad.is_sparse and embeddings.grad.to_dense().any()
