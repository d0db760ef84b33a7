"""Step `split_names`: the names of one file in shards, id<TAB>name a line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.name_lists import Choices, NameList, read_names
from workflow_scripts.errors import run_command
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.dictionary_block import shard_files
from workflow_scripts.retrieval.name_index import write_names


def split(names: NameList, number: int) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the ids and names of each of `number` shards, whose sizes differ by 1 at most."""
    count = len(names.names)
    for shard in range(number):
        own = slice(shard * count // number, (shard + 1) * count // number)
        yield names.ids[own], names.names[own]


def split_names(*, names: Path, choices_json: dict[str, Any], shards: int, output: Path) -> None:
    """Write the names of one file in shards, id<TAB>name a line.

    Args:
        names: file of names, as `link` takes it
        choices_json: how it is read: the fields of Choices
        shards: number of shards, of equal size
        output: folder of the shards, 1-of-N.tsv and so on
    """
    name_list = read_names([names], Choices(**choices_json))
    for file, shard in zip(shard_files(output, shards), split(name_list, shards), strict=True):
        write_names(file, *shard)
    left = "".join(f", {dropped} {why} left out" for why, dropped in name_list.dropped.items())
    print(f"{names}: {len(name_list.names)} names{left}")


main = command(split_names)

if __name__ == "__main__":
    run_command(main)
