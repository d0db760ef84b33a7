"""What the rules of pretraining ask of config: files, and each model's blocks as canonical JSON."""

from pathlib import Path
from typing import Any

from workflow_scripts.dag.canonical import canonical
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.pretraining.settings import Pretrained, read_settings

_TEXT_ROOT = "pretraining_text"
_EVALUATION_ROOT = "pretraining_evaluation"


class PretrainingPlan:
    """The `pretraining` block of config; nothing is checked before a rule asks for it.

    Every method is a function of config (and of which files exist), so that a rule's params come
    from `wildcards` alone. All raise `UserError` for a mistake in config, naming the key.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._block = config["pretraining"]

    def names(self) -> list[str]:
        """Return the ids of the models that can be pretrained, sorted."""
        return sorted(self._block["pretrained"])

    def settings(self, pretrained: str) -> Pretrained:
        """Return the checked settings of a model."""
        models = self._block["pretrained"]
        where = f"pretraining.pretrained.{pretrained}"
        if pretrained not in models:
            raise UserError(f"{where}: no such model; {nearest_name(pretrained, models)}")
        settings = read_settings(Pretrained, models[pretrained], where)
        for text in settings.texts:
            if text not in self._block["texts"]:
                hint = nearest_name(text, self._block["texts"])
                raise UserError(f"{where}.texts: no text `{text}` in pretraining.texts; {hint}")
        return settings

    def block(self, pretrained: str, key: str) -> str:
        """Return the part of a model's block called `key` as canonical JSON, `{}` if left out."""
        self.settings(pretrained)
        return canonical(self._block["pretrained"][pretrained].get(key, {}))

    def examples(self, pretrained: str) -> str:
        """Return the texts with masks for a model's card as canonical JSON."""
        return canonical(self.settings(pretrained).examples)

    def texts(self, pretrained: str) -> str:
        """Return the blocks of a model's texts as canonical JSON, {text: block}."""
        chosen = self.settings(pretrained).texts
        return canonical({text: self._block["texts"][text] for text in chosen})

    def evaluation(self) -> str:
        """Return the list of evaluation files as canonical JSON."""
        return canonical(self._block["evaluation"])

    def text_root(self) -> str:
        """Return the folder that holds all texts, given with --config."""
        if not self._config.get(_TEXT_ROOT):
            raise UserError(
                f"pretraining needs its texts: add --config {_TEXT_ROOT}=DIR, the folder that "
                "holds the files of config/pretraining.yaml"
            )
        return str(self._config[_TEXT_ROOT])

    def evaluation_root(self) -> str:
        """Return the data root whose sentences are kept out; by default the folder of the texts."""
        return str(self._config.get(_EVALUATION_ROOT) or self.text_root())

    def text_files(self, pretrained: str) -> list[str]:
        """Return the files of a model's texts, sorted."""
        texts = (self._block["texts"][text] for text in self.settings(pretrained).texts)
        return _matching(self.text_root(), [p for text in texts for p in text["files"]])

    def evaluation_files(self) -> list[str]:
        """Return the evaluation files, sorted."""
        patterns = [p for entry in self._block["evaluation"] for p in entry["files"]]
        return _matching(self.evaluation_root(), patterns)


def _matching(root: str, patterns: list[str]) -> list[str]:
    found: set[str] = set()
    for pattern in patterns:
        matches = {str(path) for path in Path(root).glob(pattern)}
        if not matches:
            raise UserError(
                f"{root}: no file matches {pattern!r} of config/pretraining.yaml; "
                "check the folder given with --config"
            )
        found |= matches
    return sorted(found)
