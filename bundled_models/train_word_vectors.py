"""Make count-based vectors of a tokenizer's pieces: a warm start for the embedding matrix.

Positive pointwise mutual information, reduced by a truncated singular value decomposition (Levy,
Goldberg and Dagan 2015), as one float32 tensor `embeddings` [vocabulary, units].
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg
from sklearn.preprocessing import normalize

from bundled_models.encoded_text import encode_prepared
from bundled_models.settings import WordVectorSettings, parse_settings
from workflow_scripts.command_main import run_command
from workflow_scripts.files import atomic_file
from workflow_scripts.path_functions import command

_BETWEEN_SENTENCES = -1
# Pairs are counted in parts of the text, so that memory does not grow with it.
_TOKENS_AT_ONCE = 4_000_000


def count_neighbours(texts: list[np.ndarray], vocabulary: int, window: int) -> sparse.csr_matrix:
    """Return float64 [vocabulary, vocabulary], symmetric: how often two pieces stand near another.

    A pair at a distance d in one text counts (window - d + 1) / window, as in word2vec.
    """
    counts = sparse.csr_matrix((vocabulary, vocabulary), dtype=np.float64)
    gap = np.full(window, _BETWEEN_SENTENCES, dtype=np.int64)
    part: list[np.ndarray] = []
    size = 0
    for number, ids in enumerate(texts, start=1):
        part += [ids, gap]
        size += len(ids)
        if size >= _TOKENS_AT_ONCE or number == len(texts):
            counts += _count_part(np.concatenate(part).astype(np.int64), vocabulary, window)
            part, size = [], 0
    return (counts + counts.T).tocsr()


def _count_part(ids: np.ndarray, vocabulary: int, window: int) -> sparse.csr_matrix:
    counts = sparse.csr_matrix((vocabulary, vocabulary), dtype=np.float64)
    for distance in range(1, window + 1):
        left, right = ids[:-distance], ids[distance:]
        both = (left >= 0) & (right >= 0)
        pairs, times = np.unique(left[both] * vocabulary + right[both], return_counts=True)
        weights = times * ((window - distance + 1) / window)
        places = np.divmod(pairs, vocabulary)
        counts += sparse.csr_matrix((weights, places), shape=counts.shape)
    return counts


def positive_mutual_information(counts: sparse.csr_matrix, smoothing: float) -> sparse.csr_matrix:
    """Return max(0, log(p(a, b) / (p(a) p(b)))); p(b), of columns, is of counts ** `smoothing`."""
    rows = np.asarray(counts.sum(axis=1)).ravel()
    columns = np.asarray(counts.sum(axis=0)).ravel() ** smoothing
    entries = counts.tocoo()
    information = np.log(entries.data * columns.sum() / (rows[entries.row] * columns[entries.col]))
    kept = information > 0
    places = (entries.row[kept], entries.col[kept])
    return sparse.csr_matrix((information[kept], places), shape=counts.shape)


def make_vectors(
    sentences: list[np.ndarray], vocabulary: int, units: int, settings: WordVectorSettings
) -> np.ndarray:
    """Return float64 [vocabulary, units], rows of length 1, or 0 for pieces no sentence pairs.

    They are left singular vectors, centred; a text of few pieces leaves the last units 0.
    """
    counts = count_neighbours(sentences, vocabulary, settings.window)
    known = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel())
    vectors = np.zeros((vocabulary, units))
    rank = min(units, len(known) - 1)
    if rank < 1:
        return vectors
    information = positive_mutual_information(counts[known][:, known], settings.smoothing)
    left, values, _ = sparse_linalg.svds(information, k=rank, v0=np.ones(len(known)))
    # The sign of a singular vector is free: the entry that is largest in size is made positive.
    left *= np.sign(left[np.abs(left).argmax(axis=0), np.arange(rank)])
    left = left[:, np.argsort(-values)]
    vectors[known, :rank] = normalize(left - left.mean(axis=0))
    return vectors


def join_languages(
    vectors: Mapping[str, np.ndarray], counts: Mapping[str, np.ndarray], shared: int
) -> np.ndarray:
    """Return float64 [vocabulary, units], rows of length 1 or 0, of such and `counts` by language.

    All languages are turned (orthogonal Procrustes) to the one with the most text, by the pieces
    that both hold at least `shared` times; a piece of several has the mean, weighted by its share
    of each. A joint decomposition would have to share its few units among the languages.
    """
    hub = max(sorted(counts), key=lambda language: counts[language].sum())
    joined = np.zeros_like(vectors[hub])
    for language in sorted(vectors):
        turned = vectors[language]
        if language != hub:
            both = (counts[language] >= shared) & (counts[hub] >= shared)
            rotation, _ = linalg.orthogonal_procrustes(turned[both], vectors[hub][both])
            turned = turned @ rotation
        joined += turned * (counts[language] / counts[language].sum())[:, None]
    return normalize(joined)


def complete_matrix(
    vectors: np.ndarray, deviation: float, generator: np.random.Generator
) -> np.ndarray:
    """Return `vectors` in float32 with entries of that deviation; rows of zeros become random."""
    absent = ~vectors.any(axis=1)
    matrix = vectors.copy()
    if absent.any():
        matrix[absent] = normalize(generator.normal(size=(absent.sum(), vectors.shape[1])))
    return (matrix * deviation * np.sqrt(vectors.shape[1])).astype(np.float32)


def train_word_vectors(
    *, text: Path, tokenizer: Path, settings: str = "{}", units: int, seed: int, output: Path
) -> None:
    """Make count-based vectors of a tokenizer's pieces: a warm start for the embedding matrix.

    Args:
        text: folder made by prepare_text
        tokenizer: folder of train_tokenizer
        settings: JSON: window, smoothing, shared, ...
        units: width of the model
        seed: seed of vectors of pieces that the text lacks
        output: safetensors file to write
    """
    chosen = parse_settings(WordVectorSettings, settings, "--settings")
    # Only now: transformers takes seconds, which bad arguments should not wait for.
    from bundled_models.tokenizers_of_families import load_tokenizer

    loaded = load_tokenizer(tokenizer)
    vectors, counts = {}, {}
    for language, encoded in encode_prepared(loaded, text, "train").items():
        vectors[language] = make_vectors(encoded.sentences(), len(loaded), units, chosen)
        counts[language] = np.bincount(encoded.ids, minlength=len(loaded))
    joined = join_languages(vectors, counts, chosen.shared)
    matrix = complete_matrix(joined, chosen.deviation, np.random.default_rng(seed))
    with atomic_file(output) as temporary:
        save_file({"embeddings": matrix}, temporary)


main = command(train_word_vectors)

if __name__ == "__main__":
    run_command(main)
