"""The README.md of a pretrained model: what text, how long, what loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CardFacts:
    """Everything a card tells; losses and entropies are in nats per masked piece.

    `unigram` is the loss that the piece frequencies of the training text reach on the held-out
    text; `losses` holds per language (validation loss, unigram loss, unigram entropy); `curve`
    holds rows of (minutes, tokens, training loss); `fillings` maps an example to its best pieces
    with probabilities. `best_length` is the length in tokens that most of the training had.
    """

    name: str
    family: str
    date: str
    hardware: str
    parameters: int
    layers: int
    units: int
    heads: int
    vocabulary: int
    tokenizer: str
    seed: int
    texts: list[Mapping[str, object]]
    training_tokens: Mapping[str, int]
    excluded: int
    steps: int
    tokens: int
    minutes: float
    recipe: str
    best_length: int
    validation_loss: float
    unigram: float
    entropy: float
    losses: Mapping[str, tuple[float, float, float]]
    curve: list[tuple[float, int, float]] = field(default_factory=list)
    fillings: Mapping[str, list[tuple[str, float]]] = field(default_factory=dict)


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|")


def _table(header: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def write_card(facts: CardFacts) -> str:
    """Return the card as Markdown with the front matter of a model hub."""
    languages = sorted(facts.training_tokens)
    front = "\n".join(
        [
            "---",
            "language:",
            *[f"- {language}" for language in languages],
            "library_name: transformers",
            "pipeline_tag: fill-mask",
            "---",
        ]
    )
    texts = _table(
        ["text", "language", "licence", "sentences", "characters"],
        [
            [text[key] for key in ("name", "language", "licence", "sentences", "characters")]
            for text in facts.texts
        ],
    )
    losses = _table(
        ["language", "tokens of text", "validation loss", "unigram loss", "unigram entropy"],
        [
            [language, facts.training_tokens[language], *(f"{value:.2f}" for value in values)]
            for language, values in sorted(facts.losses.items())
        ]
        + [
            [
                "all",
                sum(facts.training_tokens.values()),
                f"{facts.validation_loss:.2f}",
                f"{facts.unigram:.2f}",
                f"{facts.entropy:.2f}",
            ]
        ],
    )
    curve = _table(
        ["minutes", "tokens seen", "training loss"],
        [[f"{minutes:.1f}", tokens, f"{loss:.2f}"] for minutes, tokens, loss in facts.curve],
    )
    fillings = _table(
        ["text", "best pieces"],
        [
            [f"`{text}`", ", ".join(f"{piece} ({share:.2f})" for piece, share in pieces)]
            for text, pieces in facts.fillings.items()
        ],
    )
    return f"""{front}

# {facts.name}

A very small {facts.family} model, made so that this project can be run and tested offline. It knows
little: use it to see that everything works, not for its scores.

{facts.layers} layers of {facts.units} units, {facts.heads} heads, {facts.parameters / 1e6:.1f} M \
parameters, fp16. Tokenizer: {facts.tokenizer}, {facts.vocabulary} pieces.

## Training

Trained from scratch with the project's pretraining rules: {facts.recipe} \
{facts.steps} steps, {facts.tokens / 1e6:.1f} M tokens seen in {facts.minutes:.0f} minutes on \
{facts.hardware}, seed {facts.seed}, {facts.date}.

{curve}

Made for texts of up to {facts.best_length} tokens: later positions were part of few steps, if any \
(the training loss rises where sequences become longer).

## Loss

Cross-entropy in nats per masked piece on held-out sentences, one a sequence; the unigram loss
is that of the training text's piece frequencies (a language's own in its row), and the unigram
entropy that of the held-out pieces themselves, which is lower where they are few.

{losses}

## Fill-mask

{fillings}

## Text

{texts}

Repeated and very short sentences were dropped. {_exclusion(facts.excluded)}
"""


def _exclusion(excluded: int) -> str:
    if not excluded:
        return "No evaluation sentences were filtered out."
    return (
        f"Sentences equal, in letters and digits, to one of {excluded} evaluation sentences "
        "(STS 2012-2017, STS Benchmark dev and test, SICK, QNLI dev) were dropped too."
    )
