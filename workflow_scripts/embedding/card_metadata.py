"""The front matter of a model card: what the hub reads of an encoder."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.downloads.model_folders import FILE_LIST
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_text

if TYPE_CHECKING:
    from huggingface_hub import ModelCard

# what an encoder has of the model that it was made of
_INHERITED = ("language", "license", "license_name", "license_link")
# what the hub and sentence-transformers call our tasks and metrics; the others have our names
_TASKS = {"similarity": "semantic-similarity", "classification": "text-classification"}
_METRICS = {"spearman": "spearmanr", "pearson": "pearsonr", "auc": "roc_auc"}


def read_card(text: str, where: str | Path) -> "ModelCard":
    """Return a card by its text; `UserError` where the front matter is not what the hub reads."""
    from huggingface_hub import ModelCard

    try:
        return ModelCard(text)
    # malformed YAML surfaces as an error of its parser, a malformed model-index as nearly any
    except Exception as error:
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else "empty"
        remedy = "fix the lines between its first two ---"
        raise UserError(where, f"the front matter is malformed ({reason})", remedy) from error


def inherited_metadata(name: str, folder: Path | None) -> dict[str, Any]:
    """Return `base_model` and what else holds of an encoder made of a model, as far as known.

    `name` is what records call the model: its hub id (id@revision), or the last name of `folder`.
    A folder says more by its card, and by its list of files if it was fetched from the hub.
    """
    metadata: dict[str, Any] = {}
    if folder is not None and (folder / "README.md").is_file():
        try:
            card = read_card(read_text(folder / "README.md"), folder / "README.md")
        except UserError:
            # the card of someone else's model is not a reason to refuse to tune it
            card = None
        if card is not None:
            own = {key: card.data.get(key) for key in ("base_model", *_INHERITED)}
            metadata = {key: value for key, value in own.items() if value is not None}
    if folder is not None and (folder / FILE_LIST).is_file():
        metadata["base_model"] = read_json(folder / FILE_LIST)["repository"]
    elif folder is None or name != folder.resolve().name:
        metadata["base_model"] = name.partition("@")[0]
    return metadata


def write_front_matter(metadata: Mapping[str, Any]) -> str:
    """Return the lines at the top of a card; keys that are None are left out."""
    from huggingface_hub import ModelCardData

    return f"---\n{ModelCardData(**metadata).to_yaml()}\n---\n"


def change_metadata(card: str, changes: Mapping[str, Any], where: str | Path) -> str:
    """Return the text of a card with keys of its front matter set."""
    if not changes:
        return card
    changed = read_card(card, where)
    for key, value in changes.items():
        changed.data[key] = value
    return str(changed)


def add_results(card: str, rows: Iterable[Mapping[str, Any]], tasks: Mapping[str, str]) -> str:
    """Return the text of a card whose `model-index` has scores (dataset, metric, value).

    `tasks` are the tasks of the data sets. Results that it already has are replaced where of the
    same data set and metric, else kept. A card without front matter stays as it is.
    """
    if not card.startswith("---\n"):
        return card
    from huggingface_hub import EvalResult

    changed = read_card(card, "README.md")
    results = {
        (result.dataset_type, result.metric_type): result
        for result in changed.data.eval_results or []
    }
    for row in rows:
        task = tasks.get(row["dataset"], "similarity")
        metric = _METRICS.get(row["metric"], row["metric"])
        results[row["dataset"], metric] = EvalResult(
            task_type=_TASKS.get(task, task),
            dataset_type=row["dataset"],
            dataset_name=row["dataset"],
            metric_type=metric,
            metric_value=round(float(row["value"]), 4),
            metric_name=row["metric"],
        )
    if not results:
        return card
    headings = (line for line in changed.text.splitlines() if line.startswith("# "))
    changed.data.model_name = next(headings, "# encoder").removeprefix("# ")
    changed.data.eval_results = list(results.values())
    return str(changed)
