"""Make count-based vectors of a tokenizer's pieces: a warm start for the embedding matrix.

A small model spends most of a short budget on learning what its pieces mean. Counts know it after
one reading of the text: how often two pieces stand near each other, as positive pointwise mutual
information, reduced by a truncated singular value decomposition (Levy, Goldberg and Dagan 2015,
"Improving distributional similarity with lessons learned from word embeddings"). Writes a
safetensors file with one float32 tensor `embeddings` [vocabulary, units].
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg
from sklearn.preprocessing import normalize

from workflow_scripts.errors import run_command
from workflow_scripts.files import atomic_file
from workflow_scripts.pretraining.encoded_text import EncodedText, encode_lines
from workflow_scripts.pretraining.prepared_text import read_prepared
from workflow_scripts.pretraining.settings import WordVectorSettings, parse_settings
from workflow_scripts.pretraining.tokenizers_of_families import load_tokenizer

_BETWEEN_SENTENCES = -1
# Pairs are counted in parts of the text, so that memory does not grow with it.
_TOKENS_AT_ONCE = 4_000_000


def split_sentences(text: EncodedText) -> list[np.ndarray]:
    """Return the ids of each sentence."""
    return np.split(text.ids, text.ends[:-1])


def count_neighbours(
    sentences: list[np.ndarray], vocabulary: int, window: int
) -> sparse.csr_matrix:
    """Return float64 [vocabulary, vocabulary], symmetric: how often two pieces stand near another.

    A pair of pieces at a distance d <= `window` in one sentence counts (window - d + 1) / window,
    the expectation of word2vec's window of random size.
    """
    counts = sparse.csr_matrix((vocabulary, vocabulary), dtype=np.float64)
    gap = np.full(window, _BETWEEN_SENTENCES, dtype=np.int64)
    part: list[np.ndarray] = []
    size = 0
    for number, ids in enumerate(sentences, start=1):
        part += [ids, gap]
        size += len(ids)
        if size >= _TOKENS_AT_ONCE or number == len(sentences):
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
        counts += sparse.csr_matrix(
            (weights, (pairs // vocabulary, pairs % vocabulary)), shape=counts.shape
        )
    return counts


def positive_mutual_information(counts: sparse.csr_matrix, smoothing: float) -> sparse.csr_matrix:
    """Return max(0, log(p(a, b) / (p(a) p(b)))) of non-negative `counts` [rows, columns], sparse.

    p(b), of the columns, comes from counts raised to `smoothing` (context distribution smoothing;
    1 leaves them as they are).
    """
    rows = np.asarray(counts.sum(axis=1)).ravel()
    columns = np.asarray(counts.sum(axis=0)).ravel() ** smoothing
    entries = counts.tocoo()
    information = np.log(entries.data * columns.sum() / (rows[entries.row] * columns[entries.col]))
    kept = information > 0
    return sparse.csr_matrix(
        (information[kept], (entries.row[kept], entries.col[kept])), shape=counts.shape
    )


def make_vectors(
    sentences: list[np.ndarray], vocabulary: int, units: int, settings: WordVectorSettings
) -> np.ndarray:
    """Return float64 [vocabulary, units], rows of length 1, or 0 for pieces no sentence pairs.

    The rows are the left singular vectors of the mutual information, without the singular values,
    centred. A text of few pieces has fewer of them than units: the other units are 0.
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
    """Return one vector a piece, float64 [vocabulary, units], rows of length 1 or 0.

    `vectors` holds [vocabulary, units] and `counts` [vocabulary] of each language. All languages
    are turned (orthogonal Procrustes) to the one with the most text, by the pieces that both hold
    at least `shared` times: names, numbers, marks, loans. A piece of several languages gets the
    mean of its vectors, weighted by how frequent it is in each. A joint decomposition would have to
    share its few units among the languages. A language with fewer such pieces than units is turned
    by those it has.
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
    """Return float32 of the shape of `vectors`, entries of the wanted deviation.

    Rows of zeros, the pieces that the text lacks, become random ones.
    """
    absent = ~vectors.any(axis=1)
    matrix = vectors.copy()
    if absent.any():
        matrix[absent] = normalize(generator.normal(size=(absent.sum(), vectors.shape[1])))
    return (matrix * deviation * np.sqrt(vectors.shape[1])).astype(np.float32)


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True, help="folder made by prepare_text")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of train_tokenizer")
    parser.add_argument("--settings", default="{}", help="JSON: window, smoothing, shared, ...")
    parser.add_argument("--units", type=int, required=True, help="width of the model")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True, help="safetensors file to write")
    arguments = parser.parse_args(argv)
    settings = parse_settings(WordVectorSettings, arguments.settings, "--settings")
    tokenizer = load_tokenizer(arguments.tokenizer)
    texts = {
        language: encode_lines(tokenizer, lines)
        for language, lines in read_prepared(arguments.text, "train").items()
    }
    vectors = {
        language: make_vectors(split_sentences(text), len(tokenizer), arguments.units, settings)
        for language, text in texts.items()
    }
    counts = {
        language: np.bincount(text.ids, minlength=len(tokenizer))
        for language, text in texts.items()
    }
    matrix = complete_matrix(
        join_languages(vectors, counts, settings.shared),
        settings.deviation,
        np.random.default_rng(arguments.seed),
    )
    with atomic_file(arguments.output) as temporary:
        save_file({"embeddings": matrix}, temporary)


if __name__ == "__main__":
    run_command(main)
