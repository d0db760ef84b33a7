"""Command of rule `embed_static`: the vectors of all strings of a suite by static word vectors."""

import argparse
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.static_vectors import is_fasttext_model, read_word_vectors
from workflow_scripts.embedding.word_lookup import OOV_CHOICES, embed_strings, words_to_seek
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_file, read_lines, sha256_of, write_json


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True, help=".vec, .vec.gz or .bin")
    parser.add_argument("--strings", required=True, help="text file, one string per line")
    parser.add_argument("--oov", choices=OOV_CHOICES, required=True, help="for unknown words")
    parser.add_argument("--output", required=True, help="vectors, float32 .npy, row = string id")
    parser.add_argument("--record", required=True, help="what was embedded with what, .json")
    arguments = parser.parse_args(argv)
    model = is_fasttext_model(arguments.vectors)
    if arguments.oov == "subwords" and not model:
        raise UserError(
            "--oov subwords",
            f"{arguments.vectors.name} holds no vectors of n-grams",
            "give the fastText model (.bin), or --oov mean",
        )
    strings = read_lines(arguments.strings)
    if not strings:
        raise UserError(arguments.strings, "no strings to embed", "remake the suite")
    vectors = read_word_vectors(arguments.vectors, words_to_seek(strings))
    matrix, counts = embed_strings(strings, vectors, arguments.oov, str(arguments.vectors))
    with atomic_file(arguments.output) as temporary, open(temporary, "wb") as stream:
        np.save(stream, matrix)
    record = {"vectors": arguments.vectors.name, "vectors_sha256": sha256_of(arguments.vectors)}
    record |= {"format": "fastText model" if model else "text"}
    record |= {"strings": len(strings), "strings_sha256": sha256_of(arguments.strings)}
    record |= {"words_in_file": vectors.words, "repeated_words": vectors.repeated}
    record |= {"dimension": matrix.shape[1], "lookup": counts, "oov": arguments.oov}
    write_json(arguments.record, record | {"versions": {"numpy": np.__version__}})


if __name__ == "__main__":
    run_command(main)
