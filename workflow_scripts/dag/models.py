"""The models of a config: what an id stands for, its files, and what the tables call it."""

from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, nearest_name

# what a folder must hold to be a model; the tokenizer has several forms, any one of which will do
WEIGHTS = "model.safetensors"
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
)


class Models:
    """The block `models` of a config.

    A model is a folder (`path`), a model of the hub (`hub`, `revision`), a file of static word
    vectors below the data root (`vectors`), another name of a model (`same_as`), or `absent`, with
    the reason why this config has none.
    """

    def __init__(self, blocks: dict[str, dict[str, Any]], root: Path) -> None:
        self._blocks = blocks
        self._root = root
        for model, block in blocks.items():
            other = block.get("same_as")
            if other is not None and "same_as" in self._block(other, f"models.{model}.same_as"):
                raise UserError(
                    f"config: `models.{model}.same_as` is `{other}`, itself another name; "
                    "name the model that it stands for"
                )

    def _block(self, model: str, where: str) -> dict[str, Any]:
        if model not in self._blocks:
            raise UserError(
                f"config: `{where}` is `{model}`, which is not in `models`; "
                f"{nearest_name(model, self._blocks)}"
            )
        return self._blocks[model]

    def resolve(self, model: str, where: str) -> str:
        """Return the id behind another name; `UserError` naming the key `where` for an unknown."""
        return self._block(model, where).get("same_as", model)

    def absent(self, model: str) -> str | None:
        """Return why this config has no such model; None where it has one."""
        return self._blocks[model].get("absent")

    def is_static(self, model: str) -> bool:
        """Return whether a model is a file of static word vectors."""
        return "vectors" in self._blocks[model]

    def is_paper(self, model: str) -> bool:
        """Return whether a model is the one that the paper used."""
        return self._blocks[model].get("paper", False)

    @property
    def static(self) -> list[str]:
        """Ids of the static models."""
        return [model for model in self._blocks if self.is_static(model)]

    def vectors(self, model: str) -> str:
        """Return the file of a static model, below the data root."""
        return str(self._root / self._blocks[model]["vectors"])

    def out_of_vocabulary(self, model: str) -> str:
        """Return what a static model does with words that it lacks."""
        return self._blocks[model].get("oov", "mean")

    def files(self, model: str) -> list[str]:
        """Return the files of a local model that a step depends on; none for one of the hub."""
        path = self._blocks[model].get("path")
        if path is None:
            return []
        names = ("config.json", WEIGHTS, *TOKENIZER_FILES)
        return [f"{path}/{name}" for name in names if (Path(path) / name).is_file()]

    def location(self, model: str) -> str:
        """Return the folder of a model, or its hub id with the pinned revision (id@revision)."""
        block = self._blocks[model]
        return block.get("path") or f"{block['hub']}@{block['revision']}"

    def require_files(self, model: str) -> None:
        """Raise `UserError` if the folder of a local model lacks its config or weights."""
        path = self._blocks[model].get("path")
        if path is None:
            return
        for file in ("config.json", WEIGHTS):
            if not (Path(path) / file).is_file():
                raise UserError(
                    f"config: `models.{model}.path`: {path} has no {file}; "
                    "give the folder of a model saved with save_pretrained (safetensors)"
                )

    def note(self, model: str) -> str:
        """Return what tables call a model; no paths of the machine, a file by its last name."""
        block = self._blocks[model]
        if "label" in block:
            return block["label"]
        local = block.get("path") or block.get("vectors")
        return Path(local).name if local else self.location(model)

    def listing(self, published: dict[str, str]) -> list[dict[str, Any]]:
        """Return {id, label, location, published, paper} of models.

        First those that `published` has, in its order, with what the paper printed of each, then
        the others of this config that are no second names.
        """
        others = [m for m, block in self._blocks.items() if "same_as" not in block]
        rows = []
        for model in dict.fromkeys([*published, *others]):
            block = self._blocks.get(model, {"absent": "this config has none"})
            if "absent" in block:
                location = f"none: {block['absent']}"
            elif "hub" in block or "same_as" in block:
                location = block.get("same_as") or self.location(model)
            else:
                location = Path(block.get("path") or block["vectors"]).name
            row = {"id": model, "label": block.get("label", model), "location": location}
            row["paper"] = block.get("paper", False)
            if model in published:
                row["published"] = published[model]
            rows.append(row)
        return rows
