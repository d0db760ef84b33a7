"""Train skip-gram vectors of a tokenizer's pieces: a warm start for the embedding matrix.

A small model spends most of a short budget on learning what its pieces mean; skip-gram (Mikolov et
al. 2013) learns that in a fraction of the time. Writes a safetensors file with one float32 tensor
`embeddings` [vocabulary, units], scaled to the deviation in the settings. The result depends on the
seed alone with --threads 1; more threads race with each other.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from safetensors.numpy import save_file

from workflow_scripts.errors import run_command
from workflow_scripts.files import atomic_file
from workflow_scripts.pretraining.balancing import language_quotas, language_shares
from workflow_scripts.pretraining.encoded_text import EncodedText, encode_lines
from workflow_scripts.pretraining.prepared_text import read_prepared
from workflow_scripts.pretraining.settings import WordVectorSettings, parse_settings
from workflow_scripts.pretraining.tokenizers_of_families import load_tokenizer


def sample_sentences(
    texts: dict[str, EncodedText], exponent: float, tokens: int, generator: np.random.Generator
) -> list[np.ndarray]:
    """Return shuffled sentences of about `tokens` ids, languages by their smoothed shares.

    A language with less text than its quota gives it whole, several times over.
    """
    sizes = {language: len(text.ids) for language, text in texts.items()}
    total = min(tokens, sum(sizes.values()))
    chosen: list[np.ndarray] = []
    for language, quota in language_quotas(language_shares(sizes, exponent), total).items():
        text = texts[language]
        starts = np.concatenate([[0], text.ends[:-1]])
        taken = 0
        while taken < quota:
            for sentence in generator.permutation(len(text)):
                if taken >= quota:
                    break
                ids = text.ids[starts[sentence] : text.ends[sentence]]
                chosen.append(ids)
                taken += len(ids)
    return [chosen[n] for n in generator.permutation(len(chosen))]


def train_vectors(
    sentences: list[np.ndarray],
    vocabulary: int,
    units: int,
    settings: WordVectorSettings,
    seed: int,
    threads: int,
) -> np.ndarray:
    """Return float32 [vocabulary, units] with the deviation of the settings.

    Pieces that the sentences lack get random rows of the same deviation.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="ascii") as stream:
        for ids in sentences:
            if len(ids) > 1:
                stream.write(" ".join(map(str, ids.tolist())) + "\n")
        stream.flush()
        model = Word2Vec(
            corpus_file=stream.name,
            sg=1,
            vector_size=units,
            window=settings.window,
            negative=settings.negatives,
            epochs=settings.epochs,
            min_count=1,
            sample=1e-4,
            seed=seed,
            workers=threads,
        )
    known = np.array([int(key) for key in model.wv.index_to_key])
    vectors = model.wv.vectors - model.wv.vectors.mean(axis=0)
    generator = np.random.default_rng(seed)
    matrix = generator.normal(0.0, settings.deviation, size=(vocabulary, units))
    matrix[known] = vectors * (settings.deviation / vectors.std())
    return matrix.astype(np.float32)


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True, help="folder made by prepare_text")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of train_tokenizer")
    parser.add_argument("--settings", default="{}", help="JSON: epochs, window, negatives, ...")
    parser.add_argument("--units", type=int, required=True, help="width of the model")
    parser.add_argument("--language-exponent", type=float, default=1.0)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True, help="safetensors file to write")
    arguments = parser.parse_args(argv)
    settings = parse_settings(WordVectorSettings, arguments.settings, "--settings")
    tokenizer = load_tokenizer(arguments.tokenizer)
    texts = {
        language: encode_lines(tokenizer, lines)
        for language, lines in read_prepared(arguments.text, "train").items()
    }
    sentences = sample_sentences(
        texts,
        arguments.language_exponent,
        settings.tokens,
        np.random.default_rng(arguments.seed),
    )
    vectors = train_vectors(
        sentences, len(tokenizer), arguments.units, settings, arguments.seed, arguments.threads
    )
    with atomic_file(arguments.output) as temporary:
        save_file({"embeddings": vectors}, temporary)


if __name__ == "__main__":
    run_command(main)
