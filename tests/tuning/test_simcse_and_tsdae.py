"""SimCSE and TSDAE: loss and gradients are those of sentence-transformers, masks included."""

import random
from dataclasses import replace

import pytest
import torch
from plain_training import MEANS, objective_of, take_first_step
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import (
    DenoisingAutoEncoderLoss,
    MultipleNegativesRankingLoss,
)
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from tiny_models import make_sentences
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import sdpa_mask

from workflow_scripts.embedding.architectures import give_first_position_only
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, load_model
from workflow_scripts.errors import UserError
from workflow_scripts.tuning import devices
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.dropout import drop_out
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.methods.tsdae import delete_words
from workflow_scripts.tuning.tune_encoder import make_encoder

KEYS = {"embed_max_length": 20, "max_length": 16, "batch_size": 6, "steps": 4}
SENTENCES = make_sentences(8)


@pytest.fixture(autouse=True)
def whole_batches(monkeypatch):
    """One micro-batch a step, as sentence-transformers has it."""
    traits = replace(devices.TRAITS["cpu"], overhead=10**6, most_tokens=10**6)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)


def attention(module, query, key, value, attention_mask, dropout=0.0, scaling=None, **options):
    """Attention written out, which drops out by the masks that the module was given."""
    scores = query @ key.transpose(2, 3) * scaling
    if attention_mask is not None:
        scores = scores.masked_fill(~attention_mask, -torch.inf)
    if module.is_causal:
        past = torch.ones(scores.shape[2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~past, -torch.inf)
    weights = scores.softmax(dim=-1)
    if dropout:
        weights = weights * module.mirror_masks.draw(weights.shape, dropout, weights.dtype)
    return (weights @ value).transpose(1, 2), None


AttentionInterface.register("written_out", attention)
AttentionMaskInterface.register("written_out", sdpa_mask)


class MasksOfRows(DropoutMasks):
    """The masks of a micro-batch, sorted by length, for passes over some rows of the batch each."""

    def __init__(self, lengths, number, rows_a_pass):
        super().__init__(MEANS.seed, "cpu")
        self.places = torch.tensor(lengths).argsort(stable=True).argsort()
        self.number, self.passes = number, iter(self.places.split(rows_a_pass))

    def begin_pass(self, *_):
        count = len(self.places)
        self.own = next(self.passes)
        self.start(1, self.number, 0, count, count)

    def draw(self, shape, rate, dtype):
        return super().draw((len(self.places), *shape[1:]), rate, dtype)[self.own]


def drop_out_alike(model, rate, number, token_ids, rows_a_pass=6):
    """Let a model of sentence-transformers draw the masks of step 1 and micro-batch `number`."""
    masks = MasksOfRows([*map(len, token_ids)], number, rows_a_pass)
    drop_out(model, rate, masks)
    model.set_attn_implementation("written_out")
    model.embeddings.register_forward_pre_hook(masks.begin_pass)


def make(method, folder, **changes):
    return objective_of(folder, Corpus(SENTENCES), {"method": method, **KEYS, **changes})


def sentence_transformer(folder, pooling, *more):
    transformer = Transformer(str(folder))
    return SentenceTransformer(modules=[transformer, Pooling(32, pooling), *more]).double().train()


def features(token_ids, padding):
    width = max(map(len, token_ids))
    ids = [[*own, *[padding] * (width - len(own))] for own in token_ids]
    mask = [[1] * len(own) + [0] * (width - len(own)) for own in token_ids]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask)}


def assert_same(taken, gradients, loss, theirs):
    """Of every parameter that has a gradient by one of both ways."""
    torch.testing.assert_close(taken.measures["loss"], loss.detach(), rtol=1e-9, atol=1e-9)
    loss.backward()
    expected = {name: own.grad for name, own in theirs.items() if own.grad is not None}
    assert gradients.keys() == expected.keys()
    torch.testing.assert_close(gradients, expected, rtol=1e-8, atol=1e-9)


CHOICES = [("mean", 0.0), ("mean", 0.2), ("cls", 0.0), ("cls", 0.2)]


@pytest.mark.parametrize(("pooling", "dropout"), CHOICES)
def test_simcse_is_the_ranking_loss_behind_a_dense_layer(pooling, dropout, tiny_bert):
    changes = {"pooling": pooling, "dropout": dropout}
    loaded, objective = make("simcse", tiny_bert, **changes)
    taken, gradients = take_first_step(objective)
    batch = next(iter(objective.batches()))
    ids = loaded.tokenizer([SENTENCES[row] for row in batch])["input_ids"]
    assert objective.inputs(batch, 1) == ids * 2

    head = objective.trained["training_only"]["head"]
    dense = Dense(32, 32, activation_function=torch.nn.Tanh())
    dense.linear.load_state_dict(head[0].state_dict())
    model = sentence_transformer(tiny_bert, pooling, dense)
    own = model.transformers_model
    drop_out_alike(own, dropout, 0, ids * 2)
    if pooling == "cls":
        # masks of the last layer are those of the first position
        give_first_position_only(own)
    # a scale of 20 is a temperature of .05
    columns = [features(ids, 0), features(ids, 0)]
    loss = MultipleNegativesRankingLoss(model)(columns, None)
    theirs = {f"whole.{name}": weight for name, weight in own.named_parameters()}
    layer = dense.linear.named_parameters()
    theirs |= {f"training_only.head.0.{name}": weight for name, weight in layer}
    assert_same(taken, gradients, loss, theirs)
    assert taken.strings == 6 and taken.tokens == 2 * sum(map(len, ids))


@pytest.mark.parametrize("name", ["bert", "roberta", "electra"])
@pytest.mark.parametrize(("pooling", "dropout"), CHOICES)
def test_tsdae_is_the_denoising_loss(pooling, dropout, name, folder_of):
    folder, changes = folder_of(name), {"pooling": pooling, "dropout": dropout}
    loaded, objective = make("tsdae", folder, **changes)
    taken, gradients = take_first_step(objective)
    batch = next(iter(objective.batches()))
    damaged = objective.inputs(batch, 1)
    original = loaded.tokenizer([SENTENCES[row] for row in batch])["input_ids"]

    model = sentence_transformer(folder, pooling)
    encoder = model.transformers_model
    denoising = DenoisingAutoEncoderLoss(model)
    decoder = denoising.decoder.double().train()
    # cross-attention is fresh in both
    decoder.load_state_dict(objective.trained["training_only"]["decoder"].state_dict())
    drop_out_alike(encoder, dropout, 0, damaged)
    drop_out_alike(decoder.base_model, dropout, -1, original)
    if pooling == "cls":
        give_first_position_only(encoder)
    padding = loaded.tokenizer.pad_token_id
    loss = denoising([features(damaged, padding), features(original, padding)], None)
    tied = {id(weight): f"whole.{name}" for name, weight in encoder.named_parameters()}
    named = decoder.named_parameters()
    theirs = {
        tied.get(id(weight), f"training_only.decoder.{name}"): weight for name, weight in named
    }
    assert_same(taken, gradients, loss, theirs)
    assert taken.strings == 6 and taken.tokens == sum(map(len, damaged))


@pytest.mark.parametrize("share", [0.0, 0.6, 0.95])
def test_words_are_left_out_whole_and_one_stays(share):
    ids, words = [2, 10, 11, 12, 13, 14, 15, 3], [None, 0, 1, 1, 2, 3, 3, None]
    generator, kept, alone = random.Random(1), 0, 0
    for _ in range(4000):
        damaged = delete_words(ids, words, share, generator)
        assert damaged[0] == 2 and damaged[-1] == 3 and damaged == [*sorted(damaged[:-1]), 3]
        assert (11 in damaged) == (12 in damaged) and (14 in damaged) == (15 in damaged)
        count = sum(token in damaged for token in (10, 11, 13, 14))
        assert count
        kept, alone = kept + count, alone + (count == 1)
    # four words: of all that would go one stays
    expected = 4 * (1 - share) + share**4
    assert abs(kept / 4000 - expected) < 0.06
    assert (alone > 0) == (share > 0)
    assert delete_words([2, 3], [None, None], 0.6, generator) == [2, 3]


def test_the_damage_hangs_on_seed_and_step(tiny_bert):
    _, objective = make("tsdae", tiny_bert, pooling="cls")
    batch = next(iter(objective.batches()))
    first, again, other = (objective.inputs(batch, number) for number in (1, 1, 2))
    assert first == again != other


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in SENTENCES))
    return path


@pytest.mark.parametrize("method", ["simcse", "tsdae"])
def test_the_encoder_is_the_model_alone(method, tiny_bert, corpus, tmp_path):
    """Neither head nor decoder is written, and vectors are those of the model's [CLS]."""
    block = {"method": method, **KEYS, "pooling": "cls", "learning_rate": 1e-3}
    made = make_encoder(str(tiny_bert), str(corpus), "own", block, 33, tmp_path / "encoder")
    assert not (tmp_path / "encoder" / OWN_WEIGHTS).exists()
    untuned, tuned = (load_model(str(folder)) for folder in (tiny_bert, tmp_path / "encoder"))
    assert not tuned.model.config.is_decoder and not tuned.model.config.add_cross_attention
    weights = untuned.model.state_dict()
    assert tuned.model.state_dict().keys() == weights.keys()
    name = "embeddings.word_embeddings.weight"
    assert not torch.equal(tuned.model.state_dict()[name], weights[name])
    batch = tuned.tokenizer(SENTENCES, padding=True, return_tensors="pt")
    with torch.no_grad():
        first = tuned.model.eval()(**batch).last_hidden_state[:, 0].numpy()
    stock = SentenceTransformer(str(tmp_path / "encoder"))
    for vectors in (made.encode(SENTENCES), stock.encode(SENTENCES)):
        assert abs(vectors - first).max() < 1e-5


@pytest.mark.parametrize("name", ["distilbert", "modernbert"])
def test_a_model_that_cannot_decode_is_one_clear_error(name, folder_of):
    with pytest.raises(UserError, match=f"{name} cannot be a decoder .*; take one of bert, "):
        make("tsdae", folder_of(name), pooling="mean")
