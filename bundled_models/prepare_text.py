"""Prepare the training and validation text of one model from public text files.

Writes train/{language}.txt, validation/{language}.txt (a sentence a line) and summary.json.
"""

from collections import Counter
from pathlib import Path

from bundled_models.settings import Preparation, PublicText, parse_settings
from workflow_scripts.command_main import run_command
from workflow_scripts.corpora.text_cleaning import clean_sentences, is_held_out, keys_of
from workflow_scripts.corpora.text_files import TextFiles, paragraphs
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, write_json
from workflow_scripts.path_functions import command


def write_prepared(
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


def prepare_text(
    *,
    root: Path,
    texts: str,
    preparation: str = "{}",
    evaluation_root: Path | None = None,
    evaluation: str = "[]",
    output: Path,
) -> None:
    """Prepare the training and validation text of one model from public text files.

    Args:
        root: folder that holds all texts
        texts: JSON: {id: {language, reader, files, ...}}
        preparation: JSON: minimum_letters, held_out, ...
        evaluation_root: data root; its sentences are kept out of the text
        evaluation: JSON: [{reader, files, columns}, ...]
        output: folder to write
    """
    public = parse_settings(dict[str, PublicText], texts, "--texts")
    kept_out = parse_settings(list[TextFiles], evaluation, "--evaluation")
    settings = parse_settings(Preparation, preparation, "--preparation")
    excluded = keys_of(paragraphs(evaluation_root, kept_out)) if evaluation_root else set()
    write_prepared(root, public, settings, excluded, output)


main = command(prepare_text)

if __name__ == "__main__":
    run_command(main)
