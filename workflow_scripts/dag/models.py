"""The models of a config: what an id stands for, its files, and what the tables call it."""

from pathlib import Path
from typing import Any

from workflow_scripts.downloads.model_folders import HubModel
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
    """The block `models` of a config; `root` is the data root, `fetched` the folder of hub models.

    A model is a folder (`path`), a model of the hub (`hub`, `revision`), a file of static word
    vectors below the data root (`vectors`), another name of a model (`same_as`), or `absent`, with
    the reason why this config has none.
    """

    def __init__(self, blocks: dict[str, dict[str, Any]], root: Path, fetched: Path) -> None:
        self._blocks = blocks
        self._root = root
        self._fetched = fetched
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

    @property
    def of_hub(self) -> list[str]:
        """Ids of the models of the hub."""
        return [model for model, block in self._blocks.items() if "hub" in block]

    def hub_model(self, model: str) -> HubModel | None:
        """Return the repository and commit of a model of the hub; None for another."""
        block = self._blocks[model]
        return HubModel(block["hub"], block["revision"]) if "hub" in block else None

    def record(self, model: str) -> str:
        """Return the record that fetching a model of the hub leaves.

        Ids of the same repository and commit share the first one's: two jobs would fetch into one
        folder.
        """
        wanted = self.hub_model(model)
        first = next(other for other in self.of_hub if self.hub_model(other) == wanted)
        return f"results/downloads/models/{first}.json"

    def files(self, model: str) -> list[str]:
        """Return the files that a step with a model depends on.

        Those of a local folder, and the record of its download for a model of the hub.
        """
        if self.hub_model(model) is not None:
            return [self.record(model)]
        path = self._blocks[model]["path"]
        names = ("config.json", WEIGHTS, *TOKENIZER_FILES)
        return [f"{path}/{name}" for name in names if (Path(path) / name).is_file()]

    def location(self, model: str) -> str:
        """Return the folder of a model; one of the hub is there once it was fetched."""
        if (wanted := self.hub_model(model)) is not None:
            return str(self._fetched / wanted.folder_name)
        return self._blocks[model]["path"]

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
        if (wanted := self.hub_model(model)) is not None:
            return wanted.address
        return Path(block.get("path") or block["vectors"]).name

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
            elif "same_as" in block:
                location = block["same_as"]
            elif (wanted := self.hub_model(model)) is not None:
                location = wanted.address
            else:
                location = Path(block.get("path") or block["vectors"]).name
            row = {"id": model, "label": block.get("label", model), "location": location}
            row["paper"] = block.get("paper", False)
            if model in published:
                row["published"] = published[model]
            rows.append(row)
        return rows
