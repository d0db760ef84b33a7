"""Command of rule `embed_static`: static word vectors of the strings of data sets."""

import argparse
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.static_vectors import is_fasttext_model, read_word_vectors
from workflow_scripts.embedding.suite_vectors import (
    number_strings,
    read_string_lists,
    write_vectors,
)
from workflow_scripts.embedding.word_lookup import OOV_CHOICES, embed_strings, words_to_seek
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import sha256_of, write_json


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, required=True, help=".vec, .vec.gz or .bin")
    ids = "ids of data sets; of a lexicon's side data set/side"
    parser.add_argument("--datasets", required=True, nargs="+", metavar="ID", help=ids)
    files = "text file of each, one string per line"
    parser.add_argument("--strings", required=True, nargs="+", metavar="FILE", help=files)
    parser.add_argument("--oov", choices=OOV_CHOICES, required=True, help="for unknown words")
    parser.add_argument(
        "--output", required=True, type=Path, help="vectors, float32 .npy; rows by data set: .npz"
    )
    parser.add_argument("--record", required=True, help="what was embedded with what, .json")
    arguments = parser.parse_args(argv)
    model = is_fasttext_model(arguments.vectors)
    if arguments.oov == "subwords" and not model:
        raise UserError(
            "--oov subwords",
            f"{arguments.vectors.name} holds no vectors of n-grams",
            "give the fastText model (.bin), or --oov mean",
        )
    lists = read_string_lists(arguments.datasets, arguments.strings)
    strings, rows = number_strings(lists)
    vectors = read_word_vectors(arguments.vectors, words_to_seek(strings))
    matrix, counts = embed_strings(strings, vectors, arguments.oov, str(arguments.vectors))
    write_vectors(arguments.output, matrix, rows)
    record = {"vectors": arguments.vectors.name, "vectors_sha256": sha256_of(arguments.vectors)}
    record |= {"format": "fastText model" if model else "text"}
    hashes = map(sha256_of, arguments.strings)
    record |= {"strings": len(strings), "datasets": dict(zip(lists, hashes, strict=True))}
    record |= {"words_in_file": vectors.words, "repeated_words": vectors.repeated}
    record |= {"dimension": matrix.shape[1], "lookup": counts, "oov": arguments.oov}
    write_json(arguments.record, record | {"versions": {"numpy": np.__version__}})


if __name__ == "__main__":
    run_command(main)
