"""Prepare the training and validation text of one model from public text files.

Writes train/{language}.txt, validation/{language}.txt (a sentence a line) and summary.json.
"""

import argparse
from collections import Counter
from pathlib import Path

from bundled_models.settings import Preparation, PublicText, parse_settings
from workflow_scripts.corpora.text_cleaning import clean_sentences, is_held_out, keys_of
from workflow_scripts.corpora.text_files import TextFiles, paragraphs
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_directory, write_json


def prepare_text(
    root: Path,
    texts: dict[str, PublicText],
    preparation: Preparation,
    excluded: set[str],
    output: Path,
) -> None:
    seen: set[bytes] = set()
    summaries: dict[str, dict[str, object]] = {}
    with atomic_directory(output) as folder:
        for part in ("train", "validation"):
            (folder / part).mkdir()
        for identifier, text in sorted(texts.items()):
            dropped: Counter[str] = Counter()
            counts: Counter[str] = Counter()
            sentences = clean_sentences(
                *(paragraphs(root, [text]), seen, excluded, preparation.minimum_letters, dropped)
            )
            name = f"{text.language}.txt"
            with (
                open(folder / "train" / name, "a", encoding="utf-8", newline="") as train,
                open(folder / "validation" / name, "a", encoding="utf-8", newline="") as held_out,
            ):
                for sentence, key in filter(None, sentences):
                    if is_held_out(key, preparation.held_out):
                        counts["validation"] += 1
                        held_out.write(sentence + "\n")
                    else:
                        counts["sentences"] += 1
                        counts["characters"] += len(sentence)
                        train.write(sentence + "\n")
            files = len(text.paths(root))
            if not counts["sentences"]:
                raise UserError(
                    f"texts.{identifier}",
                    f"no sentence was left of {files} files ({dict(dropped)})",
                    "check its reader",
                )
            summaries[identifier] = {
                **{key: getattr(text, key) for key in ("name", "licence", "language")},
                **{key: counts[key] for key in ("sentences", "validation", "characters")},
                "files": files,
                "dropped": dropped,
            }
        summary = {"texts": summaries, "evaluation_sentences": len(excluded)}
        write_json(folder / "summary.json", summary)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that holds all texts")
    parser.add_argument("--texts", required=True, help="JSON: {id: {language, reader, files, ...}}")
    parser.add_argument("--preparation", default="{}", help="JSON: minimum_letters, held_out, ...")
    kept_out = "data root; its sentences are kept out of the text"
    parser.add_argument("--evaluation-root", type=Path, help=kept_out)
    parser.add_argument("--evaluation", default="[]", help="JSON: [{reader, files, columns}, ...]")
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    arguments = parser.parse_args(argv)
    texts = parse_settings(dict[str, PublicText], arguments.texts, "--texts")
    evaluation = parse_settings(list[TextFiles], arguments.evaluation, "--evaluation")
    preparation = parse_settings(Preparation, arguments.preparation, "--preparation")
    root = arguments.evaluation_root
    excluded = keys_of(paragraphs(root, evaluation)) if root else set()
    prepare_text(arguments.root, texts, preparation, excluded, arguments.output)


if __name__ == "__main__":
    run_command(main)
