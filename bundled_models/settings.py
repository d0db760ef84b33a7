"""The typed config: texts, models and the settings of their steps."""

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, RootModel, model_validator

from workflow_scripts.configuration.blocks import (
    Block,
    Count,
    Id,
    NotNegative,
    Positive,
    Rate,
    ResultsPath,
    RulePath,
    WholeNumber,
    mistake,
    read_block,
)
from workflow_scripts.corpora.text_files import TextFiles
from workflow_scripts.errors import UserError

MASK_IN_EXAMPLES = "{mask}"


class PublicText(TextFiles):
    """One public text."""

    language: str = Field(description="code of its language")
    name: str = Field(description="name by which the public knows it, for the model's card")
    licence: str = Field(description="licence, for the model's card")


class Preparation(Block):
    """Which sentences are kept, and which are held out."""

    minimum_letters: Count = Field(12, description="shorter sentences are dropped")
    held_out: WholeNumber = Field(500, description="one sentence in so many is held out")


class TokenizerSettings(Block):
    """The pieces of a model; the choices of characters are of word pieces only."""

    kind: Literal["wordpiece", "byte-pairs"] = Field(description="as in BERT, or as in RoBERTa")
    size: WholeNumber = Field(description="number of pieces, special tokens among them")
    lower_case: bool = Field(True, description="text is lower-cased")
    strip_accents: bool = Field(False, description="accents are removed")
    alphabet: WholeNumber = Field(1000, description="characters that get a piece of their own")
    maximum_lines: WholeNumber = Field(400_000, description="lines that pieces are learnt from")
    maximum_length: WholeNumber = Field(128, description="tokens that a text is cut to")


class WordVectorSettings(Block):
    """Counts of neighbouring pieces, as the start of the embedding matrix."""

    window: WholeNumber = Field(8, description="neighbours are up to so many pieces away")
    smoothing: NotNegative = Field(0.75, description="exponent of the context distribution")
    shared: Count = Field(20, description="times that two languages hold a piece to be aligned by")
    deviation: Positive = Field(0.05, description="standard deviation of the scaled matrix")


class Architecture(Block):
    """The layers of a model."""

    family: Literal["bert", "roberta"] = Field(description="architecture of transformers")
    layers: WholeNumber = Field(3, description="number of layers")
    units: WholeNumber = Field(192, description="width of the hidden states")
    heads: WholeNumber = Field(3, description="attention heads, a divisor of `units`")
    feed_forward: WholeNumber = Field(768, description="width inside the feed-forward blocks")
    # The models see so little text that they are trained without.
    dropout: Rate = Field(0.1, description="of the saved config only, for a later tuning")

    @model_validator(mode="after")
    def _units_of_heads(self) -> Self:
        if self.units % self.heads:
            raise mistake(f"units {self.units} is no multiple of heads {self.heads}; change one")
        return self


class Stage(Block):
    """A part of the training with sequences of one length."""

    until: Positive = Field(description="share of the budget at which the stage ends")
    length: Annotated[int, Field(ge=3)] = Field(description="tokens of a sequence, at most")
    pack: bool = Field(False, description="consecutive sentences share a sequence")


_STAGES = [Stage(until=0.9, length=48), Stage(until=1.0, length=96, pack=True)]


class Training(Block):
    """Masked language modelling under a budget of time or of steps."""

    minutes: Positive | None = Field(None, description="budget of wall clock")
    steps: WholeNumber | None = Field(None, description="budget of steps, instead of minutes")
    stages: list[Stage] = Field(_STAGES, min_length=1, description="lengths of sequences, in turn")
    tokens_per_batch: WholeNumber = Field(4608, description="tokens of a batch, padding included")
    sequences_per_block: WholeNumber = Field(16_384, description="sequences sorted by length")
    masked: Rate = Field(0.2, description="share of the pieces that are masked")
    learning_rate: Positive = Field(1.5e-3, description="peak learning rate")
    embedding_rate: NotNegative = Field(1.0, description="share of it for word vectors; 0: kept")
    warm_up: Rate = Field(0.03, description="share of the budget in which the rate rises")
    weight_decay: NotNegative = Field(0.01, description="decay of AdamW, not of biases and norms")
    clip_norm: Positive = Field(1.0, description="gradients are clipped to this norm")
    log_every: WholeNumber = Field(100, description="steps between two lines of the log")
    checkpoint_minutes: NotNegative = Field(3.0, description="minutes between two checkpoints")

    @model_validator(mode="after")
    def _one_budget(self) -> Self:
        if (self.minutes is None) == (self.steps is None):
            raise mistake("give either minutes or steps")
        return self


def _one_mask(text: str) -> str:
    if text.count(MASK_IN_EXAMPLES) != 1:
        raise mistake("write the mask into it exactly once")
    return text


Examples = list[Annotated[str, AfterValidator(_one_mask)]]


class BundledModel(Block):
    """One model to pretrain."""

    texts: list[str] = Field(description="ids of its texts")
    seed: int = Field(description="seed of all its steps")
    tokenizer: TokenizerSettings = Field(description="its pieces")
    architecture: Architecture = Field(description="its layers")
    training: Training = Field(description="how it is trained")
    word_vectors: WordVectorSettings = Field(WordVectorSettings(), description="their start")
    preparation: Preparation = Field(Preparation(), description="which sentences it sees")
    language_exponent: NotNegative = Field(1.0, description="languages share as tokens ** exponent")
    examples: Examples = Field([], description="texts with one {mask} each, for the model's card")


class BundledConfig(Block):
    """What the bundled models are pretrained from, and how."""

    results: ResultsPath = Field("results", description="folder of everything that a run makes")
    device: Literal["cpu", "cuda", "auto"] = Field(
        description="where training runs; auto: cuda where there is one"
    )
    text_root: RulePath | None = Field(None, description="folder of `texts`, given with --config")
    evaluation_root: RulePath | None = Field(
        None, description="folder of `evaluation`; by default that of the texts"
    )
    texts: dict[Id, PublicText] = Field(description="the public texts, by id")
    evaluation: list[TextFiles] = Field(description="files whose sentences are kept out")
    models: dict[Id, BundledModel] = Field(description="the models, by id")


def parse_settings(kind: Any, text: str, option: str) -> Any:
    """Return the JSON of a command-line option as `kind`, a block or a type of blocks."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(option, f"not valid JSON ({error.msg})", "quote the argument") from error
    return read_block(RootModel[kind], content, file=option).root
