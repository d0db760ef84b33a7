"""What a method trains next to the model: kept with an encoder, for recipes that start there.

Modules that serve in training alone, such as a projection head, are not kept.
"""

import torch
from safetensors.torch import load_file

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.errors import UserError, damaged_file_error

# among the trained modules those that serve in training alone
TRAINING_ONLY = "training_only"


def own_weights(trained: torch.nn.Module, model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return by name the parameters of `trained` to keep that are not the model's."""
    others = set(map(id, model.parameters()))
    named = trained.named_parameters()
    kept = (pair for pair in named if not pair[0].startswith(f"{TRAINING_ONLY}."))
    return {name: weight.detach() for name, weight in kept if id(weight) not in others}


@torch.no_grad()
def load_own_weights(trained: torch.nn.Module, loaded: LoadedModel) -> None:
    """Take over what the folder of `loaded` keeps of them by name; the rest stays as it is.

    Raises `UserError` for a damaged file and for weights of another shape.
    """
    if (path := loaded.own_weights()) is None:
        return
    with damaged_file_error(path, "make the encoder again"):
        stored = load_file(path)
    for name, own in own_weights(trained, loaded.model).items():
        values = stored.get(name)
        if values is not None and values.shape != own.shape:
            raise UserError(
                path,
                f"{name} is {list(values.shape)}, the recipe makes it {list(own.shape)}",
                "use the sizes of the recipe that it starts from",
            )
        if values is not None:
            own.copy_(values)
