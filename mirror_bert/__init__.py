"""Mirror-BERT and CMLM from Python: encoders of words, phrases and sentences without labels.

    import mirror_bert

    encoder = mirror_bert.tune(model, strings, recipe="mirror-phrase", pooling="mean")
    vectors = encoder.encode(["a string", "another"])
    encoder.save("my-encoder")

They are the commands `mirror-bert tune`, `cmlm`, `evaluate`, `link`, `search nearest` and
`translate` as functions, with the same names for the same choices;
docs/reference/api.md describes each.
Importing this is quick: what a name needs (torch, transformers, pandas) is imported when the name
is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from mirror_bert._workflow_package import claim_workflow_package

claim_workflow_package()

# where each name comes from
_SOURCES = {
    "Encoder": "workflow_scripts.embedding.encoder",
    "EncoderSettings": "workflow_scripts.embedding.settings",
    "UserError": "workflow_scripts.errors",
    "evaluate": "mirror_bert._evaluation",
    "link": "mirror_bert._linking",
    "load": "workflow_scripts.embedding.encoder",
    "read_names": "mirror_bert._linking",
    "quantize": "workflow_scripts.retrieval.quantization",
    "read_strings": "workflow_scripts.string_columns",
    "search": "mirror_bert._search",
    "split_pairs": "workflow_scripts.datasets.own_pairs",
    "translate": "mirror_bert._translation",
    "train_cmlm": "mirror_bert._tuning",
    "tune": "mirror_bert._tuning",
}
_NAMES = {"load": "load_encoder"}
__all__ = [  # noqa: RUF022  (in the order of use)
    "tune",
    "train_cmlm",
    "load",
    "Encoder",
    "EncoderSettings",
    "evaluate",
    "link",
    "search",
    "translate",
    "quantize",
    "read_strings",
    "read_names",
    "split_pairs",
    "UserError",
]

if TYPE_CHECKING:
    from mirror_bert._evaluation import evaluate
    from mirror_bert._linking import link, read_names
    from mirror_bert._search import search
    from mirror_bert._translation import translate
    from mirror_bert._tuning import train_cmlm, tune
    from workflow_scripts.datasets.own_pairs import split_pairs
    from workflow_scripts.embedding.encoder import Encoder
    from workflow_scripts.embedding.encoder import load_encoder as load
    from workflow_scripts.embedding.settings import EncoderSettings
    from workflow_scripts.errors import UserError
    from workflow_scripts.retrieval.quantization import quantize
    from workflow_scripts.string_columns import read_strings


def __getattr__(name: str) -> Any:
    if name not in _SOURCES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_SOURCES[name]), _NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
