"""The keys of bundled_models/config.yaml: other values, and what they reach."""

from variations import Change, Section

from bundled_models.settings import BundledConfig

SNAKEFILE = "bundled_models/Snakefile"
STAGES = [{"until": 0.5, "length": 16}, {"until": 1.0, "length": 24, "pack": True}]
PRETRAINED = {
    **{"texts": ["english", "french"], "seed": 7, "language_exponent": 0.5},
    "tokenizer": {"kind": "wordpiece", "size": 120, "maximum_length": 32},
    "architecture": {"family": "bert", "layers": 1, "units": 8, "heads": 2, "feed_forward": 8},
    "training": {"steps": 4, "stages": STAGES, "tokens_per_batch": 128, "log_every": 2},
    "word_vectors": {"window": 4},
    "preparation": {"minimum_letters": 3, "held_out": 10},
}
READ = {"reader": "blank-line-documents", "files": ["made/text.txt"]}
PUBLIC = {"language": "en", "name": "Made up", "licence": "CC0"}
BASE = {
    **{"device": "cpu", "text_root": "data", "evaluation_root": "data"},
    "texts": {
        "english": {**PUBLIC, **READ},
        "french": {**PUBLIC, **READ, "language": "fr", "files": ["made/text-fr.txt"]},
        "more": {**PUBLIC, **READ, "files": ["made/text-2.txt"]},
    },
    "evaluation": [{"reader": "lines", "files": ["made/kept-out.txt"]}],
    "models": {"mini": PRETRAINED},
}
PREPARE = frozenset({"prepare_text --texts"})
EVALUATE = frozenset({"prepare_text --evaluation"})
TOKENIZE = frozenset({"train_tokenizer --settings"})
VECTORS = frozenset({"train_word_vectors --settings"})
TRAIN = frozenset({"pretrain_model --training"})
ARCHITECTURE = frozenset({"pretrain_model --architecture"})
ONE = "models.<id>"
PACKED = [{"until": 1.0, "length": 30}]
OF_TABLE = {"reader": "tsv", "files": ["made/columns.tsv"], "columns": [1]}
OF_LINES = {"reader": "lines", "files": ["made/strings.txt"], "document_ids": "made/ids-6.txt"}
CARD = "for the card of the model"
BUNDLED = Section(
    base=BASE,
    wires=frozenset(),
    wired={
        "device": frozenset(
            {"pretrain_model --device", "pretrain_model start", "pretrain_model resources"}
        ),
        "text_root": frozenset({"prepare_text --root", "prepare_text input"}),
        "evaluation_root": frozenset({"prepare_text --evaluation-root", "prepare_text input"}),
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
        "device": "auto",
        **dict.fromkeys(("text_root", "evaluation_root"), "data/../data"),
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
        **dict.fromkeys(("text_root", "evaluation_root"), "the same folder"),
        **{"texts.<id>.name": CARD, "texts.<id>.licence": CARD, f"{ONE}.examples": CARD},
        f"{ONE}.architecture.dropout": "of the saved config, for a later tuning: trained without",
        f"{ONE}.training.checkpoint_minutes": "how much a kill loses",
        "texts.<id>.document_ids": "models are pretrained on sentences, without their documents",
        "evaluation[].document_ids": "documents are not told apart in what is kept out",
    },
    not_run={
        "device": "auto takes a GPU where there is one, whose sums are others",
        f"{ONE}.training.minutes": "a budget of wall clock",
    },
    not_changed={"results": "a test of its own"},
)
KINDS = {"bundled_models": BundledConfig}
ALONE = {"bundled_models": (BUNDLED, None, ["all_models"])}
