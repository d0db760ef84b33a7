"""The card of an encoder: what a reader of the folder, and the hub, need to know."""

import json
from collections.abc import Mapping
from typing import Any

from workflow_scripts.downloads.model_files import LEARNING_CURVE
from workflow_scripts.embedding.card_metadata import write_front_matter
from workflow_scripts.embedding.settings import ALWAYS_RECORDED, POOLINGS, EncoderSettings

_PADDING = """ and padded to as many.
  sentence-transformers does so by `processing_kwargs`, and the module in 1_AllPositions, a
  constant, makes its Pooling count the padding too"""


def write_card(record: dict[str, Any], method: Any, inherited: Mapping[str, Any]) -> str:
    """Return the text of README.md for an encoder whose encoder.json is `record`.

    `inherited` is what its front matter says of the pretrained model.
    """
    recipe, corpus, tuning = record["recipe"], record["corpus"], record["tuning"]
    pooling, name = record["pooling"], record["model"]["name"]
    labels = "with pairs of strings" if corpus.get("pairs") else "without labels"
    labels = "with texts and their class" if "classes" in corpus else labels
    development = ""
    if "best_step" in tuning:
        development = (
            f"\n- Weights after step {tuning['best_step']}, whose score on the development set "
            f"`{recipe['development']['dataset']}`,\n  {tuning['best_score']:.4f}, was the best "
            f"(untuned: {tuning['untuned_score']:.4f})."
        )
    more = _other_settings(record) + _start_words(record)
    tags = ["sentence-transformers", "sentence-similarity", "feature-extraction", method.CARD_TAG]
    front_matter = write_front_matter(
        {
            "library_name": "sentence-transformers",
            "pipeline_tag": "sentence-similarity",
            "tags": tags,
            **inherited,
        }
    )
    return f"""{front_matter}
# {name} + {record["recipe_name"]}

An encoder of words, phrases or sentences, {record["dimension"]} dimensions, made from the
pretrained model `{name}`, {labels}, by
{method.CARD}. Compare vectors by cosine.

```python
from sentence_transformers import SentenceTransformer

vectors = SentenceTransformer("path/to/this/folder").encode(["a string", "another"])
```

With transformers, `AutoModel` and `AutoTokenizer` load the folder; pool the last hidden states
yourself as said below.

- Pooling: `{pooling}`, {POOLINGS[pooling]}.
- Strings are cut to {record["max_length"]} tokens{_PADDING if pooling == "mean_padded" else ""}.
{more}- Tuned on {corpus["strings"]} strings of `{corpus["name"]}`
  (sha256 `{corpus["sha256"]}`).
- Seed {record["seed"]}, {tuning["steps"]} steps, loss {tuning["first_loss"]:.4f} at the first,
  {tuning["last_loss"]:.4f} at the last.{development}
- Weights of the pretrained model: sha256 `{record["model"]["weights_sha256"]}`.

![Learning curve: {tuning["steps"]} steps]({LEARNING_CURVE})

Recipe:

```json
{json.dumps(recipe, indent=1, sort_keys=True)}
```
"""


def _other_settings(record: dict[str, Any]) -> str:
    """Return a line for each setting beyond pooling and length, of prompts for each role."""
    values = EncoderSettings.from_record(record).as_record()
    for name in ALWAYS_RECORDED:
        del values[name]
    prompts = values.pop("prompts", {})
    lines = {f"Prompt of role {role}": prompt for role, prompt in prompts.items()}
    lines |= {name.replace("_", " ").capitalize(): value for name, value in values.items()}
    return "".join(f"- {name}: `{value}`.\n" for name, value in lines.items())


def _start_words(record: dict[str, Any]) -> str:
    """Return a line for each encoder that this one continues from, the earliest first."""
    if (start := record.get("start")) is None:
        return ""
    corpus, weights = start["corpus"]["name"], start["weights_sha256"]
    own = f"tuned by `{start['recipe_name']}` on `{corpus}` (weights sha256 `{weights}`)"
    return f"{_start_words(start)}- Before, {own}.\n"
