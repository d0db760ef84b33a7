"""Train the tokenizer of one model on its prepared text; writes a folder AutoTokenizer loads."""

import random
from pathlib import Path

from bundled_models.encoded_text import read_prepared
from bundled_models.settings import TokenizerSettings, parse_settings
from workflow_scripts.command_main import run_command
from workflow_scripts.corpora.drawing import quotas_of, shares_of
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory
from workflow_scripts.path_functions import command


def sample_lines(text: dict[str, list[str]], exponent: float, most: int, seed: int) -> list[str]:
    """Return at most `most` lines, languages by smoothed shares of their characters."""
    characters = {language: sum(map(len, lines)) for language, lines in text.items()}
    total = min(most, sum(map(len, text.values())))
    quotas = quotas_of(shares_of(characters, exponent), total)
    generator = random.Random(seed)
    sample: list[str] = []
    for language, quota in quotas.items():
        # A language with fewer lines than its quota gives all of them once.
        lines = text[language]
        sample.extend(lines if quota >= len(lines) else generator.sample(lines, quota))
    return sample


def train_tokenizer(
    *, text: Path, settings: str, language_exponent: float = 1.0, seed: int, output: Path
) -> None:
    """Train the tokenizer of one model on its prepared text; writes a folder AutoTokenizer loads.

    Args:
        text: folder made by prepare_text
        settings: JSON: kind, size, lower_case, ...
        language_exponent: exponent of the languages' shares
        seed: seed of the lines
        output: folder to write
    """
    chosen = parse_settings(TokenizerSettings, settings, "--settings")
    prepared = read_prepared(text, "train")
    lines = sample_lines(prepared, language_exponent, chosen.maximum_lines, seed)
    # Only now: transformers takes seconds, which bad arguments should not wait for.
    from bundled_models.tokenizers_of_families import save_tokenizer, train

    tokenizer = train(lines, chosen)
    if len(tokenizer) > chosen.size:
        raise UserError(
            "--settings",
            f"size {chosen.size} is too small for the characters of the text ({len(tokenizer)} "
            "pieces)",
            "raise size or lower alphabet",
        )
    with atomic_directory(output) as folder:
        save_tokenizer(tokenizer, folder)


main = command(train_tokenizer)

if __name__ == "__main__":
    run_command(main)
