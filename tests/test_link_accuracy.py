"""Links of the command score as the tables do: the same accuracies on the sets of linking."""

import json

import numpy as np
import pytest
from command_words import as_argv
from tiny_models import one_thread

from tests.support.suite_files import write_whole_vectors
from workflow_scripts import embed, link
from workflow_scripts.datasets import read_dataset
from workflow_scripts.files import read_json, read_lines
from workflow_scripts.retrieval import link_entities
from workflow_scripts.retrieval.rankings import RankedName, read_rankings, rows_by_dataset
from workflow_scripts.scoring.ranked_accuracy import hits_at

__all__ = ["one_thread"]


def both_hits(config, root, dataset, model, folder, pooling="cls"):
    """Hits at 1 and 5 by the steps of the workflow, and by the command on the same strings."""
    block = config["datasets"][dataset]
    strings, items = folder / "strings.txt", folder / "items.json"
    read = {"dataset": dataset, "block": json.dumps(block), "root": root}
    read_dataset.main(as_argv(read | {"strings": strings, "items": items}))
    how = {"pooling": pooling, "max_length": 25, "threads": 1, "device": "cpu"}
    made = {"model": model, "strings": strings, "output": folder / "vectors.npy"}
    embed.main(as_argv(made | how))
    write_whole_vectors(folder / "vectors.npy", np.load(folder / "vectors.npy"), dataset)
    made = {"vectors": folder / "vectors.npy", "items": items, "output": folder / "ranks.tsv"}
    link_entities.main(as_argv(made))
    entry = read_json(items)
    ranked = rows_by_dataset(read_rankings(folder / "ranks.tsv", RankedName))[dataset]
    steps = [hits_at(k, ranked, entry["name_concepts"], entry["gold"]) for k in (1, 5)]

    texts = read_lines(strings)
    names = zip(entry["name_concepts"], entry["names"], strict=True)
    rows = [f"{'|'.join(own)}\t{texts[string]}\n" for own, string in names]
    (folder / "names.tsv").write_text("".join(rows))
    parts = [
        (query, texts[part], "|".join(gold))
        for query, (own, accepted) in enumerate(zip(entry["mentions"], entry["gold"], strict=True))
        for part, gold in zip(own, accepted, strict=True)
    ]
    (folder / "mentions.tsv").write_text("".join(f"{text}\t{gold}\n" for _, text, gold in parts))
    asked = {"names": folder / "names.tsv", "mentions": folder / "mentions.tsv"}
    asked |= {"mention_column": 1, "gold_column": 2, "output": folder / "links.jsonl"}
    asked |= {"encoder": model, "similarity": "dot", "format": "jsonl"}
    link.main(as_argv(asked | how, "--each-name"))
    found = [json.loads(line)["links"] for line in read_lines(folder / "links.jsonl")]
    front = []
    for k in (1, 5):
        hits = np.ones(len(entry["mentions"]), dtype=bool)
        for (query, _, gold), links in zip(parts, found, strict=True):
            ids = {one for own in links[:k] for one in own["id"].split("|")}
            hits[query] &= not ids.isdisjoint(gold.split("|"))
        front.append(hits.tolist())
    return steps, front


@pytest.mark.parametrize("dataset", ["ncbi-disease", "bc5cdr-disease-dictionary-only"])
def test_hits_are_those_of_the_tables(dataset, default_config, project, tmp_path):
    model = project / "resources" / "models" / "bert-bio-mini"
    root = project / "resources" / "sample_data"
    steps, front = both_hits(default_config, root, dataset, model, tmp_path)
    assert steps == front
    assert any(steps[0]) and not all(steps[0])
