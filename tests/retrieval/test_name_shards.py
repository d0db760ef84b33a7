"""Links over shards: the bytes of the command `link`, and the best ids of all names."""

import json

import numpy as np
import pytest
from tiny_models import make_sentences, one_thread, tiny_bert

from workflow_scripts import link
from workflow_scripts.retrieval import (
    embed_mentions,
    embed_names,
    link_shard,
    merge_links,
    split_names,
)
from workflow_scripts.retrieval.dictionary_block import shard_files
from workflow_scripts.retrieval.name_shards import merge_rankings

__all__ = ["one_thread", "tiny_bert"]

SENTENCES = list(dict.fromkeys(make_sentences(60)))
MACHINE = ["--threads", "1", "--device", "cpu"]
ENCODER = ["--settings", '{"max_length":16,"pooling":"mean"}', *MACHINE]
OF_COMMAND = ["--pooling", "mean", "--max-length", "16", *MACHINE]


@pytest.fixture
def files(tmp_path):
    """Two files of names and one of mentions with gold ids.

    The second has rows of the first, names of the first under other ids, and other names of ids of
    the first: equal scores and ids lie in different shards.
    """
    first = [f"C{number // 3}\t{name}" for number, name in enumerate(SENTENCES[:40])]
    second = [*first[5:8], *(f"D{number}\t{name}" for number, name in enumerate(SENTENCES[10:20]))]
    second += [f"C{number}\t{name}" for number, name in enumerate(SENTENCES[40:])]
    mentions = [f"{name}\tC{number}" for number, name in enumerate(SENTENCES[8:30])]
    mentions += ["the Red cat\t", "\tC1", "a dog\tD3", mentions[0]]
    lists = {"first.tsv": first, "second.tsv": second, "mentions.tsv": ["text\tid", *mentions]}
    for name, lines in lists.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return [tmp_path / name for name in lists]


def link_in_shards(folder, files, encoder, shards, dtype, asked, kept):
    """Run the commands one after the other, as the rules do; returns the folder."""
    *names, _ = files
    choices = json.dumps({"lower_case": True})
    how = ["--encoder", str(encoder), *ENCODER, "--similarity", "cosine"]
    embed_mentions.main([*asked, *how, "--output", f"{folder}/mentions.npy"])
    for file in names:
        own = [folder / kind / file.stem for kind in ("names", "vectors", "rankings")]
        options = ["--names", str(file), "--choices-json", choices, "--output", str(own[0])]
        split_names.main([*options, "--shards", str(shards)])
        for place in shard_files(own[0], shards):
            vectors, ranking = own[1] / f"{place.stem}.npy", own[2] / place.name
            options = ["--names", str(place), *how, "--dtype", dtype]
            embed_names.main([*options, "--output", str(vectors)])
            options = ["--names", str(place), "--vectors", str(vectors), "--output", str(ranking)]
            link_shard.main([*options, "--mentions", f"{folder}/mentions.npy", kept[0]])
    folders = ["--files", *(file.stem for file in names), "--shards", str(shards)]
    outputs = [("links", "tsv"), ("errors", "tsv"), ("report", "txt")]
    paths = [f"--{name}={folder}/{name}.{ending}" for name, ending in outputs]
    merge_links.main(["--rankings", f"{folder}/rankings", *folders, *asked, *kept, *paths])
    return folder


def vectors_of(names, vectors):
    rows = names.read_text().splitlines()
    return dict(zip(rows, (one.tobytes() for one in np.load(vectors)), strict=True))


# of 50 shards most have a name, and ten or more have none
@pytest.mark.parametrize(("shards", "dtype"), [(1, "float32"), (3, "float16"), (50, "float32")])
def test_links_over_shards_are_the_bytes_of_the_command(
    shards, dtype, files, tiny_bert, tmp_path, capsys
):
    asked = ["--mentions", str(files[-1]), "--mention-column", "text", "--gold-column", "id"]
    asked.append("--lower-case")
    kept = ["--k=3", "--threshold=0.9", "--margin=0.001"]
    names = ["--names", *map(str, files[:-1]), "--dtype", dtype]
    outputs = ["--output", f"{tmp_path}/links.tsv", "--errors", f"{tmp_path}/errors.tsv"]
    outputs += ["--index", f"{tmp_path}/index"]
    link.main(["--encoder", str(tiny_bert), *OF_COMMAND, *names, *asked, *kept, *outputs])
    *printed, unknown = capsys.readouterr().err.splitlines()
    folder = tmp_path / "shards"
    link_in_shards(folder, files, tiny_bert, shards, dtype, asked, kept)
    for name in ("links.tsv", "errors.tsv"):
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()
    report = (folder / "report.txt").read_text().splitlines()
    assert len(report) == 3 and printed[-3:] == report
    # which takes all names, that no step over shards has
    assert "gold ids that no name has" in unknown
    # to the last bit, of which the scores above show six digits
    whole = vectors_of(tmp_path / "index/names.tsv", tmp_path / "index/vectors.npy")
    for file in sorted(folder.glob("names/*/*.tsv")):
        vectors = folder / "vectors" / file.parent.name / f"{file.stem}.npy"
        for row, vector in vectors_of(file, vectors).items():
            assert vector == whole[row], row
    # something is linked, something is not, and some errors are listed
    ranks = {line.split("\t")[1] for line in (folder / "links.tsv").read_text().splitlines()}
    assert ranks == {"rank", "0", "1", "2", "3"}
    assert len((folder / "errors.tsv").read_text().splitlines()) > 1


def test_the_best_ids_of_rankings_are_those_of_one_list_of_all_names(tmp_path):
    """Against a plain sort, with many equal scores; what no shard kept was not among the best."""
    random, k = np.random.default_rng(0), 3
    names = [(f"C{random.integers(9)}", f"name {number}") for number in range(40)]
    scores = random.integers(0, 5, (6, 40)) / 7
    paths = shard_files(tmp_path, 4)

    def best(row, of):
        firsts = {}
        for number in sorted(of, key=lambda number: -row[number]):
            firsts.setdefault(names[number][0], (*names[number], row[number]))
        return list(firsts.values())[:k]

    for path, own in zip(paths, np.split(np.arange(40), [0, 13, 20]), strict=True):
        rows = [(query, *one) for query, row in enumerate(scores) for one in best(row, own)]
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    expected = [best(row, range(40)) for row in scores]
    assert list(merge_rankings(paths, k)) == expected
    assert len({score for row in expected for *_, score in row}) < 6 * k
