"""Command: translate words by the vectors of two languages and a small dictionary."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.cli import check_files
from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.datasets.word_pairs import Pair, read_pairs, read_words, split_by_source
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
from workflow_scripts.files import check_new_file
from workflow_scripts.imports import MachineOptions
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MappingKind
from workflow_scripts.retrieval.rankings import Format, write_found
from workflow_scripts.retrieval.translations import LexiconSide, Retrieval, rank_translations
from workflow_scripts.scoring.measurement import Measurement, bootstrap_scores
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tidy_scores import EncoderIds

EXAMPLE = """
pairs=resources/sample_data/bli-xling-eval/en-fr
cut -f 1 $pairs/*.tsv > en.txt; cut -f 2 $pairs/*.tsv > fr.txt
COMMAND --encoder resources/models/cmlm-multi-mini --source-vocabulary en.txt \\
    --target-vocabulary fr.txt --dictionary $pairs/yacle.train.freq.5k.en-fr.tsv \\
    --regularisation 1 --output found.tsv
"""
# The accuracies that are printed are at 1 and at this.
_LARGEST_K = 5
_SHOWN = 3


class Translation(NamedTuple):
    """A target word for a word, the first of `rank` 1."""

    word: str
    rank: int
    translation: str
    score: float


COLUMNS = Translation._fields


class Words(NamedTuple):
    """Words of a language that have a vector: row `rows[word]` of `vectors`."""

    vectors: np.ndarray  # float32 [words, dimension]
    rows: dict[str, int]
    origin: str  # their model or file, in messages

    @classmethod
    def in_order(cls, vectors: np.ndarray, words: Sequence[str], origin: str) -> "Words":
        """Return different words with their vectors, [words, dimension]."""
        return cls(vectors, {word: row for row, word in enumerate(words)}, origin)

    def side(self, name: str, **parts: Sequence[str]) -> LexiconSide:
        """Return the side of a lexicon whose parts are of these words."""
        numbers = {part: [self.rows[word] for word in words] for part, words in parts.items()}
        return LexiconSide(self.vectors, f"{name} words of {self.origin}", **numbers)


class Lexicon(NamedTuple):
    """A vocabulary of each side, training pairs, held-out pairs, and words to translate."""

    vocabularies: list[list[str]]
    train: list[Pair]
    test: list[Pair]
    words: list[str]

    def strings(self, column: int) -> list[str]:
        """Return the different words of a side (0: source) that need a vector."""
        own = [*self.vocabularies[column], *(pair[column] for pair in self.train)]
        if column == 0:
            own += [*self.words, *(pair[0] for pair in self.test)]
        return unique_in_order(own)


def without_held_out(train: Sequence[Pair], test: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of `train` whose source word is none of `test`, whatever their case.

    Static vectors and uncased encoders take words that differ in case for one.
    """
    held_out = {source.lower() for source, _ in test}
    return [pair for pair in train if pair[0].lower() not in held_out]


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


def leave_out_unknown(
    lexicon: Lexicon, sides: Sequence[Words], dictionary: str
) -> tuple[Lexicon, list[str]]:
    """Return what of a lexicon has vectors, and a line on each part of it that has none.

    `dictionary` is what errors call its pairs. Raises `UserError` where no pair to learn from is
    left, or no word to translate.
    """
    notes = []

    def known(words: list[str], side: int, what: str) -> list[str]:
        missing = [word for word in words if word not in sides[side].rows]
        if missing:
            shown = ", ".join(f"{word:.40}" for word in missing[:_SHOWN])
            shown += ", ..." * (len(missing) > _SHOWN)
            counts = f"{len(missing)} of {len(words)} {what}"
            notes.append(f"no vectors of {counts} ({shown}); left out")
        return [word for word in words if word in sides[side].rows]

    vocabularies = [
        known(words, side, f"words of the {SIDES[side]} vocabulary")
        for side, words in enumerate(lexicon.vocabularies)
    ]
    train = [pair for pair in lexicon.train if all(map(_in_side, sides, pair))]
    if not train:
        problem = "no training pair has vectors in both languages"
        remedy = "check that source and target are not swapped, or enlarge the dictionary"
        raise UserError(dictionary, problem, remedy)
    if left_out := len(lexicon.train) - len(train):
        counts = f"{left_out} of {len(lexicon.train)} training pairs"
        notes.append(f"{dictionary}: no vectors of {counts}; left out")
    words = known(lexicon.words, 0, "words to translate")
    if not words:
        problem = f"none of the {len(lexicon.words)} words to translate has a vector"
        raise UserError(sides[0].origin, problem, "give the vectors of that language")
    test = [pair for pair in lexicon.test if _in_side(sides[0], pair[0])]
    return Lexicon(vocabularies, train, test, words), notes


def _in_side(side: Words, word: str) -> bool:
    return word in side.rows


def translate_words(
    lexicon: Lexicon,
    sides: Sequence[Words],
    name: str = "lexicon",
    k: int = 5,
    *,
    mapping: MappingKind = "supervised",
    regularisation: float = 0.0,
    retrieval: Retrieval = "csls",
    neighbours: int = NEIGHBOURS,
    threads: int = 1,
    dropped: int = 0,
) -> tuple[list[Translation], Measurement | None]:
    """Return the k best translations of each word, and what held-out pairs measure, if any.

    `sides` have vectors of all words of the lexicon, source first. `dropped` counts held-out words
    that have none; `name` is what errors call the dictionary. Errors as `rank_translations`.
    """
    source_words, target_words = lexicon.vocabularies
    queries = unique_in_order([*lexicon.words, *(source for source, _ in lexicon.test)])
    learnt = [[pair[column] for pair in lexicon.train] for column in (0, 1)]
    # As many as the accuracies need; fewer are returned.
    most = max(k, min(_LARGEST_K, len(target_words))) if lexicon.test else k
    ranked = rank_translations(
        sides[0].side(SIDES[0], vocabulary=source_words, train=learnt[0], test=queries),
        sides[1].side(SIDES[1], vocabulary=target_words, train=learnt[1]),
        *(name, most),
        mapping=mapping,
        similarity=retrieval,
        neighbours=neighbours,
        regularisation=regularisation,
        threads=threads,
    )
    tested = unique_in_order(source for source, _ in lexicon.test)
    numbers = {word: number for number, word in enumerate(tested)}
    rows, of_tested = [], []
    for row in ranked:
        word = queries[row.query]
        if row.rank <= k and row.query < len(lexicon.words):
            rows.append(Translation(word, row.rank, target_words[row.target_row], row.score))
        if word in numbers:
            of_tested.append(row._replace(query=numbers[word]))
    if not tested:
        return rows, None
    # The scoring of the tables; words stand for the numbers that they have in a suite.
    entry: dict[str, Any] = {"test": lexicon.test, "target_vocabulary": target_words}
    entry["dropped"] = {"no vector": dropped} if dropped else {}
    return rows, measure_translations(name, entry, of_tested, metrics_of("lexicon"))


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
    def encoders(self) -> tuple[str | None, str | None]:
        return self.source_encoder or self.encoder, self.target_encoder or self.encoder

    @property
    def vectors(self) -> tuple[Path | None, Path | None]:
        return self.source_vectors, self.target_vectors

    @property
    def vocabularies(self) -> tuple[Path | None, Path | None]:
        return self.source_vocabulary, self.target_vocabulary

    def check(self) -> None:
        """Raise `UserError` unless there is one encoder or file of vectors for each language."""
        if any(self.encoders) == any(self.vectors):
            raise UserError(
                None,
                "give encoders (--encoder, or --source-encoder and --target-encoder) or static "
                "vectors (--source-vectors and --target-vectors), not both",
                None,
            )
        kind, both = ("encoder", self.encoders) if any(self.encoders) else ("vectors", self.vectors)
        for side, value in zip(SIDES, both, strict=True):
            if value is None:
                raise UserError(f"--{side}-{kind}", "missing", "give one for each language")


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
class MapOptions:
    """How the map is learnt, and how words are ranked.

    Args:
        k: translations per word
        mapping: how the map is learnt
        regularisation: regularisation of the supervised map's whitening (default: 0,
            as published)
        retrieval: how words are ranked
        neighbours: neighbourhood size of CSLS
    """

    k: int = 5
    mapping: MappingKind = "supervised"
    regularisation: float = 0.0
    retrieval: Retrieval = "csls"
    neighbours: int = NEIGHBOURS


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
    models: Sequence[str],
    strings: Sequence[list[str]],
    options: EncoderOptions,
    machine: MachineOptions,
) -> list[Words]:
    """Return the words of both sides under the encoders; one of both runs a string once."""
    chosen = {model: settle_settings(model, options) for model in models}

    def embed(model: str, own: list[str]) -> Words:
        encoder, _ = open_encoder(model, chosen[model], options, machine)
        with embedding_progress(len(own)) as advance:
            return Words.in_order(encoder.encode(own, advance), own, model)

    if models[0] == models[1]:
        return [embed(models[0], unique_in_order([*strings[0], *strings[1]]))] * 2
    return [embed(*pair) for pair in zip(models, strings, strict=True)]


def accuracy_lines(measured: Measurement) -> Iterator[str]:
    scores, _ = bootstrap_scores(EncoderIds("own", "own", "none", 0), [measured])
    dropped = "".join(f", {number} left out ({why})" for why, number in measured.dropped.items())
    yield f"held out: {measured.n} source words, coverage {measured.coverage:.3f}{dropped}"
    for score in scores:
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
    languages.check()
    check_encoder_options(embedding, machine)
    if not any(languages.encoders) and (given := given_settings(embedding)):
        option = OPTIONS[next(iter(given))]
        raise UserError(option, "static vectors do not have this setting", "leave it out")
    check_options(languages, lexicon, maps, output)
    asked = read_lexicon(lexicon, languages)
    strings = [asked.strings(column) for column in (0, 1)]
    if any(languages.encoders):
        models = [model for model in languages.encoders if model is not None]
        sides = embed_by_encoders(models, strings, embedding, machine)
    else:
        files = [file for file in languages.vectors if file is not None]
        sides = [look_up(file, own) for file, own in zip(files, strings, strict=True)]
    widths = [side.vectors.shape[1] for side in sides]
    if widths[0] != widths[1]:
        problem = f"source vectors of {widths[0]} dimensions and target vectors of {widths[1]}"
        raise UserError(None, problem, "give two encoders, or two files, with the same dimensions")
    known, notes = leave_out_unknown(asked, sides, str(lexicon.dictionary))
    for note in notes:
        print(note, file=sys.stderr)
    dropped = len({pair[0] for pair in asked.test} - {pair[0] for pair in known.test})
    how = {**asdict(maps), "threads": machine.threads, "dropped": dropped}
    rows, measured = translate_words(known, sides, lexicon.dictionary.name, **how)
    write_found(output.output, output.format, COLUMNS, rows, ".9g")
    if measured is not None:
        print("\n".join(accuracy_lines(measured)))
    elif dropped:
        print(f"held out: no vector of any of {dropped} source words")
    print(f"{output.output}: {len(rows)} translations of {len(known.words)} words")


main = command(translate, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
