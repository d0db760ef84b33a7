"""Recipes: blocks of config/recipes.yaml, typed; without torch.

The `method` says which keys one has: those here, and those of `Choices` in methods/<method>.py.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, create_model, field_validator, model_validator

from workflow_scripts import plugins
from workflow_scripts.configuration.blocks import (
    Block,
    Id,
    NotNegative,
    Positive,
    Rate,
    Text,
    WholeNumber,
    mistake,
    read_block,
)
from workflow_scripts.embedding.settings import (
    POOLINGS,
    RECIPE_KEYS,
    RECORDED,
    ROLES,
    SHORTEST_MAX_LENGTH,
    EncoderSettings,
)
from workflow_scripts.errors import ConfigError, UserError, nearest_name

# Where methods are, by their names: keys, corpus and, in a function that imports torch, what is
# trained.
METHODS = "tuning.methods"
# what messages call the settings by which strings are tuned on: the keys of a recipe
TRAINING_KEYS = {"max_length": "max_length"}
# type checkers read no Literal that is computed
if TYPE_CHECKING:
    Pooling = str
    Role = str
else:
    Pooling = Literal[tuple(POOLINGS)]
    Role = Literal[tuple(ROLES)]
Length = Annotated[int, Field(ge=SHORTEST_MAX_LENGTH)]


class Start(Block):
    """The encoder that a tuning begins from: of the same model and seed."""

    recipe: Id = Field(description="recipe of that encoder, one that tunes")
    corpus: Id = Field(description="corpus of that encoder")


class Development(Block):
    """A data set that the model is scored on during tuning; the weights of its best score stay."""

    dataset: Text = Field(description="data set, of a task that has a single score")
    every: WholeNumber = Field(description="steps between two scores; the last step is also scored")
    patience: WholeNumber | None = Field(
        default=None, description="stop after this many scores in a row without an improvement"
    )


class DropoutRates(Block):
    """Rates of the places where BERT drops out; null keeps the model's own."""

    embeddings: Rate | None = Field(default=None, description="after the embeddings")
    attention: Rate | None = Field(default=None, description="of the attention weights")
    attention_output: Rate | None = Field(default=None, description="after the attention")
    feed_forward: Rate | None = Field(default=None, description="after the feed-forward layer")


class Recipe(Block):
    """What every recipe says."""

    # whether the method makes an encoder, or takes the model unchanged
    tunes: ClassVar[bool] = False
    # whether a classifier is trained alongside the model, to label the test texts
    classifies: ClassVar[bool] = False

    method: Text = Field(description="how weights are trained; none: the model unchanged")
    pooling: Pooling = Field(description="; ".join(map(": ".join, POOLINGS.items())))
    embed_max_length: Length = Field(
        description=(
            "strings are cut to this many tokens when they are embedded, special tokens included"
        )
    )
    prompts: dict[Role, Text] = Field(
        default={},
        description="text to put before strings, by their role; "
        + "; ".join(map(": ".join, ROLES.items())),
    )
    start: Start | None = Field(
        default=None,
        description=(
            "encoder to start from instead of the model itself; with method none, it is read "
            "with another pooling or length"
        ),
    )
    development: Development | None = Field(
        default=None, description="data set that the model is scored on during tuning"
    )

    @field_validator(*RECIPE_KEYS.values(), check_fields=False)
    @classmethod
    def _is_a_setting(cls, value: Any, info: ValidationInfo) -> Any:
        """While the config is read, refuse a setting that no encoder can take."""
        name = next(name for name, key in RECIPE_KEYS.items() if key == info.field_name)
        given = {"pooling": info.data.get("pooling", "mean"), name: value}
        if given["pooling"] == RECORDED:
            # the model says which pooling that is, once it is loaded
            given["pooling"] = "mean"
        try:
            EncoderSettings(**given).check()
        except UserError as error:
            raise mistake(f"{error.problem}; {error.remedy}") from error
        return value

    @property
    def settings(self) -> EncoderSettings:
        """The settings of its encoders; those that it has no key for have their default."""
        keys = {name: key for name, key in RECIPE_KEYS.items() if key in type(self).model_fields}
        return EncoderSettings(**{name: getattr(self, key) for name, key in keys.items()})

    def corpora(self) -> dict[str, str]:
        """Return the corpora that it takes in addition to its encoder's, {key: id} in order."""
        return {}


class TuningRecipe(Recipe):
    """What recipes of all methods that tune say: what `tuning.loop` does."""

    tunes: ClassVar[bool] = True

    optimiser: Literal["adamw", "lamb"] = Field(
        default="adamw",
        description="lamb (You et al. 2020) has no decay and no trust ratio for biases and norms",
    )
    learning_rate: Positive = Field(default=2e-5, description="of the optimiser")
    weight_decay: NotNegative = Field(default=0.01, description="of the optimiser")
    schedule: Literal["constant", "linear", "cosine"] = Field(
        default="constant",
        description="schedule of the learning rate: linear and cosine go down to 0",
    )
    warmup: Rate = Field(
        default=0.0, description="share of the steps in which the learning rate rises from 0"
    )
    max_gradient_norm: Positive | None = Field(
        default=None, description="norm to clip gradients to"
    )
    precision: Literal["auto", "float32", "bfloat16", "float16"] = Field(
        default="auto",
        description="precision of the forward passes; auto: mixed on a GPU, float32 elsewhere",
    )

    @property
    def training_settings(self) -> EncoderSettings:
        """The settings by which strings are tuned on: the encoder's, with the length of tuning."""
        length = getattr(self, "max_length", self.embed_max_length)
        return replace(self.settings, max_length=length)

    @field_validator("pooling")
    @classmethod
    def _of_other_loaders(cls, value: str) -> str:
        if value == "projected":
            raise mistake("it reads an encoder: use it in a recipe of method none with a `start`")
        return value


class TextRecipe(TuningRecipe):
    """What recipes of methods say that train on running text or on pairs, by epochs or steps."""

    max_length: Length = Field(description="most tokens of a sequence, special tokens included")
    # with a single pair there are no negatives
    batch_size: Annotated[int, Field(ge=2)] = Field(
        description=(
            "sequences, or pairs of them, per step; slices of it are sized to fit the memory"
        )
    )
    steps: WholeNumber | None = Field(default=None, description="steps, instead of epochs")
    epochs: WholeNumber | None = Field(default=None, description="passes over the corpus")
    dropout: Rate | DropoutRates | None = Field(
        default=None,
        description="one rate for all places, rates by place, or null: the model's own",
    )

    @model_validator(mode="after")
    def _one_budget(self) -> Self:
        # a default of epochs gives way to steps
        asked = self.epochs is not None and "epochs" in self.model_fields_set
        if asked if self.steps is not None else self.epochs is None:
            raise mistake("give either steps or epochs")
        return self

    def number_of_steps(self, count: int) -> int:
        """Return the steps of a corpus of `count` sequences or pairs."""
        return self.steps or (self.epochs or 0) * (count // self.batch_size)


class RunningTextRecipe(TextRecipe):
    """What recipes of methods say that train on running text."""

    @field_validator("prompts")
    @classmethod
    def _of_strings(cls, value: dict[str, str]) -> dict[str, str]:
        if value:
            raise mistake("running text has no prompts: give them in a recipe of method none")
        return value


class MaskingRecipe(RunningTextRecipe):
    """What recipes of methods say that mask running text."""

    inputs: Literal["sentence", "packed"] = Field(
        default="sentence",
        description=(
            "a sequence is one sentence, or as many consecutive sentences as fit into `max_length`"
        ),
    )
    masked_share: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.15, description="share of a sequence's tokens that are masked, 80/10/10 as BERT's"
    )
    masked_count: WholeNumber | None = Field(
        default=None, description="number of masked tokens per sequence, instead of a share"
    )


class Similarity(Block):
    """What a softmax over the strings of a batch is taken of; the papers' are inner products.

    A pretrained model's are large and much alike, so the defaults are others.
    """

    normalize: bool = Field(
        default=True, description="true: cosines; false: inner products, as in the paper"
    )
    logit_scale: Positive = Field(
        default=20.0, description="factor of similarities (and margin); 1: none, as in the paper"
    )


class Retrieval(Similarity):
    """The loss of bitext retrieval (CMLM, section 4.2): additive margin softmax, both ways."""

    margin: NotNegative = Field(
        default=0.3, description="subtracted from the similarity of translations"
    )


def tuning_recipe_of(name: str, block: Any) -> TuningRecipe:
    """Return a block as `Choices` of its method; `UserError` names `recipes.<name>.<key>`.

    A recipe that tunes nothing is an error too.
    """
    where = f"recipes.{name}"
    if not isinstance(block, Mapping) or not isinstance(block.get("method"), str):
        # before the method says which other keys there are
        read_block(create_model("_OfAnyMethod", method=(Text, ...)), block, where)
    try:
        module = plugins.load(METHODS, block["method"])
    except ModuleNotFoundError as error:
        fault = f"is {block['method']!r}, which is not a method"
        raise ConfigError("config", f"{where}.method", fault, "check its spelling") from error
    recipe = read_block(module.Choices, block, where)
    if not isinstance(recipe, TuningRecipe):
        fault = f"is {recipe.method!r}, which tunes nothing"
        remedy = "embed the model itself, or choose a recipe that tunes"
        raise ConfigError("config", f"{where}.method", fault, remedy)
    return recipe


def method_module(method: str) -> str:
    """Return the module that is loaded by the name of a method, as `sources` takes it."""
    return plugins.module_of(METHODS, method)


def resolve_likes(blocks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recipes with `like: other` replaced by the keys of the other, their own on top.

    A key is replaced as a whole, nested blocks included. Raises `UserError` for an unknown name and
    for recipes that are like each other in a circle.
    """

    def resolve(name: str, above: tuple[str, ...]) -> Any:
        block, way = blocks[name], (*above, name)
        other = block.get("like") if isinstance(block, Mapping) else None
        if other is None:
            return block
        key = f"recipes.{name}.like"
        if other not in blocks:
            fault, hint = f"is `{other}`, which is not in `recipes`", nearest_name(other, blocks)
            raise ConfigError("config", key, fault, hint)
        if other in way:
            circle = " -> ".join([*way, other])
            raise UserError(f"config: `{key}`", f"circular ({circle})", "break it")
        own = {key: value for key, value in block.items() if key != "like"}
        return {**resolve(other, way), **own}

    return {name: resolve(name, ()) for name in blocks}


def change_recipe(block: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a recipe's block with keys set, {path: value} in order, unchecked."""
    changed = deepcopy(dict(block))
    for path, value in changes.items():
        *parents, key = path.split(".")
        target = changed
        for parent in parents:
            inner = target.get(parent)
            target[parent] = inner if isinstance(inner, dict) else {}
            target = target[parent]
        target[key] = deepcopy(value)
    return changed
