"""Step `embed_static`: static word vectors of the strings of data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.command_main import run_command
from workflow_scripts.embedding.static_vectors import is_fasttext_model, read_word_vectors
from workflow_scripts.embedding.suite_vectors import write_suite
from workflow_scripts.embedding.word_lookup import Oov, embed_strings, words_to_seek
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.path_functions import command


def look_up_strings(
    file: Path, strings: Sequence[str], oov: Oov
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return float32 [strings, dimension] by a file of word vectors, and their record.

    Raises `UserError` for n-grams asked of a file without, and for words that have no vector where
    `oov` is "error".
    """
    is_model = is_fasttext_model(file)
    if oov == "subwords" and not is_model:
        raise UserError(
            "--oov subwords",
            f"{file.name} holds no vectors of n-grams",
            "give the fastText model (.bin), or --oov mean",
        )
    vectors = read_word_vectors(file, words_to_seek(strings, oov))
    matrix, counts = embed_strings(strings, vectors, oov, str(file))
    record: dict[str, Any] = {"vectors": file.name, "vectors_sha256": sha256_of(file)}
    record |= {"format": "fastText model" if is_model else "text", "strings": len(strings)}
    record |= {"words_in_file": vectors.words, "repeated_words": vectors.repeated}
    record |= {"dimension": matrix.shape[1], "lookup": counts, "oov": oov}
    return matrix, record | {"versions": {"numpy": np.__version__}}


def embed_static(
    *,
    vectors: Path,
    datasets: Sequence[str],
    strings: Sequence[Path],
    oov: Oov,
    output: Path,
    record: Path,
) -> None:
    """Write static word vectors of the strings of data sets.

    Args:
        vectors: .vec, .vec.gz, .txt (also GloVe's) or .bin
        datasets: ids of data sets; of a lexicon's side data set/side
        strings: text file of each, one string per line
        oov: for unknown words
        output: vectors, float32 .npy; rows by data set: .npz
        record: what was embedded with what, .json
    """
    write_suite(
        output,
        record,
        datasets,
        strings,
        lambda different: look_up_strings(vectors, different, oov),
    )


main = command(embed_static)

if __name__ == "__main__":
    run_command(main)
