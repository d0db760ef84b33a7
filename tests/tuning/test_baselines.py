"""Methods on text and pairs: the baselines against plain implementations, what all of them keep."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from command_words import as_argv
from launched_processes import run_in_two_processes
from plain_training import (
    MEANS,
    Recorded,
    assert_gradients,
    assert_same_steps,
    cut,
    make_documents,
    objective_of,
    padded,
    plain_retrieval,
    plain_similarities,
    plain_vectors,
    small_micro_batches,
    take_first_step,
)
from safetensors.torch import load_file
from tiny_models import make_sentences
from torch.nn import functional

from workflow_scripts import plugins
from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, load_model
from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.tuning import tune_encoder
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.methods.classify import LabelledCorpus
from workflow_scripts.tuning.methods.cmlm import Corpora
from workflow_scripts.tuning.neighbours import draw_numbers
from workflow_scripts.tuning.processes import Workers
from workflow_scripts.tuning.recipe import METHODS, tuning_recipe_of
from workflow_scripts.tuning.running_text import RunningText
from workflow_scripts.tuning.tuning_state import StateFile

__all__ = ["small_micro_batches"]
KEYS = {
    **{"pooling": "mean", "embed_max_length": 20, "max_length": 16, "batch_size": 7},
    **{"dropout": 0.0, "learning_rate": 2e-3, "steps": 4},
}
TEXT = RunningText(make_documents(9))
ONES, OTHERS = ([document[side] for document in make_documents(20, 1)] for side in (0, 1))
BITEXT = Corpus(ONES, OTHERS)
NLI = Corpus(ONES, OTHERS, [LABELS[number % 3] for number in range(20)])
CLASSES = ["-", "0", "+"]
CLASSED = LabelledCorpus(ONES, [CLASSES[n % 3] for n in range(20)], classes=sorted(CLASSES))
CORPORA = {"mlm": TEXT, "quickthought": TEXT, "bitext": BITEXT, "nli": NLI, "classify": CLASSED}
CORPORA |= {"cmlm": Corpora(TEXT, BITEXT, TEXT), "simcse": Corpus(ONES), "tsdae": Corpus(ONES)}
CMLM = {"projections": 4, "bitext": {"corpus": "bitext", "batch_size": 5}, "optimiser": "lamb"}
NSP = {"next_sentence": True}


def recipe_of(method, **changes):
    return tuning_recipe_of("own", {**KEYS, "method": method, **changes})


def baseline(method, folder, dtype=torch.float64, means=MEANS, **changes):
    block = {**KEYS, "method": method, **changes}
    return objective_of(folder, CORPORA[method], block, dtype, means)


def assert_measures(taken, **expected):
    found = {name: value.to(torch.float64) for name, value in taken.measures.items()}
    expected = {
        name: torch.as_tensor(value, dtype=torch.float64).detach()
        for name, value in expected.items()
    }
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


ARCHITECTURES = ["roberta", "distilbert", "albert", "electra", "mpnet", "modernbert"]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *(("bert", one) for one in ({}, {"inputs": "packed"}, {"masked_count": 2}, NSP)),
        ("bert", {**NSP, "inputs": "packed", "max_length": 24}),
        *((name, NSP) for name in ARCHITECTURES),
    ],
)
def test_mlm_is_that_of_transformers(name, changes, folder_of):
    loaded, objective = baseline("mlm", folder_of(name), **changes)
    choices, recorded = objective._choices, Recorded(objective)
    seconds, draw = [], objective.draw_seconds
    objective.draw_seconds = lambda *given: seconds.append(draw(*given)) or seconds[-1]
    taken, gradients = take_first_step(objective)
    ((sequences, inputs, labels),) = recorded.drawn
    batch, text, separator = next(iter(objective.batches())), objective._text, inputs[0][-1]
    drawn = [False] * len(batch)
    expected = [text[one].tolist() for one in batch]
    if seconds:
        ((others, drawn),) = seconds
        pairs = zip(expected, others, strict=True)
        expected = [[*one, *text[other].tolist()[1:]] for one, other in pairs]
    assert [list(map(int, one)) for one in sequences] == expected

    width = choices.max_length
    given = {"input_ids": padded(inputs, loaded.tokenizer.pad_token_id, width)}
    given["attention_mask"] = padded([[1] * len(row) for row in inputs], 0, width)
    if seconds and name in ("bert", "albert", "electra"):
        firsts = [list(row).index(separator) + 1 for row in sequences]
        sizes = zip(firsts, inputs, strict=True)
        types = [[0] * size + [1] * (len(row) - size) for size, row in sizes]
        given["token_type_ids"] = padded(types, 0, width)
    output = objective.trained["whole"](**given, output_hidden_states=True)
    truth = padded(labels, IGNORED, width)
    loss = functional.cross_entropy(output.logits[truth != IGNORED], truth[truth != IGNORED])
    right = output.logits.argmax(dim=2)[truth != IGNORED] == truth[truth != IGNORED]
    measures = {"masked_loss": loss, "masked_accuracy": right.double().mean()}
    if seconds:
        own = objective.trained["own"]
        first = output.hidden_states[-1][:, 0]
        logits = own["next_sentence"](torch.tanh(own["pooler"](first)))
        wanted = torch.tensor([int(one) for one in drawn])
        following = functional.cross_entropy(logits, wanted)
        measures["next_sentence_loss"] = following
        measures["next_sentence_accuracy"] = (logits.argmax(dim=1) == wanted).double().mean()
        loss = loss + following
    assert_measures(taken, loss=loss, **measures)
    assert_gradients(objective, gradients, loss)
    assert (taken.strings, taken.tokens) == (len(batch), sum(map(len, expected)))


@pytest.mark.parametrize(("length", "half"), [(16, 8), (15, 8), (14, 7)])
def test_halves_of_a_pair_share_the_length(length, half, tiny_bert):
    _, objective = baseline("mlm", tiny_bert, max_length=length, **NSP)
    text = objective._text
    assert max(len(text[number]) for number in range(len(text))) == half


def test_the_loss_of_the_next_sentence_is_taken_in_float32(tiny_bert):
    means = replace(MEANS, dtype=torch.bfloat16)
    _, objective = baseline("mlm", tiny_bert, torch.float32, means, **NSP)
    states, drawn = torch.randn(3, 5, 32), torch.tensor([0, 1, 1])
    found = objective._next_sentence(states, drawn)
    own = objective.trained["own"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = own["next_sentence"](torch.tanh(own["pooler"](states[:, 0])))
    assert (logits.dtype, found.dtype) == (torch.bfloat16, torch.float32)
    loss = functional.cross_entropy(logits.float(), drawn, reduction="sum")
    right = (logits.argmax(dim=1) == drawn).sum()
    torch.testing.assert_close(found, torch.stack([loss, right.float()]))


def plain_quickthought(objective, vectors, batch):
    """A softmax over the others of the batch, for each sentence that has neighbours in it."""
    choices = objective._choices
    numbers = [number for number, document in enumerate(TEXT.documents) for _ in document]
    total, hits, count = 0, 0, 0
    for place, one in enumerate(batch):
        near = [
            other
            for other, second in enumerate(batch)
            if 1 <= abs(one - second) <= choices.context and numbers[one] == numbers[second]
        ]
        if not near:
            continue
        scores = plain_similarities(vectors[place], vectors, choices)
        others = {at: score for at, score in enumerate(scores) if at != place}
        whole = sum(torch.exp(score) for score in others.values())
        total -= sum(torch.log(torch.exp(scores[at]) / whole) for at in near) / len(near)
        hits += max(others, key=others.get) in near
        count += 1
    assert count > 0
    return total / count, hits / count


def plain_bitext(objective, vectors, batch):
    """An additive margin softmax in both directions."""
    sides, choices = vectors.chunk(2), objective._choices
    nearest = [plain_similarities(one, sides[1], choices) for one in sides[0]]
    hits = [torch.stack(scores).argmax().item() == at for at, scores in enumerate(nearest)]
    return plain_retrieval(sides, choices), sum(hits) / len(hits)


def plain_labels(rows, layer, wanted):
    """A softmax of a linear layer, row by row."""
    logits = [layer.weight @ row + layer.bias for row in rows]
    pairs = list(zip(logits, wanted, strict=True))
    losses = [-torch.log(torch.exp(row[label]) / torch.exp(row).sum()) for row, label in pairs]
    hits = sum(row.argmax().item() == label for row, label in pairs)
    return sum(losses) / len(losses), hits / len(losses)


def plain_nli(objective, vectors, batch):
    """A classifier of both vectors, their distance and product."""
    rows = [
        torch.stack([*u, *v, *(torch.abs(a - b) for a, b in zip(u, v, strict=True)), *(u * v)])
        for u, v in zip(*vectors.chunk(2), strict=True)
    ]
    wanted = [LABELS.index(NLI.labels[number]) for number in batch]
    return plain_labels(rows, objective.trained["own"]["classifier"], wanted)


def plain_classify(objective, vectors, batch):
    """A linear layer over the vector of a text, which is the classifier that is kept."""
    classes, names = ["+", "-", "0"], [CLASSED.partners[number] for number in batch]
    layer, wanted = objective.trained["own"]["text_classifier"], list(map(classes.index, names))
    loss, share = plain_labels(vectors, layer, wanted)
    found = objective.classifier.classify(vectors.detach().numpy())
    assert np.mean([one == name for one, name in zip(found, names, strict=True)]) == share
    return loss, share


INNER = {"normalize": False, "logit_scale": 1.0}


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize(
    ("method", "plain", "changes"),
    [
        ("quickthought", plain_quickthought, {}),
        ("quickthought", plain_quickthought, INNER),
        ("quickthought", plain_quickthought, {"context": 2, "batch_size": 13}),
        ("bitext", plain_bitext, {}),
        ("bitext", plain_bitext, {**INNER, "margin": 0.1}),
        ("nli", plain_nli, {}),
        ("classify", plain_classify, {}),
    ],
)
def test_a_step_on_vectors_is_that_of_the_plain_loss(method, plain, changes, pooling, tiny_bert):
    loaded, objective = baseline(method, tiny_bert, **changes, pooling=pooling)
    taken, gradients = take_first_step(objective)
    batch = next(iter(objective.batches()))
    sentences = [sentence for document in TEXT.documents for sentence in document]
    sides = {"classify": [ONES], "quickthought": [sentences]}.get(method, [ONES, OTHERS])
    strings = [side[one] for side in sides for one in batch]
    token_ids = loaded.tokenizer(strings, truncation=True, max_length=16)["input_ids"]
    vectors = plain_vectors(loaded, objective._choices, token_ids)
    loss, share = plain(objective, vectors, batch)
    assert_measures(taken, loss=loss, accuracy=share)
    assert_gradients(objective, gradients, loss)


CASES = [("mlm", {}), ("mlm", NSP), ("quickthought", {}), ("bitext", {}), ("nli", {})]
CASES += [("classify", {}), ("cmlm", CMLM), ("simcse", {}), ("tsdae", {})]


@pytest.mark.parametrize(("method", "changes"), CASES)
def test_any_number_of_threads_gives_every_bit(method, changes, tiny_bert):
    steps = []
    for count in (1, 2, 3):
        with Workers(count) as workers:
            own = (method, tiny_bert, torch.float32, replace(MEANS, workers=workers))
            steps.append(take_first_step(baseline(*own, dropout=0.2, **changes)[1]))
    for other in steps[1:]:
        assert_same_steps(other, steps[0], tolerance=0)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(("method", "changes"), CASES)
def test_lack_of_memory_is_met_by_smaller_parts(method, changes, rows, tiny_bert, monkeypatch):
    """The first pass fits, so that it may have added gradients before another does not."""
    (_, plain), (loaded, objective) = (
        baseline(method, tiny_bert, dropout=0.2, **changes) for _ in range(2)
    )
    expected, forward, passes = take_first_step(plain), type(loaded.model).forward, []

    def limited(self, input_ids=None, **options):
        passes.append(len(input_ids))
        if len(input_ids) > rows and len(passes) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, input_ids=input_ids, **options)

    monkeypatch.setattr(type(loaded.model), "forward", limited)
    assert_same_steps(take_first_step(objective), expected)


def test_half_of_the_second_sequences_are_of_another_document_and_the_others_follow(tiny_bert):
    _, objective = baseline("mlm", tiny_bert, **NSP)
    numbers = np.array([number for number, own in enumerate(TEXT.documents) for _ in own])
    generator, drawn, seen = np.random.default_rng(1), 0, 0
    reached = set()
    for batch in baseline("mlm", tiny_bert, steps=100, **NSP)[1].batches():
        seconds, other = objective.draw_seconds(batch, generator)
        assert (seconds[~other] == batch[~other] + 1).all()
        assert (numbers[seconds[~other]] == numbers[batch[~other]]).all()
        assert (numbers[seconds[other]] != numbers[batch[other]]).all()
        reached |= set(seconds[other].tolist())
        drawn, seen = drawn + other.sum(), seen + len(batch)
    assert reached == set(range(len(numbers)))
    assert abs(drawn - seen / 2) < 5 * (seen / 4) ** 0.5


def test_quickthought_goes_through_whole_documents(tiny_bert):
    _, objective = baseline("quickthought", tiny_bert, steps=16)
    numbers = np.array([number for number, own in enumerate(TEXT.documents) for _ in own])
    expected = list(draw_numbers(len(numbers), 7, 16, (33, 1), numbers))
    np.testing.assert_array_equal(list(objective.batches()), expected)


def tuned(method, folder, steps=25, state=None, **changes):
    loaded = load_model(str(folder))
    choices = recipe_of(method, steps=steps, **changes)
    return loaded, tune_model(loaded, CORPORA[method], choices, 33, state=state)


@pytest.mark.parametrize(("method", "changes"), CASES)
def test_the_loss_falls_and_what_a_method_trains_beside_the_model_is_kept(
    method, changes, tiny_bert
):
    _, summary = tuned(method, tiny_bert, **changes)
    assert summary.last_loss < summary.first_loss
    own = {name.split(".")[1] for name in summary.own_weights}
    heads = {"nli": {"classifier"}, "mlm": {"cls"}, "classify": {"text_classifier"}}
    heads |= {"cmlm": {"cls", "projections"}}
    more = {"pooler", "next_sentence"} if changes == NSP else set()
    assert own == heads.get(method, set()) | more


SKIP = {**CMLM, "conditioning": "skip", "schedule": "linear", "optimiser": "adamw"}
SKIP["held_out"] = {"corpus": "held-out", "every": 4, "pairs": 4}


@pytest.mark.parametrize(("method", "changes"), [*CASES, ("cmlm", SKIP)])
def test_a_cut_run_ends_at_the_same_weights(method, changes, tiny_bert, tmp_path, monkeypatch):
    """With the modules of the method, those that serve in training alone among them."""
    state = StateFile(tmp_path / "state.safetensors", "digest", seconds=0.0)
    run = partial(tuned, method, tiny_bert, steps=6, dropout=0.1, **changes)
    cut(lambda: run(state=state), 2, monkeypatch)
    (resumed, one), (whole, other) = run(state=state), run()
    torch.testing.assert_close(resumed.model.state_dict(), whole.model.state_dict(), rtol=0, atol=0)
    torch.testing.assert_close(one.own_weights, other.own_weights, rtol=0, atol=0)
    assert one.as_record() == other.as_record()
    assert one.learning_curve == other.learning_curve


@pytest.mark.parametrize(("method", "changes"), CASES)
def test_mixed_precision_comes_near(method, changes, tiny_bert):
    """In bfloat16, with the layers of a method's own; losses are taken in float32."""
    expected, found = (
        tuned(method, tiny_bert, steps=2, precision=precision, **changes)[1]
        for precision in ("float32", "bfloat16")
    )
    assert found.last_loss == pytest.approx(expected.last_loss, rel=0.05)
    assert all(one.dtype == torch.float32 for one in found.own_weights.values())


def test_training_stops_by_the_development_part_and_keeps_the_best_classifier(tiny_bert):
    """Scored by the classifier as it is then; without a better score twice in a row it ends."""
    scores, seen = [0.25, 0.5, 0.75, 0.75, 0.5, 1.0], []

    def score(loaded, classifier):
        seen.append(classifier)
        return scores[len(seen) - 1]

    loaded = load_model(str(tiny_bert))
    watched = {"dataset": "d", "every": 2, "patience": 2}
    choices = recipe_of("classify", steps=20, development=watched)
    summary = tune_model(loaded, CLASSED, choices, 33, score=score)
    assert (summary.steps, summary.best_step, summary.best_score) == (8, 4, 0.75)
    kept = summary.own_weights["own.text_classifier.weight"]
    assert seen[2].classes == ["+", "-", "0"]
    vectors = np.eye(kept.shape[1], dtype=np.float32)
    last = OwnClassifier(kept.numpy(), seen[2]._bias, seen[2].classes)
    assert last.classify(vectors) == seen[2].classify(vectors)
    assert not np.array_equal(seen[2]._weight, seen[4]._weight)


def test_the_defaults_of_nli_give_way():
    keys = {key: value for key, value in KEYS.items() if key not in ("steps", "batch_size")}
    plain = tuning_recipe_of("own", {**keys, "method": "nli"})
    assert (plain.batch_size, plain.number_of_steps(640)) == (64, 10)
    assert recipe_of("nli", steps=3).number_of_steps(640) == 3
    for wrong in ({"steps": 3, "epochs": 2}, {"steps": None, "epochs": None}):
        with pytest.raises(UserError, match="give either steps or epochs"):
            recipe_of("nli", **wrong)


SENTENCES = make_sentences(6)
PAIRS = [f"{sentence}||{sentence}" for sentence in SENTENCES]
OF_ONE_CLASS = [f"{sentence}||a" for sentence in SENTENCES]


@pytest.mark.parametrize(
    ("method", "lines", "changes", "message"),
    [
        ("mlm", SENTENCES, {}, "6 lines without a blank line"),
        ("mlm", [*SENTENCES, ""], {}, r"6 sequences, fewer than one batch of 7; .* to 6 or less"),
        ("mlm", [*SENTENCES, ""], NSP, r"5 pairs of neighbours, fewer.* lower batch_size to 5"),
        ("mlm", [*SENTENCES, ""], {**NSP, "batch_size": 5}, "a single document.*next_sentence: fa"),
        ("mlm", [*SENTENCES, ""], {"pooling": "pooler"}, "hold no pooler layer"),
        ("cmlm", [*SENTENCES, ""], {}, r"corpus.txt: 5 pairs of neighbours, .* batch_size to 5"),
        ("quickthought", [*SENTENCES, ""], {}, r"6 sentences, fewer than one batch of 7"),
        ("quickthought", ["one", "", "two"], {}, "no document has two neighbouring sentences"),
        ("bitext", PAIRS, {}, r"6 strings, fewer than one batch of 7"),
        ("bitext", SENTENCES, {}, r"corpus.txt:1: expected a pair text1\|\|text2, found"),
        ("simcse", SENTENCES, {}, r"6 strings, fewer than one batch of 7"),
        ("tsdae", SENTENCES, {}, r"6 strings, fewer than one batch of 7"),
        ("nli", PAIRS, {}, r"corpus.txt:1: expected a pair text1\|\|text2\|\|label"),
        ("nli", [f"{PAIRS[0]}||maybe"], {}, "label among entailment, neutral, contra.*'maybe'"),
        ("nli", [f"{one}||neutral" for one in PAIRS], {}, "6 strings, fewer than one batch of 7"),
        ("classify", SENTENCES, {}, r"corpus.txt:1: expected a pair text1\|\|text2, found"),
        ("classify", OF_ONE_CLASS, {}, "6 strings, fewer than one batch of 7"),
        (
            *("classify", OF_ONE_CLASS, {"batch_size": 4}),
            "corpus.txt: all texts are of class 'a'; give two classes or more",
        ),
        (
            *("classify", ["", *OF_ONE_CLASS, "x||A"], {"batch_size": 4}),
            "corpus.txt:8: label 'A' here, 'a' in .*corpus.txt:2; spell it one way",
        ),
    ],
)
def test_what_cannot_be_trained_on_is_one_clear_error(
    method, lines, changes, message, tiny_bert, tmp_path
):
    path, choices = tmp_path / "corpus.txt", recipe_of(method, **changes)
    path.write_text("\n".join(lines) + "\n")
    module = plugins.load(METHODS, method)
    with pytest.raises(UserError, match=message) as error:
        corpus = module.read(str(path), choices, "own")
        module.objective(load_model(str(tiny_bert)), corpus, choices, MEANS)
    assert "\n" not in str(error.value)


MIRROR = {"epochs": 2, "temperature": 0.1, "dropout": 0.1, "learning_rate": 1e-3}
MIRROR |= {"span_masking": {"length": 5, "min_length": 10}, "pooling": "mean_padded"}
IN_PROCESSES = [("cmlm", {"projections": 3}), ("mlm", NSP), ("nli", {}), ("simcse", {})]
IN_PROCESSES += [("tsdae", {}), ("mirror", {**MIRROR, "gradient_cache": True})]
IN_PROCESSES += [("mirror", {**MIRROR, "controlled_dropout": True})]


@pytest.mark.parametrize(
    ("method", "changes"),
    [("mirror", MIRROR), *(pytest.param(*case, marks=pytest.mark.slow) for case in IN_PROCESSES)],
)
def test_two_processes_tune_the_model_of_one(
    method, changes, tiny_bert, project, tmp_path, monkeypatch
):
    # micro-batches, on which masks depend, are those of the other processes
    monkeypatch.undo()
    recipe = {**KEYS, "method": method, **changes}
    if method == "mirror":
        del recipe["steps"]
    lines = {"nli": map("||".join, zip(NLI.strings, NLI.partners, NLI.labels, strict=True))}
    lines |= dict.fromkeys(("mirror", "simcse", "tsdae"), make_sentences(20))
    text = (sentence for document in TEXT.documents for sentence in [*document, ""])
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(f"{line}\n" for line in lines.get(method, text)))
    arguments = {"--model": str(tiny_bert), "--corpus": str(corpus), "--recipe-name": "own"}
    arguments |= {"--recipe-json": json.dumps(recipe), "--seed": "33"}
    tune_encoder.main(as_argv({**arguments, "--output": str(tmp_path / "one")}))
    run_in_two_processes(as_argv({**arguments, "--output": str(tmp_path / "two")}), project)
    # heads that serve in training alone are not written
    written = {path.name for path in (tmp_path / "one").glob("*.safetensors")}
    own = {OWN_WEIGHTS} if method in ("cmlm", "mlm", "nli") else set()
    assert written == {"model.safetensors"} | own
    for name in written:
        one, two = (load_file(tmp_path / folder / name) for folder in ("one", "two"))
        # its gradient is 0 up to rounding, which Adam scales up
        keys = [key for key in one if not key.endswith("key.bias")]
        assert one.keys() == two.keys()
        for key in keys:
            torch.testing.assert_close(two[key], one[key], rtol=0, atol=4e-4, msg=key)
    before = load_file(tiny_bert / "model.safetensors")["bert.embeddings.word_embeddings.weight"]
    after = load_file(tmp_path / "two" / "model.safetensors")["embeddings.word_embeddings.weight"]
    assert (after - before).abs().max() > 2e-3
