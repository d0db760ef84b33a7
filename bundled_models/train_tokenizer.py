"""Train the tokenizer of one model on its prepared text; writes a folder AutoTokenizer loads."""

import argparse
import random
from pathlib import Path

from bundled_models.encoded_text import read_prepared
from bundled_models.settings import TokenizerSettings, parse_settings
from workflow_scripts.corpora.drawing import quotas_of, shares_of
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_directory


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


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True, help="folder made by prepare_text")
    parser.add_argument("--settings", required=True, help="JSON: kind, size, lower_case, ...")
    parser.add_argument("--language-exponent", type=float, default=1.0)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    arguments = parser.parse_args(argv)
    settings = parse_settings(TokenizerSettings, arguments.settings, "--settings")
    text = read_prepared(arguments.text, "train")
    lines = sample_lines(text, arguments.language_exponent, settings.maximum_lines, arguments.seed)
    # Only now: transformers takes seconds, which bad arguments should not wait for.
    from bundled_models.tokenizers_of_families import save_tokenizer, train

    tokenizer = train(lines, settings)
    if len(tokenizer) > settings.size:
        raise UserError(
            "--settings",
            f"size {settings.size} is too small for the characters of the text ({len(tokenizer)} "
            "pieces)",
            "raise size or lower alphabet",
        )
    with atomic_directory(arguments.output) as folder:
        save_tokenizer(tokenizer, folder)


if __name__ == "__main__":
    run_command(main)
