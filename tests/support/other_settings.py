"""Another value of each setting of an encoder, and what refuses to take it."""

from workflow_scripts.embedding.settings import RECIPE_KEYS
from workflow_scripts.tuning.recipe import Recipe

PROMPTS = {"default": "the small ", "query": "a man sees ", "passage": "a "}
OTHER = {"pooling": "cls", "max_length": 5, "layer": 1, "prompts": PROMPTS, "dimensions": 7}
# what other programs cannot do is refused, not left out
REFUSED_BY_SENTENCE_TRANSFORMERS = {"layer"}
REFUSED_BY_ONNX = {"layer"}


def other_keys(recipe: type[Recipe]) -> dict[str, object]:
    """Return another value of each key of a recipe that is a setting."""
    keys = {RECIPE_KEYS[name]: value for name, value in OTHER.items()}
    return {key: value for key, value in keys.items() if key in recipe.model_fields}
