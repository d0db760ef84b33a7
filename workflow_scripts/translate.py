"""Command: translate words by the vectors of two languages and a small dictionary.

The vectors are those of encoders, or static ones. A map between the languages is learnt on the
dictionary, and the translations of a word are the nearest words of the target vocabulary. A part of
the dictionary is held out, and the accuracy on it printed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.datasets.word_pairs import Pair, read_pairs, read_words, split_by_source
from workflow_scripts.embedding.chosen_encoder import (
    add_encoder_arguments,
    check_counts,
    check_encoder_options,
    open_encoder,
    options_of,
)
from workflow_scripts.embedding.progress import embedding_progress
from workflow_scripts.embedding.recorded_settings import settle_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.static_vectors import (
    first_words,
    is_fasttext_model,
    read_word_vectors,
)
from workflow_scripts.embedding.word_lookup import embed_strings, words_to_seek
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import check_new_file
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MappingKind
from workflow_scripts.retrieval.rankings import FORMATS, write_found
from workflow_scripts.retrieval.suite_files import SIDES
from workflow_scripts.retrieval.translations import LexiconSide, Retrieval, rank_translations
from workflow_scripts.scoring.measurement import Measurement, bootstrap_scores
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tidy_scores import EncoderIds

EXAMPLE = """
pairs=resources/sample_data/bli-xling-eval/en-fr
cut -f 1 $pairs/*.tsv > en.txt; cut -f 2 $pairs/*.tsv > fr.txt
COMMAND --encoder resources/models/cmlm-multi-mini --source-vocabulary en.txt \\
    --target-vocabulary fr.txt --dictionary $pairs/yacle.train.freq.5k.en-fr.tsv \\
    --regularisation 1 --output found.tsv
"""
COLUMNS = ("word", "rank", "translation", "score")
# The accuracies that are printed are at 1 and at this.
_LARGEST_K = 5
_SHOWN = 3


class Words(NamedTuple):
    """Words of a language that have a vector: row `rows[word]` of `vectors`."""

    vectors: np.ndarray  # float32 [words, dimension]
    rows: dict[str, int]
    origin: str  # their model or file, in messages

    def side(self, name: str, **parts: Sequence[str]) -> LexiconSide:
        """Return the side of a lexicon whose parts are of these words."""
        entry = {part: [self.rows[word] for word in words] for part, words in parts.items()}
        return LexiconSide(self.vectors, entry, f"{name} words of {self.origin}")


class Wanted(NamedTuple):
    """What is asked for, as it was read: a vocabulary a side, pairs, and words to translate."""

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


def read_vocabulary(arguments: argparse.Namespace, side: str) -> list[str]:
    file = getattr(arguments, f"{side}_vocabulary")
    if file is not None:
        return read_words(file)
    vectors = getattr(arguments, f"{side}_vectors")
    if vectors is None:
        raise UserError(f"--{side}-vocabulary", "encoders need one", "give a file, one word a line")
    if words := first_words(vectors, arguments.most_words):
        return words
    raise UserError(vectors, "no words", "give a file of word vectors")


def read_wanted(arguments: argparse.Namespace) -> Wanted:
    """Return vocabularies, training and held-out pairs, and the words to translate."""
    pairs = read_pairs(arguments.dictionary)
    test: list[tuple[str, str]] = []
    if arguments.test_dictionary is None:
        try:
            train, test = split_by_source(pairs, arguments.test_share, arguments.seed)
        except UserError as error:
            remedy = f"{error.remedy} (--test-share)"
            raise UserError(arguments.dictionary, error.problem, remedy) from error
    else:
        test = read_pairs(arguments.test_dictionary)
        train = pairs
    # in small letters, by which static vectors and uncased encoders take them for one word
    asked = {source.lower() for source, _ in test}
    kept = [pair for pair in train if pair[0].lower() not in asked]
    if left_out := len(train) - len(kept):
        where = arguments.test_dictionary or "the held-out part"
        what = f"{left_out} pairs of words of {where} not learnt from"
        print(f"{arguments.dictionary}: {what}", file=sys.stderr)
    if not kept:
        raise UserError(arguments.dictionary, "all its words are held out", "enlarge it")
    if arguments.words is not None:
        words = read_words(arguments.words)
    elif not (words := unique_in_order(source for source, _ in test)):
        remedy = "give some, or hold a part out (--test-share)"
        raise UserError("--words", "nothing to translate", remedy)
    return Wanted([read_vocabulary(arguments, side) for side in SIDES], kept, test, words)


def embed_by_encoders(
    arguments: argparse.Namespace, models: Sequence[str], strings: Sequence[list[str]]
) -> list[Words]:
    """Return the words of both sides under the encoders; one of both runs a string once."""
    chosen = [settle_settings(model, arguments) for model in models]

    def embed(model: str, settings: EncoderSettings, own: list[str]) -> Words:
        encoder, _ = open_encoder(model, settings, *options_of(arguments))
        with embedding_progress(len(own)) as advance:
            vectors = encoder.encode(own, advance)
        return Words(vectors, {word: row for row, word in enumerate(own)}, model)

    if models[0] == models[1]:
        return [embed(models[0], chosen[0], unique_in_order([*strings[0], *strings[1]]))] * 2
    pairs = zip(models, chosen, strings, strict=True)
    return [embed(model, settings, own) for model, settings, own in pairs]


def look_up(path: Path, strings: list[str]) -> Words:
    """Return those of the strings that have a vector: all their words are in the file.

    As they are written or lower-cased or, in a fastText model, by their character n-grams.
    """
    found = read_word_vectors(path, words_to_seek(strings))
    oov = "subwords" if is_fasttext_model(path) else "error"

    def has_vector(word: str) -> bool:
        return word in found.known or word.lower() in found.known or word in found.composed

    known = [string for string in strings if all(map(has_vector, string.split()))]
    if not known:
        raise UserError(
            path,
            f"has a vector of none of the {len(strings)} words that are needed, first "
            f"{strings[0][:40]!r}",
            "give the vectors of that language",
        )
    vectors, _ = embed_strings(known, found, oov, str(path))
    return Words(vectors, {word: row for row, word in enumerate(known)}, str(path))


def leave_out_unknown(wanted: Wanted, sides: Sequence[Words], dictionary: Path) -> Wanted:
    """Return what has vectors of all that was asked for; what has none is told."""

    def known(words: list[str], side: int, what: str) -> list[str]:
        kept = [word for word in words if word in sides[side].rows]
        missing = [word for word in words if word not in sides[side].rows]
        if missing:
            shown = ", ".join(f"{word:.40}" for word in missing[:_SHOWN])
            shown += ", ..." * (len(missing) > _SHOWN)
            told = f"no vectors of {len(missing)} of {len(words)} {what} ({shown}); left out"
            print(told, file=sys.stderr)
        return kept

    vocabularies = [
        known(words, side, f"words of the {SIDES[side]} vocabulary")
        for side, words in enumerate(wanted.vocabularies)
    ]
    train = [pair for pair in wanted.train if all(map(_in_side, sides, pair))]
    if not train:
        raise UserError(
            dictionary,
            "no pair to learn from has vectors in both languages",
            "check that source and target are not swapped, or enlarge the dictionary",
        )
    if left_out := len(wanted.train) - len(train):
        told = f"{left_out} of {len(wanted.train)} pairs to learn from; left out"
        print(f"{dictionary}: no vectors of {told}", file=sys.stderr)
    words = known(wanted.words, 0, "words to translate")
    if not words:
        problem = f"none of the {len(wanted.words)} words to translate has a vector"
        raise UserError(sides[0].origin, problem, "give the vectors of that language")
    test = [pair for pair in wanted.test if _in_side(sides[0], pair[0])]
    return Wanted(vocabularies, train, test, words)


def _in_side(side: Words, word: str) -> bool:
    return word in side.rows


def translate(
    arguments: argparse.Namespace, wanted: Wanted, sides: Sequence[Words], dropped: int
) -> tuple[list[tuple[str, int, str, float]], Measurement | None]:
    """Return the rows of the output, and what was measured on the held-out pairs, if any were."""
    source_words, target_words = wanted.vocabularies
    asked = unique_in_order([*wanted.words, *(source for source, _ in wanted.test)])
    learnt = [[pair[column] for pair in wanted.train] for column in (0, 1)]
    name, k = arguments.dictionary.name, arguments.k
    # As many as the accuracies need; fewer are written.
    most = max(k, min(_LARGEST_K, len(target_words))) if wanted.test else k
    ranked = rank_translations(
        sides[0].side(SIDES[0], vocabulary=source_words, train=learnt[0], test=asked),
        sides[1].side(SIDES[1], vocabulary=target_words, train=learnt[1]),
        *(name, most),
        mapping=arguments.mapping,
        similarity=arguments.retrieval,
        neighbours=arguments.neighbours,
        regularisation=arguments.regularisation,
        threads=arguments.threads,
    )
    tested = unique_in_order(source for source, _ in wanted.test)
    queries = {word: query for query, word in enumerate(tested)}
    rows, of_tested = [], []
    for row in ranked:
        word = asked[row.query]
        if row.rank <= k and row.query < len(wanted.words):
            rows.append((word, row.rank, target_words[row.target_row], row.score))
        if word in queries:
            of_tested.append(row._replace(query=queries[word]))
    if not tested:
        return rows, None
    # The scoring of the tables; words stand for the numbers that they have in a suite.
    source = {"test": [word for word, _ in wanted.test], "dropped": {}}
    if dropped:
        source["dropped"] = {"no vector": dropped}
    target = {"test": [word for _, word in wanted.test], "vocabulary": target_words}
    return rows, measure_translations(name, source, target, of_tested)


def print_accuracy(found: Measurement) -> None:
    scores, _ = bootstrap_scores(EncoderIds("own", "own", "none", 0), [found])
    dropped = "".join(f", {number} left out ({why})" for why, number in found.dropped.items())
    print(f"held out: {found.n} source words, coverage {found.coverage:.3f}{dropped}")
    for score in scores:
        print(f"{score.metric}  {score.value:.4f}  (95% interval {score.low:.4f} {score.high:.4f})")


def check_arguments(given: argparse.Namespace) -> list[str] | None:
    """Return the encoders of both sides, None where static vectors are given."""
    encoders = [getattr(given, f"{side}_encoder") or given.encoder for side in SIDES]
    vectors = [getattr(given, f"{side}_vectors") for side in SIDES]
    if any(encoders) == any(vectors):
        raise UserError(
            None,
            "give encoders (--encoder, or --source-encoder and --target-encoder) or static "
            "vectors (--source-vectors and --target-vectors), not both",
            None,
        )
    kind, both = ("encoder", encoders) if any(encoders) else ("vectors", vectors)
    for side, one in zip(SIDES, both, strict=True):
        if one is None:
            raise UserError(f"--{side}-{kind}", "missing", "give one for each language")
    check_encoder_options(*options_of(given))
    check_counts(k=given.k, neighbours=given.neighbours, most_words=given.most_words)
    if not 0 <= given.test_share < 1:
        raise UserError(
            f"--test-share {given.test_share}", "give a share from 0 to less than 1", None
        )
    if given.regularisation < 0:
        raise UserError(f"--regularisation {given.regularisation}", "give 0 or more", None)
    check_files("--dictionary", given.dictionary)
    check_files("--test-dictionary", given.test_dictionary)
    check_files("--words", given.words, stdin=True)
    for side, file in zip(SIDES, vectors, strict=True):
        check_files(f"--{side}-vectors", file)
        check_files(f"--{side}-vocabulary", getattr(given, f"{side}_vocabulary"), stdin=True)
    files = [given.dictionary, given.test_dictionary, given.words, *vectors]
    files += [getattr(given, f"{side}_vocabulary") for side in SIDES]
    check_new_file("--output", given.output, given.overwrite, files)
    return encoders if any(encoders) else None


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("translate", __doc__, EXAMPLE)
    add: Any = parser.add_argument
    add("--encoder", metavar="DIR", help="model folder or hub id (id@revision) of both languages")
    for side in SIDES:
        add(f"--{side}-encoder", metavar="DIR", help=f"that of the {side} language")
        add(f"--{side}-vectors", type=Path, metavar="FILE", help="word vectors: .vec or .bin")
        default = "one word a line (with vectors by default their first words)"
        add(f"--{side}-vocabulary", type=Path, metavar="FILE", help=default)
    most = "words of a file of vectors that are its vocabulary (default: %(default)s)"
    add("--most-words", type=int, default=200_000, metavar="N", help=most)
    pairs = "a word, a tab (or blanks) and its translation a line"
    add("--dictionary", type=Path, required=True, metavar="FILE", help=pairs)
    share = "share of the dictionary's source words that is held out (default: %(default)s)"
    add("--test-share", type=float, default=0.2, help=share)
    add("--seed", type=int, default=33, help="of what is held out (default: %(default)s)")
    own = "held-out pairs of its own, instead of a share"
    add("--test-dictionary", type=Path, metavar="FILE", help=own)
    words = "words to translate, one a line, - for stdin (default: the held-out ones)"
    add("--words", metavar="FILE|-", help=words)
    add("--output", type=Path, required=True, help="word, rank, translation, score")
    add("--format", choices=FORMATS, default="tsv", help="of the output (default: %(default)s)")
    add("--overwrite", action="store_true", help="replace the output")
    add("--k", type=int, default=5, help="translations of a word (default: %(default)s)")
    maps = get_args(MappingKind)
    add("--mapping", choices=maps, default="supervised", help="default: %(default)s")
    small = "of the supervised map's whitening, for small dictionaries (default: 0, as published)"
    add("--regularisation", type=float, default=0.0, help=small)
    add("--retrieval", choices=get_args(Retrieval), default="csls", help="default: %(default)s")
    add("--neighbours", type=int, default=NEIGHBOURS, help="of CSLS (default: %(default)s)")
    add_encoder_arguments(parser)
    arguments = parser.parse_args(argv)
    encoders = check_arguments(arguments)
    wanted = read_wanted(arguments)
    strings = [wanted.strings(column) for column in (0, 1)]
    if encoders is not None:
        sides = embed_by_encoders(arguments, encoders, strings)
    else:
        files = [getattr(arguments, f"{side}_vectors") for side in SIDES]
        sides = [look_up(file, own) for file, own in zip(files, strings, strict=True)]
    widths = [side.vectors.shape[1] for side in sides]
    if widths[0] != widths[1]:
        raise UserError(
            None,
            f"source vectors of {widths[0]} dimensions and target vectors of {widths[1]}",
            "give two encoders, or two files, of one width",
        )
    kept = leave_out_unknown(wanted, sides, arguments.dictionary)
    dropped = len({pair[0] for pair in wanted.test} - {pair[0] for pair in kept.test})
    rows, found = translate(arguments, kept, sides, dropped)
    write_found(arguments.output, arguments.format, COLUMNS, rows, ".9g")
    if found is not None:
        print_accuracy(found)
    elif dropped:
        print(f"held out: no vector of any of {dropped} source words")
    print(f"{arguments.output}: {len(rows)} translations of {len(kept.words)} words")


if __name__ == "__main__":
    run_command(main)
