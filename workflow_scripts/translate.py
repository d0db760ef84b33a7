"""Command: translate words by the vectors of two languages and a small dictionary."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.datasets.word_pairs import read_pairs, read_words, split_by_source
from workflow_scripts.embedding.chosen_encoder import (
    EncoderOptions,
    check_counts,
    check_encoder_options,
    open_encoder,
)
from workflow_scripts.embedding.progress import embedding_progress
from workflow_scripts.embedding.recorded_settings import given_settings, settle_settings
from workflow_scripts.embedding.settings import OPTIONS
from workflow_scripts.embedding.static_vectors import (
    first_words,
    is_fasttext_model,
    read_word_vectors,
)
from workflow_scripts.embedding.word_lookup import Oov, embed_strings, words_to_seek
from workflow_scripts.errors import UserError
from workflow_scripts.imports import MachineOptions
from workflow_scripts.option_paths import check_files, check_new_file
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.rankings import Format, write_found
from workflow_scripts.scoring.measurement import Measurement
from workflow_scripts.scoring.word_translations import (
    COLUMNS,
    Lexicon,
    MapOptions,
    Words,
    embed_lexicon,
    leave_out_unknown,
    scores_of,
    translate_words,
    without_held_out,
)

EXAMPLE = """
pairs=resources/sample_data/bli-xling-eval/en-fr
cut -f 1 $pairs/*.tsv > en.txt; cut -f 2 $pairs/*.tsv > fr.txt
COMMAND --encoder resources/models/cmlm-multi-mini --source-vocabulary en.txt \\
    --target-vocabulary fr.txt --dictionary $pairs/yacle.train.freq.5k.en-fr.tsv \\
    --regularisation 1 --output found.tsv
"""


def look_up(path: Path, strings: list[str]) -> Words:
    """Return those of the strings that have a vector: all their words are in the file.

    As they are written or lower-cased or, in a fastText model, by their character n-grams.
    """
    vectors = read_word_vectors(path, words_to_seek(strings))
    oov: Oov = "subwords" if is_fasttext_model(path) else "error"

    def has_vector(word: str) -> bool:
        return word in vectors.known or word.lower() in vectors.known or word in vectors.composed

    known = [string for string in strings if all(map(has_vector, string.split()))]
    if not known:
        problem = f"has no vector for any of the {len(strings)} words needed, such as "
        remedy = "give the vectors of that language"
        raise UserError(path, f"{problem}{strings[0][:40]!r}", remedy)
    return Words.in_order(embed_strings(known, vectors, oov, str(path))[0], known, str(path))


@dataclass(frozen=True)
class LanguageOptions:
    """The vectors and the words of both languages.

    Args:
        encoder: model folder or hub id (id@revision) for both languages
        source_encoder: encoder of the source language
        target_encoder: encoder of the target language
        source_vectors: file of word vectors (.vec or .bin)
        target_vectors: file of word vectors (.vec or .bin)
        source_vocabulary: one word per line (default with word vectors: their first words)
        target_vocabulary: one word per line (default with word vectors: their first words)
        most_words: first words of a file of vectors to use as vocabulary
    """

    encoder: str | None = None
    source_encoder: str | None = None
    target_encoder: str | None = None
    source_vectors: Path | None = None
    target_vectors: Path | None = None
    source_vocabulary: Path | None = None
    target_vocabulary: Path | None = None
    most_words: int = 200_000

    @property
    def vectors(self) -> tuple[Path | None, Path | None]:
        return self.source_vectors, self.target_vectors

    @property
    def vocabularies(self) -> tuple[Path | None, Path | None]:
        return self.source_vocabulary, self.target_vocabulary

    def sources(self) -> tuple[Any, Any]:
        """Return the encoder, or else the file of vectors, of each language.

        Raises `UserError` unless there is one for each.
        """
        encoders = self.source_encoder or self.encoder, self.target_encoder or self.encoder
        if any(encoders) == any(self.vectors):
            raise UserError(
                None,
                "give encoders (--encoder, or --source-encoder and --target-encoder) or static "
                "vectors (--source-vectors and --target-vectors), not both",
                None,
            )
        kind, both = ("encoder", encoders) if any(encoders) else ("vectors", self.vectors)
        for side, value in zip(SIDES, both, strict=True):
            if value is None:
                raise UserError(f"--{side}-{kind}", "missing", "give one for each language")
        return both


@dataclass(frozen=True)
class LexiconOptions:
    """The pairs of words, and what is translated.

    Args:
        dictionary: one pair per line: word, tab (or spaces), translation
        test_share: share of the dictionary's source words to hold out
        seed: seed that draws the held-out words
        test_dictionary: file of held-out pairs, instead of a share
        words: words to translate, one per line, - for standard input (default: the held-out words)
    """

    dictionary: Path
    test_share: float = 0.2
    seed: int = 33
    test_dictionary: Path | None = None
    words: str | None = None


@dataclass(frozen=True)
class OutputOptions:
    """What is written where.

    Args:
        output: file for word, rank, translation and score
        format: format of the output
        overwrite: replace the output
    """

    output: Path
    format: Format = "tsv"
    overwrite: bool = False


def check_options(
    languages: LanguageOptions, lexicon: LexiconOptions, maps: MapOptions, output: OutputOptions
) -> None:
    """Raise `UserError` for what is wrong before anything is read."""
    check_counts(k=maps.k, neighbours=maps.neighbours, most_words=languages.most_words)
    if not 0 <= lexicon.test_share < 1:
        raise UserError(
            f"--test-share {lexicon.test_share}", "give a share from 0 to less than 1", None
        )
    if maps.regularisation < 0:
        raise UserError(f"--regularisation {maps.regularisation}", "give 0 or more", None)
    if maps.regularisation and maps.mapping != "supervised":
        problem = f"--mapping {maps.mapping} has none"
        raise UserError("--regularisation", problem, "remove it, or take --mapping supervised")
    check_files("--dictionary", lexicon.dictionary)
    check_files("--test-dictionary", lexicon.test_dictionary)
    check_files("--words", lexicon.words, stdin=True)
    files = zip(SIDES, languages.vectors, languages.vocabularies, strict=True)
    for side, vectors, vocabulary in files:
        check_files(f"--{side}-vectors", vectors)
        check_files(f"--{side}-vocabulary", vocabulary, stdin=True)
    read = [lexicon.dictionary, lexicon.test_dictionary, lexicon.words]
    read += [*languages.vectors, *languages.vocabularies]
    check_new_file("--output", output.output, output.overwrite, read)


def read_vocabulary(languages: LanguageOptions, column: int) -> list[str]:
    if (file := languages.vocabularies[column]) is not None:
        return read_words(file)
    if (vectors := languages.vectors[column]) is None:
        option = f"--{SIDES[column]}-vocabulary"
        raise UserError(option, "encoders need one", "give a file with one word per line")
    if words := first_words(vectors, languages.most_words):
        return words
    raise UserError(vectors, "no words", "give a file of word vectors")


def read_lexicon(options: LexiconOptions, languages: LanguageOptions) -> Lexicon:
    """Return vocabularies, training and held-out pairs, and the words to translate."""
    train = read_pairs(options.dictionary)
    if options.test_dictionary is not None:
        test = read_pairs(options.test_dictionary)
    else:
        try:
            train, test = split_by_source(train, options.test_share, options.seed)
        except UserError as error:
            remedy = f"{error.remedy} (--test-share)"
            raise UserError(options.dictionary, error.problem, remedy) from error
    kept = without_held_out(train, test)
    if left_out := len(train) - len(kept):
        where = options.test_dictionary or "the held-out part"
        what = f"{left_out} pairs of words of {where} not used for training"
        print(f"{options.dictionary}: {what}", file=sys.stderr)
    if not kept:
        raise UserError(options.dictionary, "all its words are held out", "enlarge it")
    if options.words is not None:
        words = read_words(options.words)
    elif not (words := unique_in_order(source for source, _ in test)):
        remedy = "give some, or hold a part out (--test-share)"
        raise UserError("--words", "nothing to translate", remedy)
    return Lexicon([read_vocabulary(languages, column) for column in (0, 1)], kept, test, words)


def embed_by_encoders(
    lexicon: Lexicon, models: tuple[str, str], options: EncoderOptions, machine: MachineOptions
) -> list[Words]:
    """Return the words of both sides under the encoders."""
    chosen = [settle_settings(model, options) for model in models]

    def embed(column: int, words: list[str]) -> Words:
        encoder, _ = open_encoder(models[column], chosen[column], options, machine)
        with embedding_progress(len(words)) as advance:
            return Words.in_order(encoder.encode(words, advance), words, models[column])

    return embed_lexicon(lexicon, embed, shared=models[0] == models[1])


def accuracy_lines(measured: Measurement) -> Iterator[str]:
    dropped = "".join(f", {number} left out ({why})" for why, number in measured.dropped.items())
    yield f"held out: {measured.n} source words, coverage {measured.coverage:.3f}{dropped}"
    for score in scores_of(measured):
        interval = f"(95% interval {score.low:.4f} {score.high:.4f})"
        yield f"{score.metric}  {score.value:.4f}  {interval}"


def translate(
    *,
    languages: LanguageOptions,
    lexicon: LexiconOptions,
    maps: MapOptions,
    output: OutputOptions,
    embedding: EncoderOptions,
    machine: MachineOptions,
) -> None:
    """Translate words by the vectors of two languages and a small dictionary.

    The dictionary teaches a map between the vectors of two encoders, or of two files of word
    vectors; translations are the nearest words of the target vocabulary. The accuracy on a held-out
    part is printed.
    """
    sources, is_static = languages.sources(), any(languages.vectors)
    check_encoder_options(embedding, machine)
    if is_static and (given := given_settings(embedding)):
        option = OPTIONS[next(iter(given))]
        raise UserError(option, "static vectors do not have this setting", "leave it out")
    check_options(languages, lexicon, maps, output)
    whole = read_lexicon(lexicon, languages)
    if is_static:
        sides = embed_lexicon(whole, lambda column, words: look_up(sources[column], words))
    else:
        sides = embed_by_encoders(whole, sources, embedding, machine)
    known, notes = leave_out_unknown(whole, sides, str(lexicon.dictionary))
    for note in notes:
        print(note, file=sys.stderr)
    dropped = len({pair[0] for pair in whole.test} - {pair[0] for pair in known.test})
    how = {"threads": machine.threads, "dropped": dropped}
    rows, measured = translate_words(known, sides, lexicon.dictionary.name, maps, **how)
    write_found(output.output, output.format, COLUMNS, rows, ".9g")
    if measured is not None:
        print("\n".join(accuracy_lines(measured)))
    elif dropped:
        print(f"held out: no vector of any of {dropped} source words")
    print(f"{output.output}: {len(rows)} translations of {len(known.words)} words")


main = command(translate, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
