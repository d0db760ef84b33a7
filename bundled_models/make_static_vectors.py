"""Make a small file of static English word vectors from the input embeddings of a model.

The bundled sample data's `static-vectors/en.vec`, in the text format of fastText and word2vec. A
word has the embedding of its piece, or the mean of those of its pieces; all are centred and reduced
by principal components in float64. It was made by

    python -m bundled_models.make_static_vectors --model resources/models/bert-en-mini
        --root resources/sample_data --words 2000 --dimension 32
        --output resources/sample_data/static-vectors/en.vec
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.formats import multi_simlex, simlex
from workflow_scripts.datasets.frequent_words import most_frequent_words
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.path_functions import command

_DECIMALS = 3


def choose_words(asked: Sequence[str], frequent: Sequence[str], number: int) -> list[str]:
    """Return `number` different words: all of `asked`, filled up with the first of `frequent`.

    In the order of `frequent`, as in such files; words that it lacks are at the end. All of
    `asked` are returned even where they are more than `number`.
    """
    chosen = set(asked)
    for word in frequent:
        if len(chosen) >= number:
            break
        chosen.add(word)
    rank = {word: place for place, word in enumerate(frequent)}
    return sorted(chosen, key=lambda word: (rank.get(word, len(rank)), word))


def mean_of_pieces(pieces: Sequence[Sequence[int]], embeddings: np.ndarray) -> np.ndarray:
    """Return float64 [words, units], the mean of the rows of `embeddings` named by each list."""
    return np.array([embeddings[list(ids)].mean(axis=0, dtype=np.float64) for ids in pieces])


def reduce_vectors(vectors: np.ndarray, dimension: int) -> np.ndarray:
    """Return float64 [words, dimension]: centred, the first principal components, mean square 1/d.

    So the rows have a length near 1. Scaling changes no cosine.
    """
    from sklearn.decomposition import PCA

    if not 1 <= dimension <= min(vectors.shape):
        raise UserError(f"--dimension {dimension}", f"give 1 to {min(vectors.shape)}", None)
    reduced = PCA(dimension, svd_solver="full").fit_transform(vectors)
    return reduced / np.sqrt((reduced**2).mean() * dimension)


def format_vectors(words: Sequence[str], vectors: np.ndarray) -> str:
    """Return the text of a .vec file: `number dimension`, then a word and its numbers a line."""
    rounded = np.round(vectors, _DECIMALS) + 0.0  # no minus before a zero
    lines = [f"{len(words)} {vectors.shape[1]}"]
    for word, numbers in zip(words, rounded, strict=True):
        lines.append(" ".join([word, *(f"{number:.{_DECIMALS}f}" for number in numbers)]))
    return "\n".join(lines) + "\n"


def read_asked_words(root: Path) -> list[str]:
    """Return the words of the English word pairs below a data root, lower-cased, phrases split."""
    block = {"task": "similarity", "language": "en"}
    sets = [
        simlex.Entry(format="simlex", **block).read(root),
        multi_simlex.Entry(format="multi-simlex", **block).read(root),
    ]
    strings = [string for pairs in sets for string in (*pairs.left, *pairs.right)]
    return [word for string in strings for word in string.lower().split()]


def make_static_vectors(
    *, model: str, root: Path, words: int = 2000, dimension: int = 32, output: Path
) -> None:
    """Make a small file of static English word vectors from the input embeddings of a model.

    Args:
        model: model folder, or hub id
        root: data root with the word pairs
        words: how many words
        dimension: length of a vector
        output: vectors, .vec
    """
    if words < 2:
        raise UserError(f"--words {words}", "give 2 or more", None)
    chosen = choose_words(read_asked_words(root), most_frequent_words("en", None), words)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    from workflow_scripts.embedding.encoder_folder import load_model

    loaded = load_model(model)
    embeddings = loaded.model.get_input_embeddings().weight.detach().numpy()
    pieces = loaded.tokenizer(chosen, add_special_tokens=False)["input_ids"]
    vectors = reduce_vectors(mean_of_pieces(pieces, embeddings), dimension)
    write_text(output, format_vectors(chosen, vectors))


main = command(make_static_vectors)

if __name__ == "__main__":
    run_command(main)
