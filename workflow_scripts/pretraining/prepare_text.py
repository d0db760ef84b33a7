"""Prepare the training and validation text of one model from public text files.

Writes a folder: train/{language}.txt and validation/{language}.txt, one sentence a line in the
order of the texts, and summary.json with names, licences, counts and what was dropped and why.
"""

import argparse
from collections import Counter
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_directory, write_json
from workflow_scripts.pretraining.settings import (
    EvaluationFiles,
    Preparation,
    Text,
    parse_json,
    parse_settings,
    read_settings,
)
from workflow_scripts.pretraining.text_cleaning import (
    clean_sentences,
    comparison_key,
    is_held_out,
)
from workflow_scripts.pretraining.text_readers import read_with


def matching_files(root: Path, patterns: list[str], where: str) -> list[Path]:
    """Return the files under `root` that match any of the glob `patterns`, sorted.

    Raises `UserError` for a pattern that matches no file.
    """
    if not root.is_dir():
        raise UserError(f"{root}: no such folder; give the folder that holds the files of {where}")
    found: set[Path] = set()
    for pattern in patterns:
        matches = [path for path in root.glob(pattern) if path.is_file()]
        if not matches:
            raise UserError(f"{where}: no file matches {pattern!r} in {root}; mend path or config")
        found.update(matches)
    return sorted(found)


def evaluation_keys(root: Path, files: list[EvaluationFiles]) -> set[str]:
    """Return the comparison keys of all sentences in the evaluation files under `root`."""
    keys: set[str] = set()
    for entry in files:
        for path in matching_files(root, entry.files, "evaluation"):
            sentences = read_with(entry.reader, path, tuple(entry.columns))
            keys.update(comparison_key(sentence) for sentence in sentences)
    keys.discard("")
    return keys


def prepare_text(
    root: Path,
    texts: dict[str, Text],
    preparation: Preparation,
    excluded: set[str],
    output: Path,
) -> dict[str, object]:
    """Write the prepared folder `output`, whole or not at all; return its summary."""
    seen: set[bytes] = set()
    summaries: dict[str, dict[str, object]] = {}
    with atomic_directory(output) as folder:
        for part in ("train", "validation"):
            (folder / part).mkdir()
        for identifier, text in sorted(texts.items()):
            paths = matching_files(root, text.files, f"texts.{identifier}")
            dropped: Counter[str] = Counter()
            counts: Counter[str] = Counter()
            train_path = folder / "train" / f"{text.language}.txt"
            validation_path = folder / "validation" / f"{text.language}.txt"
            with (
                open(train_path, "a", encoding="utf-8", newline="") as train,
                open(validation_path, "a", encoding="utf-8", newline="") as validation,
            ):
                for path in paths:
                    paragraphs = read_with(text.reader, path, tuple(text.columns))
                    for sentence, key in clean_sentences(
                        paragraphs, seen, excluded, preparation.minimum_letters, dropped
                    ):
                        if is_held_out(key, preparation.held_out):
                            counts["validation"] += 1
                            validation.write(sentence + "\n")
                        else:
                            counts["sentences"] += 1
                            counts["characters"] += len(sentence)
                            train.write(sentence + "\n")
            if not counts["sentences"]:
                raise UserError(
                    f"texts.{identifier}: no sentence was left of {len(paths)} files "
                    f"({dict(dropped)}); check its reader"
                )
            summaries[identifier] = {
                "name": text.name,
                "licence": text.licence,
                "language": text.language,
                "files": len(paths),
                "dropped": dict(sorted(dropped.items())),
                **{name: counts[name] for name in ("sentences", "validation", "characters")},
            }
        summary = {"texts": summaries, "evaluation_sentences": len(excluded)}
        write_json(folder / "summary.json", summary)
    return summary


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that holds all texts")
    parser.add_argument("--texts", required=True, help="JSON: {id: {language, reader, files, ...}}")
    parser.add_argument("--preparation", default="{}", help="JSON: minimum_letters, held_out, ...")
    parser.add_argument(
        "--evaluation-root", type=Path, help="data root; its sentences are kept out of the text"
    )
    parser.add_argument("--evaluation", default="[]", help="JSON: [{reader, files, columns}, ...]")
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    arguments = parser.parse_args(argv)
    texts = parse_json(arguments.texts, dict, "--texts")
    evaluation = parse_json(arguments.evaluation, list, "--evaluation")
    excluded: set[str] = set()
    if arguments.evaluation_root is not None:
        excluded = evaluation_keys(
            arguments.evaluation_root,
            [read_settings(EvaluationFiles, entry, "evaluation") for entry in evaluation],
        )
    prepare_text(
        arguments.root,
        {key: read_settings(Text, entry, f"texts.{key}") for key, entry in texts.items()},
        parse_settings(Preparation, arguments.preparation, "--preparation"),
        excluded,
        arguments.output,
    )


if __name__ == "__main__":
    run_command(main)
