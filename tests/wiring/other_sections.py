"""The keys of dictionaries, the tuning grid and pretraining: other values, and what they reach."""

from variations import Change, Section
from wiring_project import DICTIONARY, PRETRAINING, PUBLIC, TUNING_GRID, shorter

TUNED = {"model": "tiny", "recipe": "mirror", "corpus": "strings", "seed": 33}
EMBED = ("embed_names", "embed_mentions")
ENCODER = frozenset(f"{rule} {option}" for rule in EMBED for option in ("--encoder", "input"))
CHOICES = frozenset({"split_names --choices-json"})
MRCONSO = {"names": {"one": {"path": "umls/MRCONSO.RRF", "format": "mrconso"}}}
HEADED = {"mentions": "made/headed.tsv", "mention_column": "left"}


def both(option: str) -> frozenset[str]:
    return frozenset(f"{rule} {option}" for rule in EMBED)


DICTIONARIES = Section(
    base=DICTIONARY,
    wires=frozenset(),
    wired={
        "encoder.model": ENCODER,
        "encoder.recipe": both("--max-length") | both("--pooling"),
        "encoder.corpus": ENCODER,
        "encoder.seed": ENCODER,
        "names.<id>.path": frozenset({"split_names --names"}),
        **{f"names.<id>.{key}": CHOICES for key in ("format", "language", "sources", "suppress")},
        "shards": frozenset({"split_names --shards", "merge_links --shards", "merge_links input"})
        | {
            f"{rule} {what}" for rule in ("embed_names", "link_shard") for what in ("added", "gone")
        },
        "mentions": frozenset({"embed_mentions --mentions", "merge_links --mentions"}),
        "mention_column": frozenset(
            {"embed_mentions --mention-column", "merge_links --mention-column"}
        ),
        "gold_column": frozenset({"embed_mentions --gold-column", "merge_links --gold-column"}),
        "lower_case": CHOICES | {"embed_mentions --lower-case", "merge_links --lower-case"},
        "similarity": both("--similarity"),
        "dtype": frozenset({"embed_names --dtype"}),
        "k": frozenset({"link_shard --k", "merge_links --k"}),
        "threshold": frozenset({"merge_links --threshold"}),
        "margin": frozenset({"merge_links --margin"}),
    },
    changes={
        "encoder.model": "other",
        "encoder.recipe": "first",
        "encoder.corpus": Change("strings-2", {"encoder": TUNED}),
        "encoder.seed": Change(44, {"encoder": TUNED}),
        "names.<id>.path": shorter("made/dictionary.txt"),
        "names.<id>.format": "lines",
        "names.<id>.language": Change("FRE", MRCONSO),
        "names.<id>.sources": Change(["MSH"], MRCONSO),
        "names.<id>.suppress": Change(["O"], MRCONSO),
        "shards": 3,
        "mentions": shorter("made/mentions.txt"),
        "mention_column": Change("right", HEADED),
        "gold_column": Change("score", HEADED),
        "similarity": "dot",
        "threshold": 0.99,
        "margin": 0.5,
    },
)
CHOSEN = frozenset({"choose_settings --block"})
SEARCH_BLOCK = frozenset({"search_grid --block", "choose_settings --block"})
GRID = Section(
    base=TUNING_GRID,
    wires=SEARCH_BLOCK,
    wired={
        "cells_per_job": frozenset(
            {"search_grid --block", "search_grid gone", "choose_settings --slices"}
        ),
        "shown": frozenset({"write_table_block block", "assemble_table input"}),
        "searches.<id>.model": CHOSEN | {"search_grid --model", "search_grid input"},
        "searches.<id>.corpus": CHOSEN | {"search_grid --corpus", "sample_corpus added"},
        "searches.<id>.axes": SEARCH_BLOCK | {"choose_settings --slices", "search_grid gone"},
        "searches.<id>.suite": CHOSEN
        | {"search_grid --strings", "search_grid --items", "read_suite added", "read_suite gone"},
    },
    changes={
        "axes": {"temperature": [0.1, 0.4], "epochs": [1, 2]},
        "cells_per_job": 4,
        "shown": ["small", "other"],
        "searches.<id>.model": "other",
        "searches.<id>.recipe": "warm",
        "searches.<id>.corpus": "repeated",
        "searches.<id>.suite": "both",
        "searches.<id>.dataset": "pairs-2",
        "searches.<id>.seeds": [55],
        "searches.<id>.set": {"batch_size": 6},
        "searches.<id>.axes": {"temperature": [0.1, 0.7]},
    },
)
PREPARE = frozenset({"prepare_text --texts"})
EVALUATE = frozenset({"prepare_text --evaluation"})
TOKENIZE = frozenset({"train_tokenizer --settings"})
VECTORS = frozenset({"train_word_vectors --settings"})
TRAIN = frozenset({"pretrain_model --training"})
ARCHITECTURE = frozenset({"pretrain_model --architecture"})
ONE = "pretrained.<id>"
PACKED = [{"until": 1.0, "length": 30}]
OF_TABLE = {"reader": "tsv", "files": ["made/columns.tsv"], "columns": [1]}
OF_LINES = {"reader": "lines", "files": ["made/strings.txt"], "document_ids": "made/ids-6.txt"}
CARD = "for the card of the model"
PRETRAIN = Section(
    base=PRETRAINING,
    wires=frozenset(),
    wired={
        **{
            f"texts.<id>.{k}": PREPARE for k in ("reader", "columns", "language", "name", "licence")
        },
        **{f"texts.<id>.{k}": PREPARE | {"prepare_text input"} for k in ("files", "document_ids")},
        **{f"evaluation[].{key}": EVALUATE for key in ("reader", "columns")},
        **{
            f"evaluation[].{k}": EVALUATE | {"prepare_text input"}
            for k in ("files", "document_ids")
        },
        f"{ONE}.texts": PREPARE | {"prepare_text input"},
        f"{ONE}.seed": frozenset(
            f"{rule} --seed" for rule in ("train_tokenizer", "train_word_vectors", "pretrain_model")
        ),
        **{
            f"{ONE}.tokenizer.{key}": TOKENIZE
            for key in (
                *("kind", "size", "lower_case", "strip_accents", "alphabet", "maximum_lines"),
                "maximum_length",
            )
        },
        **{
            f"{ONE}.architecture.{key}": ARCHITECTURE
            for key in ("family", "layers", "heads", "feed_forward", "dropout")
        },
        f"{ONE}.architecture.units": ARCHITECTURE | {"train_word_vectors --units"},
        **{
            f"{ONE}.training.{key}": TRAIN
            for key in (
                *("minutes", "steps", "stages[].until", "stages[].length", "stages[].pack"),
                *("tokens_per_batch", "sequences_per_block", "masked", "learning_rate"),
                *("embedding_rate", "warm_up", "weight_decay", "clip_norm", "log_every"),
                "checkpoint_minutes",
            )
        },
        **{
            f"{ONE}.word_vectors.{k}": VECTORS
            for k in ("window", "smoothing", "shared", "deviation")
        },
        **{
            f"{ONE}.preparation.{key}": frozenset({"prepare_text --preparation"})
            for key in ("minimum_letters", "held_out")
        },
        f"{ONE}.language_exponent": frozenset(
            f"{rule} --language-exponent" for rule in ("train_tokenizer", "pretrain_model")
        ),
        f"{ONE}.examples": frozenset({"pretrain_model --examples"}),
    },
    changes={
        "texts.<id>.reader": "numbered-lines",
        "texts.<id>.files": ["made/text-2.txt"],
        "texts.<id>.columns": Change([2], {"texts.<id>": {**PUBLIC, **OF_TABLE}}),
        "texts.<id>.document_ids": Change("made/ids-8.txt", {"texts.<id>": {**PUBLIC, **OF_LINES}}),
        "texts.<id>.language": "de",
        f"{ONE}.training.stages[].pack": Change(True, {f"{ONE}.training.stages": PACKED}),
        "evaluation[].reader": "numbered-lines",
        "evaluation[].files": ["made/strings.txt"],
        "evaluation[].columns": Change(
            [2], {"evaluation": [{**OF_TABLE, "files": ["made/kept-out.tsv"]}]}
        ),
        "evaluation[].document_ids": Change("made/ids-8.txt", {"evaluation": [OF_LINES]}),
        f"{ONE}.texts": ["english", "more"],
        f"{ONE}.tokenizer.size": 90,
        f"{ONE}.tokenizer.alphabet": 5,
        f"{ONE}.tokenizer.maximum_lines": 20,
        f"{ONE}.tokenizer.maximum_length": 40,
        f"{ONE}.tokenizer.kind": "byte-pairs",
        f"{ONE}.architecture.family": "roberta",
        f"{ONE}.architecture.units": 16,
        f"{ONE}.architecture.heads": 4,
        f"{ONE}.architecture.feed_forward": 16,
        f"{ONE}.training.minutes": Change(
            0.01, {f"{ONE}.training.steps": None, f"{ONE}.training.minutes": 0.02}
        ),
        f"{ONE}.training.stages[].until": 0.8,
        f"{ONE}.training.stages[].length": 8,
        f"{ONE}.training.tokens_per_batch": 96,
        f"{ONE}.training.sequences_per_block": 16,
        f"{ONE}.training.clip_norm": 0.01,
        f"{ONE}.training.warm_up": 0.6,
        f"{ONE}.training.weight_decay": 0.9,
        f"{ONE}.training.log_every": 1,
        f"{ONE}.word_vectors.window": 2,
        f"{ONE}.word_vectors.shared": 2,
        f"{ONE}.preparation.minimum_letters": 40,
        f"{ONE}.preparation.held_out": 4,
        f"{ONE}.language_exponent": 0.1,
        f"{ONE}.examples": ["a {mask} example"],
    },
    same_number={
        **{"texts.<id>.name": CARD, "texts.<id>.licence": CARD, f"{ONE}.examples": CARD},
        f"{ONE}.architecture.dropout": "of the saved config, for a later tuning: trained without",
        f"{ONE}.training.checkpoint_minutes": "how much a kill loses",
        "texts.<id>.document_ids": "models are pretrained on sentences, without their documents",
        "evaluation[].document_ids": "documents are not told apart in what is kept out",
    },
    not_run={f"{ONE}.training.minutes": "a budget of wall clock"},
)
SECTIONS = {"dictionaries": DICTIONARIES}
ALONE = {
    "tuning_grid": (GRID, "tuning_grid", ["tuning_grid", "results/tables/grid.tsv"]),
    "pretraining": (PRETRAIN, "pretraining", ["embedded_models"]),
}
