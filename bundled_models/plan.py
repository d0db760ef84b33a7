"""What the rules get from the config: files, and each model's blocks as canonical JSON."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bundled_models.settings import BundledConfig, BundledModel
from workflow_scripts.canonical import canonical
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.layers import Layers, read_layers
from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.corpora.text_files import TextFiles
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.plan.stopping import mistakes_end_the_run

DEFAULT = Path(__file__).with_name("config.yaml")


class BundledPlan:
    """A checked config, and what each rule gets of it.

    Raises `UserError` for a mistake in the config, naming file or key and the remedy.
    """

    def __init__(self, layers: Layers) -> None:
        self.config = read_block(BundledConfig, layers.config, file=layers.file_of)
        self._written = layers.config
        # the folder that the main workflow has: one run at a time in a folder of results
        self.records = Path(self.config.results) / ".workflow"
        self.hashes = ContentHashes(self.records / "hashes.jsonl")

    def names(self) -> list[str]:
        return sorted(self.config.models)

    @property
    def gpus(self) -> int:
        """GPUs that a training requests."""
        return 0 if self.config.device == "cpu" else 1

    def settings(self, model: str) -> BundledModel:
        models, texts = self.config.models, self.config.texts
        if model not in models:
            where = f"config: `models.{model}`"
            raise UserError(where, "no such model", nearest_name(model, models))
        for text in models[model].texts:
            if text not in texts:
                where = f"config: `models.{model}.texts`"
                raise UserError(where, f"no text `{text}` in texts", nearest_name(text, texts))
        return models[model]

    def block(self, model: str, key: str) -> str:
        """Return the part of a model's block called `key` as canonical JSON, `{}` if left out."""
        self.settings(model)
        return canonical(self._written["models"][model].get(key, {}))

    def examples(self, model: str) -> str:
        return canonical(self.settings(model).examples)

    def texts(self, model: str) -> str:
        chosen = self.settings(model).texts
        return canonical({text: self._written["texts"][text] for text in chosen})

    def evaluation(self) -> str:
        return canonical(self._written["evaluation"])

    def text_root(self) -> str:
        if not (root := self.config.text_root):
            raise UserError(
                "config",
                "the models need their texts",
                "add --config text_root=DIR, the folder that holds the files of "
                "bundled_models/config.yaml",
            )
        return root

    def evaluation_root(self) -> str:
        """Return the data root whose sentences are kept out; by default the folder of the texts."""
        return self.config.evaluation_root or self.text_root()

    def text_files(self, model: str) -> list[str]:
        texts = [self.config.texts[text] for text in self.settings(model).texts]
        return _files_of(texts, self.text_root())

    def evaluation_files(self) -> list[str]:
        return _files_of(self.config.evaluation, self.evaluation_root())


def make_plan(files: Iterable[str | Path], said: Mapping[str, Any]) -> BundledPlan:
    """Return the plan of config files and of what --config said; a mistake ends the run.

    The files override bundled_models/config.yaml.
    """
    with mistakes_end_the_run():
        return BundledPlan(read_layers(files, said, DEFAULT))


def _files_of(texts: Iterable[TextFiles], root: str) -> list[str]:
    return sorted({str(path) for text in texts for path in text.paths(Path(root))})
