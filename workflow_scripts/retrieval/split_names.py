"""Command of rule `split_names`: the names of one file in shards, id<TAB>name a line."""

import argparse
import json
from pathlib import Path

from workflow_scripts.datasets.name_lists import Choices, read_names
from workflow_scripts.errors import run_command
from workflow_scripts.retrieval.dictionary_block import shard_files
from workflow_scripts.retrieval.name_index import write_names


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--names", type=Path, required=True, help="file of names, as `link` takes it")
    add("--choices-json", required=True, help="how it is read: the fields of Choices")
    add("--shards", type=int, required=True, help="number of shards, of equal size")
    add("--output", type=Path, required=True, help="folder of the shards, 1-of-N.tsv and so on")
    arguments = parser.parse_args(argv)

    name_list = read_names([arguments.names], Choices(**json.loads(arguments.choices_json)))
    count, number = len(name_list.names), arguments.shards
    for shard, file in enumerate(shard_files(arguments.output, number)):
        own = slice(shard * count // number, (shard + 1) * count // number)
        write_names(file, name_list.ids[own], name_list.names[own])
    left = "".join(f", {dropped} {why} left out" for why, dropped in name_list.dropped.items())
    print(f"{arguments.names}: {count} names{left}")


if __name__ == "__main__":
    run_command(main)
