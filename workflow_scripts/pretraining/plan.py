"""What the rules of pretraining ask of config: files, and each model's blocks as canonical JSON."""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.corpora.text_files import TextFiles
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.pretraining.settings import Pretrained, Pretraining


class PretrainingPlan:
    """The `pretraining` block of config; nothing is checked before a rule asks for it."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._written = config["pretraining"]

    @cached_property
    def _block(self) -> Pretraining:
        return read_block(Pretraining, self._written, "pretraining")

    def names(self) -> list[str]:
        return sorted(self._written.get("pretrained", ()))

    def settings(self, pretrained: str) -> Pretrained:
        models, texts = self._block.pretrained, self._block.texts
        where = f"config: `pretraining.pretrained.{pretrained}"
        if pretrained not in models:
            raise UserError(f"{where}`: no such model; {nearest_name(pretrained, models)}")
        for text in models[pretrained].texts:
            if text not in texts:
                raise UserError(
                    f"{where}.texts`: no text `{text}` in pretraining.texts; "
                    f"{nearest_name(text, texts)}"
                )
        return models[pretrained]

    def block(self, pretrained: str, key: str) -> str:
        """Return the part of a model's block called `key` as canonical JSON, `{}` if left out."""
        self.settings(pretrained)
        return canonical(self._written["pretrained"][pretrained].get(key, {}))

    def examples(self, pretrained: str) -> str:
        return canonical(self.settings(pretrained).examples)

    def texts(self, pretrained: str) -> str:
        chosen = self.settings(pretrained).texts
        return canonical({text: self._written["texts"][text] for text in chosen})

    def evaluation(self) -> str:
        return canonical(self._written["evaluation"])

    def text_root(self) -> str:
        if not (root := self._config.get("pretraining_text")):
            raise UserError(
                "pretraining needs its texts: add --config pretraining_text=DIR, the folder that "
                "holds the files of config/pretraining.yaml"
            )
        return str(root)

    def evaluation_root(self) -> str:
        """Return the data root whose sentences are kept out; by default the folder of the texts."""
        return str(self._config.get("pretraining_evaluation") or self.text_root())

    def text_files(self, pretrained: str) -> list[str]:
        texts = [self._block.texts[text] for text in self.settings(pretrained).texts]
        return _files_of(texts, self.text_root())

    def evaluation_files(self) -> list[str]:
        return _files_of(self._block.evaluation, self.evaluation_root())


def _files_of(texts: Iterable[TextFiles], root: str) -> list[str]:
    return sorted({str(path) for text in texts for path in text.paths(Path(root))})
