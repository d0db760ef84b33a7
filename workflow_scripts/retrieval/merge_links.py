"""Command of rule `merge_links`: the links of mentions over all shards of all files of names."""

import argparse
from itertools import islice
from pathlib import Path

from workflow_scripts.errors import run_command
from workflow_scripts.files import atomic_text, write_text
from workflow_scripts.retrieval.dictionary_block import shard_files
from workflow_scripts.retrieval.mention_links import (
    LinkWriter,
    add_link_arguments,
    add_mention_arguments,
    mention_batches,
    read_mentions,
)
from workflow_scripts.retrieval.name_shards import merge_rankings


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--rankings", type=Path, required=True, help="folder with a folder for each file of names")
    add("--files", nargs="+", required=True, help="names of these folders, in order")
    add("--shards", type=int, required=True, help="shards of each file")
    add_mention_arguments(parser)
    add_link_arguments(parser)
    add("--links", type=Path, required=True, help="links, tsv")
    add("--errors", type=Path, required=True, help="mentions whose best id is not a gold one, tsv")
    add("--report", type=Path, required=True, help="counts, and accuracy where gold ids are told")
    arguments = parser.parse_args(argv)

    folders = (arguments.rankings / file for file in arguments.files)
    shards = [file for folder in folders for file in shard_files(folder, arguments.shards)]
    ranked = merge_rankings(shards, arguments.k + 1)
    asked = read_mentions(arguments.mentions, arguments.mention_column, arguments.gold_column)
    with atomic_text(arguments.links) as links, atomic_text(arguments.errors) as errors:
        how = ("tsv", arguments.k, arguments.threshold, arguments.margin)
        writer = LinkWriter(links, errors, *how)
        for batch in mention_batches(asked, arguments.lower_case):
            writer.write(batch, islice(ranked, len(batch.distinct)))
    write_text(arguments.report, "".join(f"{line}\n" for line in writer.report.lines()))


if __name__ == "__main__":
    run_command(main)
