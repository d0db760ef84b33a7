"""Cells of tables and figures of a finished run, computed a second time in the plainest way.

From the raw files of the sample data, the `.npy` vectors and the encoders' folders, by numpy,
scipy, scikit-learn, torch and transformers: none of the project's own code is imported. Each shown
value must be the recomputed one to the digits that are shown.
"""

import csv
import html
import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import roc_auc_score, roc_curve
from threadpoolctl import threadpool_limits
from transformers import AutoModel, AutoTokenizer

pytestmark = pytest.mark.slow

BASE = "bert-en-mini/base-mp/none/seed0"
STATIC = "words/base-mp/none/seed0"
MIRROR = ["bert-en-mini/mirror-word/words-en/seed33", "bert-en-mini/mirror-word/words-en/seed44"]
SENTENCES = "bert-en-mini/mirror-sentence/sentences-en/seed33"
NO_MASKING = "bert-en-mini/mirror-sentence-no-masking/sentences-en/seed33"
CMLM = "bert-multi-mini/cmlm-multilingual/text-multi/seed33"
BITEXT = "bert-multi-mini/cmlm-s3/text-multi/seed33"
NLI = "bert-multi-mini/cmlm-s3-nli/nli-multi/seed33"
MULTI = "bert-multi-mini/base-mp/none/seed0"
CLASSIFY = "bert-multi-mini/classify/reviews-en/seed33"

OWN_RESAMPLES, RESAMPLES = 1000, 10_000
# standard errors that two bootstraps of the same statistic may differ by
ERRORS = 4


class Run:
    """The files of a finished run, read by column names and by text."""

    def __init__(self, folder: Path) -> None:
        self.results = folder / "results"
        self.raw = folder / "resources" / "sample_data"
        self.models = folder / "resources" / "models"

    def lines(self, path: str) -> list[str]:
        """Return the lines of a raw file, without carriage returns."""
        text = (self.raw / path).read_text(encoding="utf-8")
        return [line.rstrip("\r") for line in text.rstrip("\n").split("\n")]

    def fields(self, path: str) -> list[list[str]]:
        return [line.split("\t") for line in self.lines(path)]

    def vectors(self, encoder: str, suite: str) -> dict[str, np.ndarray]:
        """Return the vector of each string of the data sets of a suite, float64."""
        stem = self.results / "embeddings" / encoder / suite
        vectors, found = np.load(f"{stem}.npy").astype(np.float64), {}
        for key, rows in np.load(f"{stem}.npz").items():
            dataset, _, side = key.partition("/")
            text = self.page(f"datasets/{dataset}/{side or 'strings'}.txt").removesuffix("\n")
            found |= dict(zip(text.split("\n"), vectors[rows], strict=True))
        assert len(found) == len(vectors)
        return found

    def rows(self, path: str) -> list[dict[str, str]]:
        """Return the rows of a tab-separated result under its header."""
        lines = (self.results / path).read_text(encoding="utf-8").splitlines()
        header, *rows = (line.split("\t") for line in lines)
        assert len(set(header)) == len(header)
        return [dict(zip(header, row, strict=True)) for row in rows]

    def table(self, name: str) -> dict[str, dict[str, str]]:
        """Return the fields of a rendered table by row and heading."""
        return {row["row"]: row for row in self.rows(f"tables/{name}.tsv")}

    def cell(self, table: str, row: str, column: str, kind: str = "tables") -> dict[str, str]:
        """Return one tidy cell, numbers with six digits."""
        rows = self.rows(f"{kind}/cells/{table}.tsv")
        (cell,) = (one for one in rows if (one["row"], one["column"]) == (row, column))
        return cell

    def score(self, encoder: str, dataset: str, metric: str) -> dict[str, str]:
        """Return the row of a score in the file of all of them."""
        ids = dict(zip(("model", "recipe", "corpus", "seed"), encoder.split("/"), strict=True))
        ids |= {"seed": ids["seed"].removeprefix("seed"), "dataset": dataset, "metric": metric}
        rows = self.rows("tables/scores.tsv")
        (score,) = (row for row in rows if all(row[key] == value for key, value in ids.items()))
        return score

    def page(self, path: str) -> str:
        return (self.results / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def run(finished) -> Iterator[Run]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        yield Run(finished.folder)
    torch.set_num_threads(threads)


def shown(value: float, digits: int = 3) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def printed(value: float, digits: int = 3) -> str:
    """Return a value as md, html and tex print it, without the zero before the point."""
    return re.sub(r"^(-?)0\.", r"\1.", shown(value, digits))


def unit(rows) -> np.ndarray:
    rows = np.array(rows)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def cosines(vectors: dict[str, np.ndarray], pairs) -> np.ndarray:
    return np.array([unit(vectors[left]) @ unit(vectors[right]) for left, right in pairs])


def drawn(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(n, size=(RESAMPLES, n))


def rank_correlations(first: np.ndarray, second: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation on each resample: Pearson's of the ranks."""
    return correlations(*(rankdata(side[rows], axis=1) for side in (first, second)))


def correlations(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    first, second = (side - side.mean(axis=1, keepdims=True) for side in (first, second))
    sums = (first * second).sum(axis=1), (first**2).sum(axis=1), (second**2).sum(axis=1)
    return sums[0] / np.sqrt(sums[1] * sums[2])


def check_interval(low: str, high: str, replicates: np.ndarray) -> None:
    """Check the ends of a 95% interval of 1,000 resamples against replicates of its own kind.

    Of p = .025 of these below an end the standard error is sqrt(p (1 - p) (1 / 1,000 + 1 / 10,000))
    = .005: the ends of a 90% interval are outside of four of them.
    """
    for end, share in ((low, 0.025), (high, 0.975)):
        error = np.sqrt(share * (1 - share) * (1 / OWN_RESAMPLES + 1 / len(replicates)))
        # of a score of few values many replicates are equal; a file has six digits
        below = np.mean(replicates < float(end) - 1e-6)
        up_to = np.mean(replicates < float(end) + 1e-6)
        assert below - ERRORS * error <= share <= up_to + ERRORS * error, (end, below, up_to)


def check_p_value(p_value: str, differences: np.ndarray) -> None:
    half = min((differences <= 0).mean(), (differences >= 0).mean())
    error = np.sqrt(half * (1 - half) * (1 / OWN_RESAMPLES + 1 / len(differences)))
    assert float(p_value) == pytest.approx(min(1, 2 * half), abs=2 * ERRORS * error + 0.002)


# ---- similarity of words: seeds, deviations, published values, differences, changes ------------


@pytest.fixture(scope="module")
def words(run) -> tuple[list[tuple[str, str]], np.ndarray]:
    """The English pairs of Multi-SimLex and their grades."""
    folder = run.raw / "multi-simlex"
    with (folder / "translation.csv").open(encoding="utf-8", newline="") as stream:
        pairs = [(row["ENG 1"], row["ENG 2"]) for row in csv.DictReader(stream)]
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as stream:
        gold = [float(row["ENG"]) for row in csv.DictReader(stream)]
    return pairs, np.array(gold)


def word_cosines(run, words, encoder):
    return cosines(run.vectors(encoder, "similarity"), words[0])


def test_word_similarity(run, words):
    table = run.table("words")
    rho = {}
    for encoder in (STATIC, BASE, *MIRROR):
        rho[encoder] = spearmanr(word_cosines(run, words, encoder), words[1])[0]
        score = run.score(encoder, "multisimlex-en", "spearman")
        assert score["value"] == shown(rho[encoder], 6)
        assert int(score["n"]) == len(words[0]) == 133
    seeds = [rho[encoder] for encoder in MIRROR]
    mean, deviation = sum(seeds) / 2, statistics.stdev(seeds)
    # so that it tells n - 1 from n
    assert deviation - statistics.pstdev(seeds) > 1e-5
    assert table["fasttext"]["EN"] == shown(rho[STATIC])
    assert table["bert-mp"]["EN"] == shown(rho[BASE])
    own = table["bert-mirror"]
    assert (own["EN"], own["EN sd"]) == (shown(mean), shown(deviation))
    assert own["EN ±"] == shown(deviation, 4)
    cell = run.cell("words", "bert-mirror", "en")
    # of scores with six digits
    assert float(cell["mean"]) == pytest.approx(mean, abs=2e-6)
    assert float(cell["sd"]) == pytest.approx(deviation, abs=2e-6)
    assert cell["seeds"] == "2"
    spread = run.cell("words", "bert-mirror", "en-sd")
    assert (spread["mean"], spread["sd"]) == (cell["sd"], "")
    assert run.page("tables/words.md").count(f"{printed(mean)} ±{printed(deviation)}") == 1


def test_published_values_differences_and_changes(run, words):
    table, published = run.table("words"), {}
    reference = run.results.parent / "config/reference/mirror-bert/table01.tsv"
    for line in reference.read_text().splitlines():
        _, row, column, value = line.split("\t")
        published[row, column] = value
    for row in ("fasttext", "bert-mp", "bert-mirror"):
        assert table[row]["EN published"] == published[row, "en"]
    own = float(shown(spearmanr(word_cosines(run, words, STATIC), words[1])[0]))
    difference = own - float(published["fasttext", "en"])
    assert table["fasttext"]["EN difference"] == shown(difference)
    assert table["fasttext"]["EN status"] == ("inside" if abs(difference) <= 0.005 else "outside")
    mark = " !" if abs(difference) > 0.005 else ""
    line = f"paper {printed(float(published['fasttext', 'en']))}, {printed(difference)}{mark}<br>"
    assert line.removesuffix("<br>") in run.page("tables/words.md")
    # the tuned model is not the paper's
    assert table["bert-mirror"]["EN difference"] == ""
    assert table["bert-mirror"]["EN status"] == "not-comparable"
    rho = {one: spearmanr(word_cosines(run, words, one), words[1])[0] for one in (BASE, *MIRROR)}
    change = float(shown((rho[MIRROR[0]] + rho[MIRROR[1]]) / 2)) - float(shown(rho[BASE]))
    assert table["bert-mirror"]["change"] == shown(change)


def test_intervals_of_means_over_seeds_and_of_paired_changes(run, words):
    gold, rows = words[1], drawn(len(words[1]), 1)
    own = {
        encoder: rank_correlations(word_cosines(run, words, encoder), gold, rows)
        for encoder in (STATIC, BASE, *MIRROR)
    }
    mean = (own[MIRROR[0]] + own[MIRROR[1]]) / 2
    for row, replicates in (("fasttext", own[STATIC]), ("bert-mirror", mean)):
        cell = run.cell("words", row, "en")
        check_interval(cell["low"], cell["high"], replicates)
        assert run.table("words")[row]["EN low"] == shown(float(cell["low"]))
    cell = run.cell("words", "bert-mirror", "en")
    check_interval(cell["against_low"], cell["against_high"], mean - own[BASE])
    check_p_value(cell["p_value"], mean - own[BASE])
    change = run.cell("words", "bert-mirror", "change")
    assert (change["low"], change["high"]) == (cell["against_low"], cell["against_high"])


# ---- similarity of sentences: data sets in parts, averages --------------------------------------


@pytest.fixture(scope="module")
def graded(run) -> dict[str, tuple[list[tuple[str, str]], np.ndarray]]:
    """Sentence pairs and grades: all of 2012 put together, and SICK's test file."""
    folder, pairs, gold = "semeval-sts-original/STS12-en-test", [], []
    for part in ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"):
        pairs += [tuple(row[:2]) for row in run.fields(f"{folder}/STS.input.{part}.txt")]
        gold += [float(line) for line in run.lines(f"{folder}/STS.gs.{part}.txt")]
    sick = run.fields("sick/semeval2014/SICK_test_annotated.txt")[1:]
    sick_gold = np.array([float(row[3]) for row in sick])
    sick_pairs = [(row[1], row[2]) for row in sick]
    return {"sts12": (pairs, np.array(gold)), "sickr": (sick_pairs, sick_gold)}


def sentence_cosines(run, graded, encoder):
    vectors = run.vectors(encoder, "similarity")
    return {name: cosines(vectors, pairs) for name, (pairs, _) in graded.items()}


def test_sentence_similarity_and_averages(run, graded):
    tables = {name: run.table(name) for name in ("sentences", "masking")}
    means = {}
    for row, encoder in (("bert-mp", BASE), ("bert-mirror", SENTENCES), (None, NO_MASKING)):
        own = sentence_cosines(run, graded, encoder)
        rho = {name: spearmanr(own[name], graded[name][1])[0] for name in graded}
        means[encoder] = (rho["sts12"] + rho["sickr"]) / 2
        if row is not None:
            line = tables["sentences"][row]
            assert (line["STS12"], line["SICK-R"]) == (shown(rho["sts12"]), shown(rho["sickr"]))
            assert line["avg."] == shown(means[encoder])
    masked = tables["masking"]["bert-mirror"]
    assert masked["masked"] == shown(means[SENTENCES])
    assert masked["whole"] == shown(means[NO_MASKING])
    own, gold = sentence_cosines(run, graded, BASE), {name: graded[name][1] for name in graded}
    replicates = [
        rank_correlations(own[name], gold[name], drawn(len(gold[name]), seed))
        for seed, name in enumerate(graded)
    ]
    cell = run.cell("sentences", "bert-mp", "avg")
    check_interval(cell["low"], cell["high"], np.mean(replicates, axis=0))
    page = run.page("tables/sentences.md")
    assert [len(gold) for _, gold in graded.values()] == [98, 74]
    assert "| sts12 | 98 | 1.000 | none |" in page and "| sickr | 74 | 1.000 | none |" in page


# ---- linking and lexicons by brute force --------------------------------------------------------


def check_ranks(rows: np.ndarray, scores: np.ndarray, places: np.ndarray) -> None:
    """Check the listed rows [n, k] of all scores [n, rows], in order except for near ties."""
    by_rank = -np.sort(-scores, axis=1)[:, : rows.shape[1]]
    listed = np.take_along_axis(scores, rows, axis=1)
    np.testing.assert_allclose(listed, by_rank, atol=1e-4)
    assert (rows == places[:, : rows.shape[1]]).mean() > 0.99


def test_entity_linking(run):
    vectors = run.vectors(BASE, "entity-linking")
    dictionary = [line.split("||") for line in run.lines("askapatient/dictionary.txt")]
    mentions = run.fields("askapatient/AskAPatient.fold-0.test.txt")
    names = np.array([vectors[name.lower()] for _, name in dictionary])
    queries = np.array([vectors[text.lower()] for _, _, text in mentions])
    products = queries @ names.T
    order = np.argsort(-products, axis=1, kind="stable")
    hits = np.array(
        [
            [dictionary[row][0] == concept for row in rows[:5]]
            for rows, (concept, _, _) in zip(order, mentions, strict=True)
        ]
    )
    at_1, at_5 = hits[:, 0].mean(), hits.any(axis=1).mean()
    assert at_1 < hits[:, :4].any(axis=1).mean() < at_5
    line = run.table("linking")["bert-mp"]
    assert (line["AskAPatient"], line["within 5"]) == (shown(at_1), shown(at_5))
    assert int(run.score(BASE, "askapatient", "accuracy@1")["n"]) == len(mentions)
    listed = run.rows(f"retrieval/{BASE}/entity-linking.tsv")
    listed = [row for row in listed if row["dataset"] == "askapatient"]
    rows = np.array([int(row["name_row"]) for row in listed]).reshape(len(mentions), 5)
    check_ranks(rows, products, order)
    cell = run.cell("linking", "bert-mp", "askapatient-5")
    check_interval(cell["low"], cell["high"], hits.any(axis=1)[drawn(len(hits), 2)].mean(axis=1))
    known = np.isin([concept for concept, _, _ in mentions], [concept for concept, _ in dictionary])
    coverage = f"| askapatient | {len(mentions)} | {printed(known.mean())} | none |"
    assert coverage in run.page("tables/linking.md")


def centred(rows: np.ndarray, vocabulary: np.ndarray) -> np.ndarray:
    return unit(unit(rows) - unit(vocabulary).mean(axis=0))


def power(matrix: np.ndarray, exponent: float) -> np.ndarray:
    values, axes = np.linalg.eigh(matrix)
    return axes @ np.diag(values**exponent) @ axes.T


def test_lexicon_induction(run):
    """Artetxe et al. (2018): whitening, rotation, weights and de-whitening; CSLS over all pairs."""
    folder = "bli-xling-eval/en-fr/yacle"
    train = run.fields(f"{folder}.train.freq.5k.en-fr.tsv")
    test = run.fields(f"{folder}.test.freq.2k.en-fr.tsv")
    entry = json.loads((run.results / "datasets/bli-en-fr/items.json").read_text())
    vectors = run.vectors(BASE, "lexicon")
    vocabularies = []
    for side, place in (("source", 0), ("target", 1)):
        strings = run.page(f"datasets/bli-en-fr/{side}.txt").split("\n")
        vocabulary = [strings[row] for row in entry[f"{side}_vocabulary"]]
        assert len(set(vocabulary)) == len(vocabulary) > 1000
        assert {row[place] for row in (*train, *test)} <= set(vocabulary)
        vocabularies.append(vocabulary)
    spaces = [np.array([vectors[word] for word in words]) for words in vocabularies]
    sides = [centred(space, space) for space in spaces]
    x, z = (
        centred(np.array([vectors[row[place]] for row in train]), space)
        for place, space in enumerate(spaces)
    )
    grams = [
        side.T @ side + np.trace(side.T @ side) / side.shape[1] * np.eye(192) for side in (x, z)
    ]
    white, colour = ([power(gram, exponent) for gram in grams] for exponent in (-0.5, 0.5))
    u, s, vt = np.linalg.svd((x @ white[0]).T @ (z @ white[1]))
    maps = [
        white[0] @ u @ np.diag(np.sqrt(s)) @ u.T @ colour[0] @ u,
        white[1] @ vt.T @ np.diag(np.sqrt(s)) @ vt @ colour[1] @ vt.T,
    ]
    sources, targets = (unit(side @ one) for side, one in zip(sides, maps, strict=True))
    gold = {}
    for word, translation in test:
        gold.setdefault(word, set()).add(translation)
    place = {word: row for row, word in enumerate(vocabularies[0])}
    all_cosines = sources @ targets.T
    own = all_cosines[[place[word] for word in gold]]
    of_queries = -np.sort(-own, axis=1)[:, :10].mean(axis=1)
    of_targets = -np.sort(-all_cosines, axis=0)[:10].mean(axis=0)
    csls = 2 * own - of_queries[:, None] - of_targets
    order = np.argsort(-csls, axis=1, kind="stable")
    hits = np.array(
        [
            [vocabularies[1][row] in answers for row in rows[:5]]
            for rows, answers in zip(order, gold.values(), strict=True)
        ]
    )
    line = run.table("lexicon")["bert-mp"]
    assert line["EN-FR"] == shown(hits[:, 0].mean())
    assert line["within 5"] == shown(hits.any(axis=1).mean())
    pair = "bert-en-mini--bert-en-mini/base-mp/none--none/seed0"
    listed = run.rows(f"retrieval/{pair}/bli-en-fr.tsv")
    rows = np.array([int(row["target_row"]) for row in listed]).reshape(len(gold), 5)
    check_ranks(rows, csls, order)
    scores = np.array([float(row["score"]) for row in listed]).reshape(len(gold), 5)
    np.testing.assert_allclose(scores, -np.sort(-csls, axis=1)[:, :5], atol=1e-5)
    assert int(run.score(pair, "bli-en-fr", "accuracy@1")["n"]) == len(gold) < len(test)


# ---- classifiers --------------------------------------------------------------------------------


def test_classes_and_relatedness(run):
    """From the predictions, which tests/scoring compares with those of SentEval's own toolkit."""
    lines = run.rows(f"predictions/{BASE}/classification.tsv")
    predictions = {
        dataset: np.array([float(row["prediction"]) for row in lines if row["dataset"] == dataset])
        for dataset in ("mr", "sick-r")
    }
    texts = [(text, 1) for text in run.lines("senteval/MR/rt-polarity.pos")]
    texts += [(text, 0) for text in run.lines("senteval/MR/rt-polarity.neg")]
    texts.sort(key=lambda pair: (len(pair[0].split()), pair[1]))
    hits = predictions["mr"] == [label for _, label in texts]
    pairs = [row[1:4] for row in run.fields("sick/semeval2014/SICK_test_annotated.txt")[1:]]
    pairs.sort(key=lambda pair: (len(pair[0].split()), len(pair[1].split()), float(pair[2])))
    scores, gold = predictions["sick-r"], np.array([float(grade) for *_, grade in pairs])
    line = run.table("classes")["bert-mp"]
    assert (line["MR"], line["SICK-R"]) == (shown(hits.mean()), shown(pearsonr(scores, gold)[0]))
    cell, rows = run.cell("classes", "bert-mp", "sick-r"), drawn(len(gold), 4)
    check_interval(cell["low"], cell["high"], correlations(scores[rows], gold[rows]))
    cell = run.cell("classes", "bert-mp", "mr")
    check_interval(cell["low"], cell["high"], hits[drawn(len(hits), 3)].mean(axis=1))


def test_an_encoder_with_its_own_classifier(run):
    texts = []
    for domain in ("books", "dvd", "music"):
        text = (run.raw / f"cls-acl10-unprocessed/fr/{domain}/test.review").read_text("utf-8")
        texts += re.findall(r"<rating>(.*?)</rating>.*?<text>(.*?)</text>", text, re.DOTALL)
    vectors = run.vectors(CLASSIFY, "classification")
    layer = load_file(run.results / "encoders" / CLASSIFY / "training_modules.safetensors")
    weight, bias = (layer[f"own.text_classifier.{name}"] for name in ("weight", "bias"))
    rows = np.array([vectors[html.unescape(text)] for _, text in texts])
    positive = (rows @ weight.T + bias).argmax(axis=1) == 1
    accuracy = np.mean(positive == [float(stars) > 3 for stars, _ in texts])
    assert run.table("reviews")["trained"]["FR"] == shown(accuracy)
    assert int(run.score(CLASSIFY, "reviews-fr", "accuracy")["n"]) == len(texts)


# ---- pairs, isotropy, and the figures of pairs --------------------------------------------------


@pytest.fixture(scope="module")
def questions(run) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and labels of QNLI's pairs."""
    rows = run.fields("qnli/dev.tsv")[1:]
    vectors = run.vectors(BASE, "pair-classification")
    labels = np.array([row[3] == "entailment" for row in rows])
    return cosines(vectors, [(row[1], row[2]) for row in rows]), labels


def test_pair_classification(run, questions):
    own, labels = questions
    line = run.table("pairs")["bert-mp"]
    assert line["AUC"] == shown(roc_auc_score(labels, own))
    # the area is the share of ordered pairs of a positive and a negative
    rows = drawn(len(own), 5)
    ranks, positive = rankdata(own[rows], axis=1), labels[rows]
    p, n = positive.sum(axis=1), (~positive).sum(axis=1)
    areas = ((ranks * positive).sum(axis=1) - p * (p + 1) / 2) / (p * n)
    cell = run.cell("pairs", "bert-mp", "auc")
    check_interval(cell["low"], cell["high"], areas)


def test_isotropy_and_the_mean_vector(run):
    corpus = (run.results / "corpora/words-en.txt").read_text(encoding="utf-8").split("\n")[:-1]
    vectors = run.vectors(BASE, "isotropy")
    rows = np.array([vectors[word] for word in corpus])
    columns = np.linalg.eigh(rows.T @ rows)[1]
    columns *= np.sign(np.take_along_axis(columns, abs(columns).argmax(axis=0)[None], axis=0))
    line = run.table("pairs")["bert-mp"]
    for heading, directions, digits in (("IS", columns, 3), ("IS by eigenvectors", columns.T, 6)):
        partition = np.exp(rows @ directions.T).sum(axis=0)
        assert line[heading] == shown(partition.min() / partition.max(), digits)
    assert line["mean vector"] == shown(np.linalg.norm(rows.mean(axis=0)), 2)
    assert int(run.score(BASE, "isotropy-word", "mvn")["n"]) == len(corpus) == 200


def test_the_roc_curve(run, questions):
    own, labels = questions
    false, true, _ = roc_curve(labels, own, drop_intermediate=False)
    every = [(shown(x, 6), shown(y, 6)) for x, y in zip(false, true, strict=True)]
    points = [(point["x"], point["y"]) for point in run.rows("figures/curve.tsv")]
    # those on a straight line are left out
    assert points == [point for point in every if point in points]
    assert (points[0], points[-1]) == (every[0], every[-1])
    x, y = np.array(points, dtype=float).T
    assert np.trapezoid(y, x) == pytest.approx(roc_auc_score(labels, own), abs=1e-5)
    assert f"| BERT | {printed(roc_auc_score(labels, own))} |" in run.page("figures/curve.md")


def test_the_histograms_of_cosines(run, questions):
    own, labels = questions
    points = run.rows("figures/cosines.tsv")
    for series, values in (("positive", own[labels]), ("negative", own[~labels])):
        bars = [point for point in points if point["series"] == series]
        # fewer than 200 pairs of a class: bins of .05
        for bar in bars:
            low, high = float(bar["x"]) - 0.025, float(bar["x"]) + 0.025
            share = 100 * np.mean((values >= low) & (values < high))
            assert bar["y"] == shown(share, 6)
        assert sum(float(bar["y"]) for bar in bars) == pytest.approx(100, abs=1e-4)
        (line,) = (point for point in points if point["series"] == f"median of {series}")
        assert line["x"] == shown(np.median(values), 6)


# ---- bitexts and pools of languages -------------------------------------------------------------


def without_first_component(rows: np.ndarray) -> np.ndarray:
    first = np.linalg.svd(rows, full_matrices=False)[2][0]
    return rows - np.outer(rows @ first, first)


def bitext(run, encoder) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of Tatoeba's Spanish sentences and of their English translations."""
    vectors = run.vectors(encoder, "bitext-retrieval")
    return tuple(
        np.array([vectors[text] for text in run.lines(f"tatoeba-v1/tatoeba.spa-eng.{side}")])
        for side in ("spa", "eng")
    )


def nearest(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return whether row i of the right is the nearest of row i of the left."""
    return (unit(left) @ unit(right).T).argmax(axis=1) == np.arange(len(left))


def test_bitext_retrieval(run):
    table = run.table("translations")
    for row, encoder in (("cmlm", CMLM), ("cmlm-br", BITEXT), ("cmlm-br-nli", NLI)):
        spanish, english = bitext(run, encoder)
        assert table[row]["ES"] == shown(nearest(spanish, english).mean())
    spanish, english = bitext(run, NLI)
    to_english, from_english = nearest(spanish, english), nearest(english, spanish)
    assert to_english.mean() != from_english.mean()
    assert table["from-english"]["ES"] == shown(from_english.mean())
    spanish, english = without_first_component(spanish), without_first_component(english)
    assert table["pcr"]["ES"] == shown(nearest(spanish, english).mean())
    score = run.score(NLI, "tatoeba-es", "accuracy_pcr_from_english")
    assert score["value"] == shown(nearest(english, spanish).mean(), 6)
    cell = run.cell("translations", "cmlm-br-nli", "es")
    hits = to_english[drawn(len(to_english), 6)].mean(axis=1)
    check_interval(cell["low"], cell["high"], hits)
    assert f"| tatoeba-es | {len(spanish)} | 1.000 | none |" in run.page("tables/translations.md")


def own_language_shares(rows, languages, k=10):
    """Return the share of each language among the k nearest others of each row."""
    products = unit(rows) @ unit(rows).T
    np.fill_diagonal(products, -np.inf)
    near = np.array(languages)[np.argsort(-products, axis=1)[:, :k]]
    return {language: (near == language).mean(axis=1) for language in dict.fromkeys(languages)}


def test_the_languages_of_neighbours(run):
    vectors, texts, languages = run.vectors(MULTI, "bitext-retrieval"), [], []
    for language in ("en", "es", "fr", "zh"):
        first = [row[0] for row in run.fields(f"paws-x/dev-{language}.tsv") if row[0] != "NS"]
        own = list(dict.fromkeys(first))
        texts, languages = texts + own, languages + [language] * len(own)
    rows, of = np.array([vectors[text] for text in texts]), np.array(languages)
    points = run.rows("figures/languages.tsv")
    for column, label in (("bert-mp", "BERT"), ("bert-mp/pcr", r"BERT \+ PCR")):
        if column.endswith("pcr"):
            for language in set(languages):
                rows[of == language] = without_first_component(rows[of == language])
        shares = own_language_shares(rows, languages)
        drawn_shares = {
            (point["series"], point["x"]): point["y"]
            for point in points
            if point["panel"] == column
        }
        assert drawn_shares == {
            (query, other): shown(shares[other][of == query].mean(), 6)
            for query in shares
            for other in shares
        }
        own = np.array([shares[language][row] for row, language in enumerate(languages)])
        cell = run.cell("languages", column, "own language", "figures")
        assert cell["mean"] == shown(own.mean(), 6)
        check_interval(cell["low"], cell["high"], own[drawn(len(own), 7)].mean(axis=1))
        assert re.search(
            rf"\| {label} \| {printed(own.mean())} \|", run.page("figures/languages.md")
        )
    expected = {point["series"]: point["y"] for point in points if point["panel"] == "expected"}
    sizes = {language: int((of == language).sum()) for language in shares}
    assert expected == {one: shown((n - 1) / (len(of) - 1), 6) for one, n in sizes.items()}


# ---- the other figures --------------------------------------------------------------------------


def test_the_lines_by_size_of_corpus(run, words):
    points = run.rows("figures/sizes.tsv")
    for point, corpus in zip(points, ("words-en", "words-en-fr"), strict=True):
        size = run.page(f"corpora/{corpus}.txt").count("\n")
        own = word_cosines(run, words, f"bert-en-mini/mirror-word/{corpus}/seed33")
        rho = spearmanr(own, words[1])[0]
        assert (point["x"], point["y"]) == (str(size), shown(rho, 6))
        replicates = rank_correlations(own, words[1], drawn(len(own), 8))
        check_interval(point["low"], point["high"], replicates)


def test_the_buckets_of_frequency(run, words):
    bucket = {word.lower() for word in run.page("corpora/words-en.txt").split("\n")[:-1]}
    distinct = {word.lower() for pair in words[0] for word in pair}
    rho = spearmanr(word_cosines(run, words, MIRROR[0]), words[1])[0]
    points = {(one["panel"], one["x"]): one["y"] for one in run.rows("figures/frequency.tsv")}
    assert points == {
        ("words", "words-en"): str(len(distinct & bucket)),
        ("words", "beyond"): str(len(distinct - bucket)),
        ("score", "words-en"): shown(rho, 6),
    }


def test_the_plane_of_translations(run):
    sides = bitext(run, BITEXT)
    rows = np.concatenate(sides)
    rows = rows - rows.mean(axis=0)
    left, strengths, _ = np.linalg.svd(rows, full_matrices=False)
    places = left[:, :2] * strengths[:2]
    points = run.rows("figures/plane.tsv")
    assert [point["series"] for point in points[::60]] == ["left 1", "right 1"]
    own = np.array([[float(point["x"]), float(point["y"])] for point in points])
    # a component has no sign
    own *= np.sign((own * places).sum(axis=0))
    np.testing.assert_allclose(own, places, atol=1e-5)
    in_plane = (strengths[:2] ** 2).sum() / (strengths**2).sum()
    middle = (sides[0].mean(axis=0) - sides[1].mean(axis=0)) / 2
    between = len(rows) * (middle @ middle) / (rows**2).sum()
    accuracy = nearest(*sides).mean()
    shares = " | ".join(map(printed, (in_plane, between, accuracy)))
    assert f"| CMLM+BR, ES | 60 | 60 | {shares} |" in run.page("figures/plane.md")


# ---- running times ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "folders"),
    [
        ("embedding", ["embed_suite", "embed_static"]),
        ("scoring", ["score_suite", "score_lexicon"]),
        ("method mirror, words", ["tune_encoder/bert-en-mini/mirror-word"]),
        ("method nli, inference", ["tune_encoder/bert-multi-mini/cmlm-s3-nli"]),
    ],
)
def test_running_times(run, label, folders):
    """The table is made before it and other pages have run, so only steps count."""
    jobs = [
        dict(zip(*(line.split("\t") for line in file.read_text().splitlines()), strict=True))
        for name in folders
        for file in (run.results / "benchmarks" / name).rglob("*.tsv")
    ]
    (line,) = (row for row in run.rows("tables/running-time.tsv") if row["Jobs"] == label)
    assert line["Number"] == str(len(jobs))
    seconds = [float(job["s"]) for job in jobs]
    assert float(line["Longest (s)"].replace(",", "")) == pytest.approx(max(seconds), abs=0.051)
    assert float(line["Sum (s)"].replace(",", "")) == pytest.approx(sum(seconds), abs=0.051)


# ---- vectors, one string at a time, without padding ---------------------------------------------


def plain_vectors(folder, texts, pooling, max_length):
    """Return the vectors of texts; `mean_padded` alone pads, each to the maximum length."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    # the bundled models have half the precision
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    vectors = []
    for text in texts:
        padding = "max_length" if pooling == "mean_padded" else False
        tokens = tokenizer(
            text, truncation=True, max_length=max_length, padding=padding, return_tensors="pt"
        )
        with torch.no_grad():
            states = model(**tokens).last_hidden_state[0]
        vectors.append((states[0] if pooling == "cls" else states.mean(dim=0)).double().numpy())
    return np.array(vectors)


@pytest.mark.parametrize(
    ("encoder", "suite", "pooling", "max_length"),
    [
        (BASE, "classification", "mean", 64),
        (MULTI, "bitext-retrieval", "mean", 64),
        (MIRROR[1], "similarity", "cls", 25),
        (SENTENCES, "similarity", "mean_padded", 64),
        (CLASSIFY, "classification", "mean", 16),
        (CMLM, "bitext-retrieval", "mean", 24),
        (BITEXT, "bitext-retrieval", "mean", 24),
        (NLI, "bitext-retrieval", "mean", 24),
    ],
)
def test_vectors_are_those_of_transformers(run, encoder, suite, pooling, max_length):
    """Of the shortest and the longest strings, which are cut, and of others."""
    vectors = run.vectors(encoder, suite)
    texts = sorted(vectors, key=len)
    texts = [*texts[:2], *texts[:: len(texts) // 4], *texts[-2:]]
    model = encoder.split("/")[0]
    folder = run.models / model if "/none/" in encoder else run.results / "encoders" / encoder
    own = plain_vectors(folder, texts, pooling, max_length)
    np.testing.assert_allclose([vectors[text] for text in texts], own, rtol=0, atol=1e-4)


def test_static_vectors_are_those_of_the_file(run):
    rows = [line.split(" ") for line in run.lines("static-vectors/en.vec")[1:]]
    known = {word: np.array([float(number) for number in numbers]) for word, *numbers in rows}
    mean = np.mean(list(known.values()), axis=0)
    vectors = run.vectors(STATIC, "similarity")
    for word, vector in vectors.items():
        np.testing.assert_allclose(vector, known.get(word, mean), rtol=0, atol=1e-6)
    assert set(known) - set(vectors)


def test_a_cell_from_raw_files_to_the_number(run, words):
    """The untuned model on Multi-SimLex, without any of the run's files in between."""
    texts = list(dict.fromkeys(word for pair in words[0] for word in pair))
    rows = plain_vectors(run.models / "bert-en-mini", texts, "mean", 64)
    own = cosines(dict(zip(texts, rows, strict=True)), words[0])
    rho = spearmanr(own, words[1])[0]
    assert float(run.table("words")["bert-mp"]["EN"]) == pytest.approx(rho, abs=0.001)
