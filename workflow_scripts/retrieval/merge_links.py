"""Step `merge_links`: the links of mentions over all shards of all files of names."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.files import atomic_text, write_text
from workflow_scripts.path_functions import command
from workflow_scripts.retrieval.link_options import LinkOptions, MentionOptions
from workflow_scripts.retrieval.mention_links import LinkWriter
from workflow_scripts.retrieval.mentions import mention_batches, mentions_of
from workflow_scripts.retrieval.shard_rankings import merge_rankings, shard_files


def merge_links(
    *,
    rankings: Path,
    files: Sequence[str],
    shards: int,
    mentions: MentionOptions,
    link: LinkOptions,
    links: Path,
    errors: Path,
    report: Path,
) -> None:
    """Write the links of mentions over all shards of all files of names.

    Args:
        rankings: folder with a folder for each file of names
        files: names of these folders, in order
        shards: shards of each file
        links: links, tsv
        errors: write mentions whose best id is not a gold id there, as tsv
        report: counts; accuracy and precision by threshold where there are gold ids
    """
    paths = [path for name in files for path in shard_files(rankings / name, shards)]
    ranked = merge_rankings(paths, link.k + 1)
    mention_rows = mentions_of(mentions)
    with atomic_text(links) as link_stream, atomic_text(errors) as error_stream:
        expanded = mentions.document_column is not None
        writer = LinkWriter(link_stream, error_stream, link, expanded=expanded)
        for batch in mention_batches(mention_rows, mentions.lower_case):
            writer.write(batch, islice(ranked, len(batch.distinct)))
    lines = (*writer.report.lines(), *writer.report.lines_of_thresholds())
    write_text(report, "".join(f"{line}\n" for line in lines))


main = command(merge_links)

if __name__ == "__main__":
    run_command(main)
