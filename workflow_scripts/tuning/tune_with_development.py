"""Command of rule `tune_with_development`: tuning that a development set is watched in.

The recipe's key `development` names the set; the encoder has the weights of its best score.
"""

import argparse
from functools import partial

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.scoring.development_set import read_development_set
from workflow_scripts.tuning.recipes import parse_recipe
from workflow_scripts.tuning.tune_mirror import add_arguments, read_recipe_block, run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--strings", required=True, help="strings of the suite, one a line")
    parser.add_argument("--items", required=True, help="items.json of the suite")
    parser.add_argument(
        "--linking-similarity",
        choices=("dot", "cosine", "none"),
        default="none",
        help="of a set of entity linking",
    )
    arguments = parser.parse_args(argv)
    name = arguments.recipe_name
    recipe = parse_recipe(name, read_recipe_block(arguments.recipe_json))
    if recipe.mirror is None or recipe.mirror.development is None:
        raise UserError(f"recipes.{name}.development: missing; add suite, dataset and every")
    development = read_development_set(
        arguments.strings,
        arguments.items,
        recipe.mirror.development.dataset,
        None if arguments.linking_similarity == "none" else arguments.linking_similarity,
        arguments.threads,
    )

    # Only now: it needs torch.
    from workflow_scripts.tuning.development_scores import make_score

    run(arguments, partial(make_score, development))


if __name__ == "__main__":
    run_command(main)
