"""The keys of recipes: other values of each, and what they reach."""

from other_settings import other_keys
from variations import Change, Section
from wiring_project import TUNED

from workflow_scripts.tuning.methods.none import Choices
from workflow_scripts.tuning.recipe import TuningRecipe

TUNE = frozenset({"tune_encoder --recipe-json"})
EMBED = "embed_suite --settings"
# of a corpus that is not the paper's tells the table
PAGE = frozenset({"write_table_block block"})
START_OF = {"recipe": "mirror", "corpus": "strings"}
DEVELOPMENT = {"dataset": "pairs", "every": 1}
RATES = dict.fromkeys(("embeddings", "attention", "attention_output", "feed_forward"), 0.1)
WIRED = {
    **dict.fromkeys(other_keys(TuningRecipe), TUNE | {EMBED}),
    "start.recipe": TUNE | PAGE | {"tune_encoder --model", "tune_encoder input"},
    "start.corpus": TUNE | PAGE | {"tune_encoder --model", "tune_encoder input"},
    "development.dataset": TUNE | {"tune_encoder --development"},
}
CHANGES = {
    **other_keys(TuningRecipe),
    "start.recipe": Change("warm", {"start": START_OF}),
    "start.corpus": Change("strings-2", {"start": START_OF}),
    "development.dataset": Change("pairs-2", {"development": DEVELOPMENT}),
    "development.every": Change(2, {"development": DEVELOPMENT}),
    "development.patience": Change(1, {"development": DEVELOPMENT}),
    "precision": "bfloat16",
    "max_gradient_norm": 0.01,
    "max_length": 6,
    "schedule": "linear",
    "learning_rate": 1.0e-3,
    "weight_decay": 0.5,
    "warmup": 0.5,
    "batch_size": 6,
    "dropout": 0.3,
    **{f"dropout.{place}": Change(0.4, {"dropout": RATES}) for place in RATES},
}
OF_TEXT = {
    **CHANGES,
    "development.patience": Change(
        1, {"development": DEVELOPMENT, "steps": 6, "learning_rate": 0.03}
    ),
    "steps": Change(3, {"steps": 2}),
    "epochs": Change(2, {"steps": None, "epochs": 1}),
}
# which gets no prompts
RUNNING_TEXT = {key: change for key, change in OF_TEXT.items() if key != "prompts"}
MASKED = {"inputs": Change("packed", {"max_length": 40}), "masked_share": 0.6, "masked_count": 4}
SIMILARITY = {"normalize": False, "logit_scale": 5.0, "margin": 0.6}
BITEXT = {"corpus": "pairs", "batch_size": 8}
HELD_OUT = {"corpus": "text-2", "every": 1, "pairs": 20}
STEPS = {**TUNED, "steps": 2}
OTHERS = TUNE | PAGE | {"tune_encoder --more-corpora"}


def method(name: str, corpus: str) -> Change:
    """Return another method on the same corpus, which may not be of its form."""
    return Change(name, row={"corpus": corpus}, block={"method": name, **STEPS})


NO_PROMPTS = {"not_changed": {"prompts": "running text has no roles, and refuses them"}}
TRAINED = {"wires": TUNE, "wired": WIRED}

SECTIONS = {
    "recipes.none": Section(
        base={"method": "none", "pooling": "mean", "embed_max_length": 24},
        wires=frozenset({EMBED}),
        changes={
            **other_keys(Choices),
            "method": Change("nli", block={"method": "nli", **STEPS}),
            "start.recipe": Change("warm", {"start": START_OF}),
            "start.corpus": Change("strings-2", {"start": START_OF}),
        },
        wired={
            "method": PAGE | {"embed_suite added", "embed_suite gone", "tune_encoder added"},
            "start.recipe": PAGE | {"embed_suite --model", "embed_suite input"},
            "start.corpus": PAGE | {"embed_suite added", "embed_suite gone"},
        },
        not_changed={"development": "method none tunes nothing and refuses it"},
    ),
    "recipes.mirror": Section(
        base={
            **{"method": "mirror", "epochs": 1, "temperature": 0.1, "dropout": 0.1, **TUNED},
            "span_masking": {"length": 3, "min_length": 4},
        },
        changes={
            **CHANGES,
            "method": method("nli", "strings"),
            **{"epochs": 2, "temperature": 0.3, "drophead": 0.5, "controlled_dropout": True},
            "span_masking.length": 8,
            "span_masking.unit": "token",
            "span_masking.min_length": 15,
            "span_masking.mask_token": Change("tokenizer", row={"model": "other"}),
            "span_masking.place": Change("first_occurrence", {"span_masking.length": 1}),
            "positives": Change("pairs", row={"corpus": "pairs"}),
            "deduplicate": Change(True, row={"corpus": "repeated"}),
        },
        **TRAINED | {"same_number": {"gradient_cache": "the same gradients, in less memory"}},
    ),
    "recipes.simcse": Section(
        base={"method": "simcse", "dropout": 0.1, **STEPS},
        changes={**OF_TEXT, "temperature": 0.3, "method": method("tsdae", "strings")},
        **TRAINED,
    ),
    "recipes.tsdae": Section(
        base={"method": "tsdae", "dropout": 0.1, **STEPS},
        changes={**OF_TEXT, "deleted_share": 0.2, "method": method("simcse", "strings")},
        **TRAINED,
    ),
    "recipes.cmlm": Section(
        base={
            **{"method": "cmlm", "projections": 2, "dropout": 0.1, **STEPS, "batch_size": 4},
            **{"bitext": {**BITEXT, "batch_size": 4}, "held_out": HELD_OUT},
        },
        changes={
            "method": method("mlm", "text"),
            **{
                **RUNNING_TEXT,
                **MASKED,
                "masked_count": 2,
                "swap": 0.1,
                "projections": 3,
                "projection_layers": 2,
            },
            "projection_width": 1.0,
            **{f"bitext.{key}": value for key, value in SIMILARITY.items()},
            **{"bitext.corpus": "pairs-2", "bitext.weight": 0.9, "bitext.batch_size": 6},
            **{"held_out.corpus": "text", "held_out.every": 2, "held_out.pairs": 5},
        },
        **NO_PROMPTS,
        **TRAINED
        | {
            "wired": {
                **{**WIRED, "bitext.corpus": OTHERS, "held_out.corpus": OTHERS},
                "method": OTHERS,
            },
        },
    ),
    "recipes.mlm": Section(
        base={"method": "mlm", "dropout": 0.1, **STEPS},
        changes={**RUNNING_TEXT, **MASKED, "method": method("cmlm", "text")},
        **TRAINED,
        **NO_PROMPTS,
    ),
    "recipes.quickthought": Section(
        base={"method": "quickthought", "dropout": 0.1, **STEPS},
        changes={**RUNNING_TEXT, **SIMILARITY, "context": 2, "method": method("mlm", "text")},
        **TRAINED,
        **NO_PROMPTS,
    ),
    "recipes.bitext": Section(
        base={"method": "bitext", "dropout": 0.1, **STEPS},
        changes={**OF_TEXT, **SIMILARITY, "method": method("classify", "pairs")},
        **TRAINED,
    ),
    "recipes.nli": Section(
        base={"method": "nli", "dropout": 0.1, **STEPS},
        changes={**OF_TEXT, "method": method("classify", "inference")},
        **TRAINED,
    ),
    "recipes.classify": Section(
        base={"method": "classify", "dropout": 0.1, **STEPS},
        changes={**OF_TEXT, "method": method("nli", "labelled")},
        **TRAINED,
    ),
}
