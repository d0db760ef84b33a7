"""The card of an encoder: what a reader of the folder needs to know. Standard library only."""

import json
from typing import Any

from workflow_scripts.embedding.pooling_names import POOLINGS


def write_card(record: dict[str, Any]) -> str:
    """Return the text of README.md for an encoder whose encoder.json is `record`."""
    recipe, corpus, tuning = record["recipe"], record["corpus"], record["tuning"]
    pooling, max_length = record["pooling"], record["max_length"]
    recipe_text = json.dumps(recipe, indent=1, sort_keys=True)
    return f"""---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
tags:
- sentence-transformers
- sentence-similarity
- feature-extraction
- mirror-bert
---

# {record["model"]["name"]} + {record["recipe_name"]}

An encoder of words, phrases or sentences, {record["dimension"]} dimensions, made from the
pretrained model `{record["model"]["name"]}`, {_label_words(corpus)}, by Mirror tuning (Liu et al.
2021, Fast, Effective, and Self-Supervised: Transforming Masked Language Models into Universal
Lexical and Sentence Encoders). Compare vectors by cosine.

```python
from sentence_transformers import SentenceTransformer

vectors = SentenceTransformer("path/to/this/folder").encode(["a string", "another"])
```

With transformers, `AutoModel` and `AutoTokenizer` load the folder; pool the last hidden states
yourself as said below.

- Pooling: `{pooling}`, {POOLINGS[pooling]}.
- Strings are cut to {max_length} tokens{_padding_words(pooling)}.
- Tuned on {corpus["strings"]} strings of `{corpus["name"]}` (sha256 `{corpus["sha256"]}`).
- Seed {record["seed"]}, {tuning["steps"]} steps, loss {tuning["first_loss"]:.4f} at the first,
  {tuning["last_loss"]:.4f} at the last.{_development_words(recipe, tuning)}
- Weights it was made from: sha256 `{record["model"]["weights_sha256"]}`.

Recipe:

```json
{recipe_text}
```
"""


def _label_words(corpus: dict[str, Any]) -> str:
    return "with pairs of strings" if corpus.get("pairs") else "without labels"


def _development_words(recipe: dict[str, Any], tuning: dict[str, Any]) -> str:
    if "best_step" not in tuning:
        return ""
    return (
        f"\n- Weights after step {tuning['best_step']}, whose score on the development set "
        f"`{recipe['development']['dataset']}`,\n  {tuning['best_score']:.4f}, was the best."
    )


def _padding_words(pooling: str) -> str:
    if pooling != "mean_padded":
        return ""
    return (
        " and padded to as many.\n  sentence-transformers does so by `processing_kwargs`, and the "
        "module in 1_AllPositions, a constant,\n  makes its Pooling count the padding too"
    )
