"""What is rehearsed: the papers' recipes at their sizes, on models without weights.

To be imported after `load_fake_device`.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from transformers import AutoTokenizer, BertConfig, PreTrainedConfig, XLMRobertaConfig

from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.methods.classify import LabelledCorpus
from workflow_scripts.tuning.methods.cmlm import Corpora
from workflow_scripts.tuning.methods.register import read_recipe_blocks
from workflow_scripts.tuning.recipe import TuningRecipe, change_recipe, tuning_recipe_of
from workflow_scripts.tuning.running_text import RunningText

PROJECT = Path(__file__).resolve().parents[2]
# its words fill the strings; models have vocabularies of the papers' sizes
TOKENIZER = PROJECT / "resources" / "models" / "bert-en-mini"
# names, as of an ontology
NAMES = 70_000

_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
_LARGE["intermediate_size"] = 4096
_XLMR = {"vocab_size": 250002, "max_position_embeddings": 514, "type_vocab_size": 1}
_TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
_TINY["intermediate_size"] = 128
MODELS: dict[str, PreTrainedConfig] = {
    "BERT-base": BertConfig(vocab_size=30522),
    "BERT-large": BertConfig(vocab_size=30522, **_LARGE),
    "XLM-R large": XLMRobertaConfig(**_XLMR, pad_token_id=0, **_LARGE),
    # CMLM, section 4.4
    "multilingual base": BertConfig(vocab_size=501153),
    # of tests
    "tiny": BertConfig(vocab_size=8000, **_TINY),
}
# tokens of strings of random length, marks left out
_LENGTHS = {"mirror-word": (1, 4), "mirror-phrase": (2, 20)}
_SENTENCES = (5, 40)


@dataclass(frozen=True)
class Scenario:
    """A recipe on a model. Strings are `full` (cut at the maximum length) or `ragged`.

    `paper` is what the paper says of the time of a step. With `small` it is rehearsed on the
    smallest card too, where the largest steps take many minutes to be cut into parts.
    """

    recipe_name: str
    model: str
    inputs: Literal["full", "ragged"] = "full"
    precision: Literal["bfloat16", "float16"] = "bfloat16"
    changes: dict[str, Any] = field(default_factory=dict)
    paper: str = ""
    small: bool = False

    @property
    def name(self) -> str:
        changes = [f"{key} {value}" for key, value in self.changes.items()]
        return ", ".join([self.recipe_name, self.model, self.inputs, self.precision, *changes])

    def recipe(self) -> TuningRecipe:
        """Return the recipe, of a few steps."""
        block = _recipe_blocks()[self.recipe_name]
        budget = {"steps": 10} if "steps" in block else {"epochs": 10}
        budget |= {"warmup": 0.0} if block.get("warmup") else {}
        if "inputs" in block:
            # of full length: a sentence, cut
            budget["inputs"] = "packed" if self.inputs == "ragged" else "sentence"
        block = change_recipe(block, budget | self.changes)
        return tuning_recipe_of(self.recipe_name, block)

    def corpus(self, recipe: TuningRecipe) -> Any:
        """Return what the method's `read` would of a file that fills a batch."""
        batch, longest = recipe.batch_size, recipe.training_settings.max_length
        lengths = (2 * longest, 2 * longest)
        if self.inputs == "ragged":
            lengths = _LENGTHS.get(self.recipe_name, _SENTENCES)
        strings = _strings(*lengths)
        lists: Any = [[next(strings) for _ in range(batch)] for _ in range(2)]
        if recipe.method in ("cmlm", "mlm", "quickthought"):
            # a packed sequence takes several sentences
            count = 16 * batch if self.inputs == "ragged" else batch + 16
            text = RunningText([[next(strings) for _ in range(count)]])
            has_bitext = getattr(recipe, "bitext", None) is not None
            bitext = Corpus(lists[0], lists[1]) if has_bitext else None
            return Corpora(text, bitext) if recipe.method == "cmlm" else text
        if recipe.method == "bitext":
            return Corpus(*lists)
        drawn = random.Random(0).choices(LABELS, k=batch)
        if recipe.method == "nli":
            return Corpus(*lists, labels=drawn)
        if recipe.method == "classify":
            return LabelledCorpus(lists[0], drawn, classes=sorted(LABELS))
        return Corpus(lists[0])


@dataclass(frozen=True)
class Embedding:
    """`NAMES` names of 2 to 20 tokens embedded in float16, at most 25 tokens each."""

    model: str
    count: int = NAMES
    small: bool = True

    @property
    def name(self) -> str:
        return f"embedding of {self.count:,} names, {self.model}, float16"

    def strings(self) -> list[str]:
        """Return the names."""
        strings = _strings(2, 20)
        return [next(strings) for _ in range(self.count)]


@cache
def tokenizer() -> Any:
    """Return the tokenizer of all scenarios."""
    loaded = AutoTokenizer.from_pretrained(TOKENIZER, local_files_only=True)
    loaded.padding_side = "right"
    return loaded


@cache
def _recipe_blocks() -> dict[str, Any]:
    return read_recipe_blocks(PROJECT / "config" / "recipes.yaml")


def _strings(shortest: int, longest: int) -> Iterator[str]:
    """Yield strings of random words, each a token."""
    words = sorted(word for word in tokenizer().get_vocab() if word.isalpha() and len(word) > 3)
    generator = random.Random(0)
    while True:
        yield " ".join(generator.choices(words, k=generator.randint(shortest, longest)))


# Mirror-BERT, section 3: 10 to 20 s for an epoch of 10,000 strings, 50 steps, on two cards
_TWO_2080 = "0.2 to 0.4 s, 2 RTX 2080 Ti"
# CMLM, section 3: a million steps in five days
_TPUS = "0.43 s, 64 TPUs"
_MIRROR = ("mirror-word", "mirror-phrase", "mirror-sentence")
_LAMB = {"optimiser": "lamb"}

SCENARIOS: tuple[Scenario | Embedding, ...] = (
    *(Scenario(recipe, "BERT-base", paper=_TWO_2080, small=True) for recipe in _MIRROR),
    *(Scenario(recipe, "BERT-large", small=recipe != "mirror-sentence") for recipe in _MIRROR),
    *(Scenario(recipe, "XLM-R large") for recipe in _MIRROR),
    *(Scenario(recipe, "BERT-base", "ragged", paper=_TWO_2080, small=True) for recipe in _MIRROR),
    *(
        Scenario(recipe, "BERT-base", precision="float16", paper=_TWO_2080, small=True)
        for recipe in _MIRROR
    ),
    Scenario("mirror-sentence", "BERT-base", changes=_LAMB, small=True),
    Scenario("mirror-sentence", "BERT-base", precision="float16", changes=_LAMB, small=True),
    Scenario("cmlm", "BERT-base", paper=_TPUS),
    # an eighth of the batch: what fits a small card is a part of it anyway
    Scenario("cmlm", "BERT-base", changes={"batch_size": 256}, small=True),
    Scenario("cmlm", "BERT-base", "ragged", paper=_TPUS),
    Scenario("cmlm", "BERT-base", precision="float16", changes={"optimiser": "adamw"}),
    Scenario("cmlm", "BERT-large"),
    # the first stages of S2 and S3; S1, and the second stage of S3; the second stage of S2
    Scenario("cmlm-s3-cmlm", "multilingual base"),
    Scenario("cmlm-s1", "multilingual base"),
    Scenario("cmlm-s2-br", "multilingual base"),
    Scenario("cmlm-s3-nli", "multilingual base", small=True),
    Scenario("cmlm-s3-nli", "multilingual base", "ragged"),
    Scenario("mlm", "BERT-base"),
    Scenario("quickthought", "BERT-base"),
    *(Embedding(model) for model in ("BERT-base", "BERT-large", "XLM-R large")),
)
# in seconds
SHORT: tuple[Scenario | Embedding, ...] = (
    Scenario("mirror-word", "BERT-base", paper=_TWO_2080),
    Scenario("cmlm", "tiny", changes={"batch_size": 8}),
    Embedding("tiny", 500),
)
