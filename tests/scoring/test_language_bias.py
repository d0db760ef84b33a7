"""Languages of the nearest sentences, against cosines looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.bootstrap import resamples
from workflow_scripts.scoring.measurement import bootstrap_scores, measure_dataset
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tasks import language_bias
from workflow_scripts.scoring.tidy_scores import EncoderIds

NAMES = ("de", "en", "zh")
METRICS = metrics_of("language-bias")
ENCODER = EncoderIds("m", "r", "c", 33)


def measure(dataset, entry, vectors, metrics=METRICS):
    return measure_dataset(ENCODER, {"dataset": dataset, **entry}, vectors, metrics)


def entry_of(languages):
    rows = list(range(len(languages)))
    return {"task": "language-bias", "split": "dev", "dropped": {"repeated": 2}} | {
        "sentences": rows,
        "languages": list(languages),
    }


def plain_shares(vectors, languages, k):
    """The oracle: {query: {language: share}} among the k nearest others of each sentence."""
    counts = {query: dict.fromkeys(languages, 0) for query in languages}
    for row, one in enumerate(vectors):
        cosines = [one @ other / np.sqrt((one @ one) * (other @ other)) for other in vectors]
        others = sorted(
            (at for at in range(len(vectors)) if at != row), key=lambda at: -cosines[at]
        )
        for at in others[:k]:
            counts[languages[row]][languages[at]] += 1
    total = {query: sum(its.values()) for query, its in counts.items()}
    return {q: {o: n / total[q] for o, n in its.items()} for q, its in counts.items()}


def plainly_without_components(vectors, languages):
    found = vectors.copy()
    for language in {*languages}:
        rows = [at for at, one in enumerate(languages) if one == language]
        c = np.linalg.svd(vectors[rows], full_matrices=False)[2][0]
        found[rows] = [e - (e @ c) * c for e in vectors[rows]]
    return found


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 3), st.lists(st.integers(3, 14), min_size=2, max_size=3))
def test_shares_are_those_of_the_definition(seed, bias, sizes):
    generator = np.random.default_rng(seed)
    languages = [name for name, size in zip(NAMES, sizes, strict=False) for _ in range(size)]
    languages = generator.permutation(languages).tolist()
    own = {name: bias * generator.normal(size=6) for name in NAMES}
    vectors = np.float32([generator.normal(size=6) + own[name] for name in languages])
    ks = (2, 1, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_bias, "NEIGHBOURS", ks)
        metrics = [f"own_language{pcr}@{k}" for k in ks for pcr in ("", "_pcr")]
        metrics.append("own_language_expected")
        found = measure("pool", entry_of(languages), vectors, metrics)
    total = len(languages)
    assert (found.n, found.coverage, found.split) == (total, total / (total + 2), "dev")
    plain = vectors.astype(np.float64)
    for pcr, side in (("", plain), ("_pcr", plainly_without_components(plain, languages))):
        for k in ks:
            shares = plain_shares(side, languages, k)
            for query, its in shares.items():
                names = {other: f"share{pcr}@{k}/{query}/{other}" for other in its}
                measured = {other: found.values[name] for other, name in names.items()}
                assert measured == pytest.approx(its, abs=1e-9)
                assert {found.numbers[name] for name in names.values()} == {languages.count(query)}
            own_shares = sum(shares[query][query] for query in languages) / total
            assert found.values[f"own_language{pcr}@{k}"] == pytest.approx(own_shares)
    expected = np.mean([(languages.count(one) - 1) / (total - 1) for one in languages])
    assert found.values["own_language_expected"] == pytest.approx(expected)


def pool_of(languages, spread, seed=0):
    """Vectors around the mean of their language, farther apart the smaller the spread."""
    generator = np.random.default_rng(seed)
    means = {one: generator.normal(size=24) for one in dict.fromkeys(languages)}
    noise = spread * generator.normal(size=(len(languages), 24))
    return np.float32([means[one] for one in languages] + noise)


def test_rows_have_intervals_over_queries_and_shares_the_number_of_theirs():
    languages = ["de"] * 70 + ["en"] * 50
    vectors = pool_of(languages, 1.0)
    rows, details = bootstrap_scores(ENCODER, [measure("pool", entry_of(languages), vectors)])
    by_metric = {row.metric: row for row in rows}
    assert len(rows) == len(by_metric) == len(METRICS) + 2 * 3 * 4
    assert set(details) == {f"replicates/pool/{one}" for one in METRICS[:-1]}
    assert by_metric["share@10/en/de"].n == 50 and by_metric["share@10/en/de"].low is None
    row = by_metric["own_language@10"]
    assert row.n == 120 and row.low < row.value < row.high
    # the mean over resampled queries of the share among the nearest of each
    scaled = vectors.astype(np.float64) / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = scaled @ scaled.T
    np.fill_diagonal(cosines, -2)
    near = np.array(languages)[np.argsort(-cosines, axis=1)[:, :10]]
    own = (near == np.array(languages)[:, None]).mean(axis=1)
    expected = own[np.concatenate(list(resamples("pool", 120)))].mean(axis=1)
    np.testing.assert_allclose(details["replicates/pool/own_language@10"], expected, atol=1e-9)


def test_what_has_no_neighbours_is_refused():
    few = ["de"] * 60 + ["en"] * 40
    with pytest.raises(UserError, match="100 strings are too few for 100 neighbours"):
        measure("pool", entry_of(few), pool_of(few, 1.0))
    languages = ["de"] * 60 + ["en"] * 60
    vectors = pool_of(languages, 1.0)
    vectors[7] = 0
    with pytest.raises(UserError, match="row 7 is a zero vector"):
        measure("pool", entry_of(languages), vectors)
    # a language of one direction has nothing left without it
    vectors = pool_of(languages, 0)
    with pytest.raises(UserError, match="they span no further directions"):
        measure("pool", entry_of(languages), vectors)
