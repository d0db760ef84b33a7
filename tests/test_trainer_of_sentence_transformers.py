"""`mirror_bert.sentence_transformers`: loss, collator and evaluators against theirs and loops."""

import importlib
import json
import math
import sys

import numpy as np
import pytest
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from tiny_models import RECIPE, make_sentences, one_thread, tiny_bert

import mirror_bert
from mirror_bert.sentence_transformers import (
    DatasetEvaluator,
    LexiconEvaluator,
    LinkingEvaluator,
    MirrorCollator,
    MirrorLoss,
    SimilarityEvaluator,
)

__all__ = ["one_thread", "tiny_bert"]

STRINGS = make_sentences(24)
SCORED = [(STRINGS[row], STRINGS[row + 1], float(row % 5)) for row in range(20)]


@pytest.fixture
def model(tiny_bert) -> SentenceTransformer:
    encoder = mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu")
    return encoder.to_sentence_transformers()


def columns_of(model, first, second):
    return [model.preprocess(first), model.preprocess(second)]


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return [weight.grad.clone() for weight in model.parameters() if weight.grad is not None]


def test_the_loss_is_the_ranking_loss_over_both_orders(model):
    model = model.double().eval()
    first, second = columns_of(model, STRINGS[:8], STRINGS[8:16])
    ours = MirrorLoss(model, temperature=0.04)([dict(first), dict(second)])
    ranking = MultipleNegativesRankingLoss(
        model, scale=1 / 0.04, directions=("query_to_doc", "query_to_query")
    )
    theirs = [
        ranking([dict(column) for column in order], None)
        for order in ((first, second), (second, first))
    ]
    expected = sum(theirs) / 2
    assert theirs[0].item() != pytest.approx(theirs[1].item(), abs=1e-6)
    assert ours.dtype == torch.float64
    assert ours.item() == pytest.approx(expected.item(), rel=1e-14)
    for own, other in zip(gradients(model, ours), gradients(model, expected), strict=True):
        torch.testing.assert_close(own, other, rtol=1e-9, atol=1e-12)


def test_the_loss_without_the_positive_is_that_of_a_loop(model):
    model = model.double().eval()
    columns = columns_of(model, STRINGS[:4], STRINGS[4:8])
    loss = MirrorLoss(model, temperature=0.5, denominator="negatives_only")(columns)
    vectors = model.encode(STRINGS[:8], normalize_embeddings=True).astype(np.float64)
    terms = []
    for anchor in range(8):
        positive = (anchor + 4) % 8
        cosines = {row: vectors[anchor] @ vectors[row] / 0.5 for row in range(8)}
        others = sum(math.exp(cosines[row]) for row in range(8) if row not in (anchor, positive))
        terms.append(math.log(others) - cosines[positive])
    assert loss.item() == pytest.approx(sum(terms) / 8, abs=1e-12)


def test_the_loss_takes_two_columns(model):
    with pytest.raises(mirror_bert.UserError, match="MirrorLoss: 1 columns of strings, not 2"):
        MirrorLoss(model)([model.preprocess(STRINGS[:2])])


def texts(model, batch, column):
    return model.tokenizer.batch_decode(batch[f"{column}_input_ids"], skip_special_tokens=False)


def test_a_string_is_paired_with_itself_and_a_span_is_cut_out_of_the_second(model):
    rows = [{"string": "a small red cat sees"}, {"string": "a cat"}]
    batch = MirrorCollator(model, {"length": 4, "min_length": 10}, seed=3)(rows)
    plain = model.preprocess([row["string"] for row in rows])
    assert torch.equal(batch["first_input_ids"], plain["input_ids"])
    mask = model.tokenizer.mask_token_id
    assert [mask in ids for ids in batch["second_input_ids"].tolist()] == [True, False]
    left, _, right = texts(model, batch, "second")[0].partition("[MASK]")
    # what is left of the 20 characters, without blanks and marks
    kept = [part.replace("##", "").replace(" ", "") for part in (left, right)]
    kept = [part.removeprefix("[CLS]").partition("[SEP]")[0] for part in kept]
    joined = "asmallredcatsees"
    assert joined.startswith(kept[0]) and joined.endswith(kept[1])
    assert len("".join(kept)) < len(joined)


def test_what_is_cut_out_hangs_on_seed_and_batch_alone(model):
    rows = [{"string": string} for string in make_sentences(8)]

    def second_of(seed, batches):
        collator = MirrorCollator(model, {"length": 5, "min_length": 10}, seed=seed)
        return [texts(model, collator(rows), "second") for _ in range(batches)]

    first, second = second_of(3, 2)
    assert second_of(3, 2) == [first, second]
    assert first != second
    assert second_of(4, 1) != [first]


def test_pairs_stay_pairs_and_nothing_is_masked_without_a_span(model):
    rows = [{"anchor": "a cat", "positive": "a dog"}, {"anchor": "a tree", "positive": "a man"}]
    batch = MirrorCollator(model)(rows)
    for column, key in (("first", "anchor"), ("second", "positive")):
        expected = model.preprocess([row[key] for row in rows])["input_ids"]
        assert torch.equal(batch[f"{column}_input_ids"], expected)
    with pytest.raises(mirror_bert.UserError, match="MirrorCollator: 3 columns in a row"):
        MirrorCollator(model)([{"a": "x", "b": "y", "c": "z"}])
    with pytest.raises(mirror_bert.UserError, match=r"span_masking.lenght.*did you mean 'length'"):
        MirrorCollator(model, {"lenght": 3})


def test_similarity_is_that_of_their_evaluator(model):
    evaluator = SimilarityEvaluator(SCORED, name="own")
    left, right, gold = zip(*SCORED, strict=True)
    theirs = EmbeddingSimilarityEvaluator(left, right, gold)(model)
    assert evaluator.primary_metric == "own_spearman"
    assert evaluator(model)["own_spearman"] == pytest.approx(theirs["spearman_cosine"], abs=1e-6)


def test_linking_is_that_of_a_loop(model):
    names = [(f"C{row // 2}", string) for row, string in enumerate(STRINGS[:12])]
    # a name of two concepts
    names.append(("C9", STRINGS[0]))
    mentions = [(string, f"C{row // 2}") for row, string in enumerate(STRINGS[12:22])]
    mentions.append((STRINGS[0], "C9"))
    scores = LinkingEvaluator(names, mentions, similarity="cosine")(model)
    distinct = list(dict.fromkeys(name for _, name in names))
    vectors = model.encode(distinct, normalize_embeddings=True)
    for k in (1, 5):
        hits = 0
        for mention, identity in mentions:
            cosines = vectors @ model.encode(mention, normalize_embeddings=True)
            nearest = [distinct[row] for row in np.argsort(-cosines, kind="stable")[:k]]
            hits += any((identity, name) in names for name in nearest)
        assert hits > 0
        assert scores[f"linking_accuracy@{k}"] == pytest.approx(hits / len(mentions))


class RotatedWords:
    """A model whose vectors of the words of one language are those of the other, rotated."""

    def __init__(self, wrong: int) -> None:
        generator = np.random.default_rng(5)
        rotation = np.linalg.qr(generator.normal(size=(6, 6)))[0]
        self.vectors = {}
        for number in range(60):
            vector = generator.normal(size=6)
            self.vectors[f"s{number}"] = vector
            # of some test words those of another language are anywhere
            rotated = vector @ rotation if number < 60 - wrong else generator.normal(size=6)
            self.vectors[f"t{number}"] = rotated
        self.model_card_data = self

    def set_evaluation_metrics(self, *_):
        pass

    def encode(self, strings, **_):
        return np.array([self.vectors[string] for string in strings], dtype=np.float32)


@pytest.mark.parametrize(("wrong", "low", "high"), [(0, 1.0, 1.0), (10, 0.5, 0.7)])
def test_a_lexicon_is_induced_by_a_map_of_the_training_pairs(wrong, low, high):
    pairs = [(f"s{number}", f"t{number}") for number in range(60)]
    evaluator = LexiconEvaluator(pairs[:40], pairs[40:])
    assert evaluator.primary_metric == "lexicon_accuracy@1"
    assert low <= evaluator(RotatedWords(wrong))["lexicon_accuracy@1"] <= high


def test_data_sets_are_scored_as_by_evaluate(tiny_bert, model, sample_data):
    sets = ["simlex999", "ncbi-disease", "bli-en-fr"]
    encoder = mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu")
    expected = mirror_bert.evaluate(encoder, sample_data, sets)
    scores = DatasetEvaluator(sample_data, sets)(model)
    assert len(scores) == len(expected) == 5
    for row in expected.itertuples():
        assert scores[f"{row.dataset}_{row.metric}"] == pytest.approx(row.value, abs=2e-3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SimilarityEvaluator([("a", "b")]), r"pairs\[0\]: not two strings and a score"),
        (lambda: LinkingEvaluator([("C1", "a")], []), "linking: no mention with a concept"),
        (lambda: LinkingEvaluator([], [("a", "C1")]), "names: no names"),
        (lambda: LexiconEvaluator([("a", "b")], ["ab"]), r"test\[0\]: not two strings"),
        (lambda: DatasetEvaluator("nowhere", "simlex999"), "no such f"),
    ],
)
def test_what_cannot_be_scored_is_one_line(make, message):
    with pytest.raises(mirror_bert.UserError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def trainer_of(model, strings, folder, **more):
    evaluator, size = more.pop("evaluator", None), more.pop("batch_size", 8)
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=size,
        **{"learning_rate": 1e-3, "weight_decay": 0.0, "max_grad_norm": 0.0, "seed": 5},
        **{"lr_scheduler_type": "constant", "dataloader_drop_last": True, "use_cpu": True},
        **{"save_strategy": "no", "report_to": "none", "disable_tqdm": True, "logging_steps": 1},
        **more,
    )
    return SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_dict({"string": strings}),
        loss=MirrorLoss(model, RECIPE["temperature"]),
        data_collator=MirrorCollator(model, more.get("span_masking")),
        evaluator=evaluator,
    )


def test_without_dropout_and_masking_the_trainer_takes_the_steps_of_tune(
    tiny_bert, model, tmp_path
):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    # all strings are one batch, whatever their order
    trainer = trainer_of(model, STRINGS, tmp_path, batch_size=24, num_train_epochs=4)
    trainer.train()
    theirs = [row["loss"] for row in trainer.state.log_history if "loss" in row]
    recipe = {**RECIPE, "pooling": "mean", "dropout": 0.0, "span_masking": None}
    recipe |= {"batch_size": 24, "epochs": 4, "weight_decay": 0.0}
    (tmp_path / "recipes.yaml").write_text(json.dumps({"recipes": {"own": recipe}}))
    mirror_bert.tune(
        *(tiny_bert, STRINGS),
        **{"recipe": "own", "recipes": tmp_path / "recipes.yaml", "device": "cpu"},
        step_log=tmp_path / "steps.jsonl",
    )
    steps = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    assert theirs == pytest.approx([step["loss"] for step in steps], rel=1e-3)
    assert theirs[0] > theirs[-1] * 1.05


def test_the_trainer_scores_while_it_trains(model, tmp_path):
    pairs = SimilarityEvaluator(SCORED, name="own")
    more = {"eval_strategy": "steps", "eval_steps": 2, "num_train_epochs": 1}
    trainer = trainer_of(model, STRINGS, tmp_path, evaluator=pairs, **more)
    trainer.train()
    scores = [row for row in trainer.state.log_history if "eval_own_spearman" in row]
    assert [row["step"] for row in scores] == [2, 3]
    # the last score is that of the model as it is now
    assert scores[-1]["eval_own_spearman"] == pytest.approx(pairs(model)["own_spearman"])


@pytest.mark.parametrize("package", ["sentence_transformers", "datasets"])
def test_a_missing_package_is_one_line(package, monkeypatch):
    for name in [*sys.modules]:
        if name.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "mirror_bert.sentence_transformers")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(mirror_bert.UserError) as error:
        importlib.import_module("mirror_bert.sentence_transformers")
    remedy = "pip install 'sentence-transformers[train]'"
    assert str(error.value) == f"package {package}: not installed; {remedy}"
