"""Links over shards: the bytes of the command `link`, and the best ids of all names."""

import json

import numpy as np
import pytest
from tiny_models import make_sentences, one_thread, tiny_roberta

from workflow_scripts import link
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import (
    embed_mentions,
    embed_names,
    link_shard,
    list_names,
    merge_links,
)
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.shard_rankings import merge_rankings, shard_files

__all__ = ["one_thread", "tiny_roberta"]

SENTENCES = list(dict.fromkeys(make_sentences(60)))
FILES = ["index.json", "names.tsv", "vectors.npy"]
MACHINE = ["--threads", "1", "--device", "cpu"]
ENCODER = ["--settings", '{"max_length":16,"pooling":"mean"}', *MACHINE]
OF_COMMAND = ["--pooling", "mean", "--max-length", "16", *MACHINE]


@pytest.fixture
def files(tmp_path):
    """Two files of names and one of mentions with gold ids.

    The second has rows of the first, names of the first under other ids, and other names of ids of
    the first: equal scores and ids are in different shards.
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


def list_file(file, folder):
    """Run `list_names`; returns the options that other commands take of the names."""
    choices = ["--choices-json", json.dumps({"lower_case": True})]
    list_names.main(["--names", str(file), *choices, "--output", f"{folder}/{file.name}"])
    return ["--names", f"{folder}/{file.name}", *choices]


def link_in_shards(folder, files, encoder, shards, dtype, asked, kept):
    """Run the commands one after the other, as the rules do; returns the folder."""
    how = ["--encoder", str(encoder), *ENCODER, "--similarity", "cosine"]
    embed_mentions.main([*asked, *how, "--output", f"{folder}/mentions.npy"])
    for file in files[:-1]:
        names = list_file(file, folder / "names")
        for ranking in shard_files(folder / "rankings" / file.stem, shards):
            index = ["--index", f"{folder}/indices/{file.stem}/{ranking.stem}"]
            options = [*names, "--shard", ranking.stem, "--dtype", dtype, *how, *index]
            embed_names.main(options)
            options = ["--mentions", f"{folder}/mentions.npy", "--output", str(ranking)]
            link_shard.main([*index, *options, kept[0]])
    folders = ["--files", *(file.stem for file in files[:-1]), "--shards", str(shards)]
    outputs = [("links", "tsv"), ("errors", "tsv"), ("report", "txt")]
    paths = [f"--{name}={folder}/{name}.{ending}" for name, ending in outputs]
    merge_links.main(["--rankings", f"{folder}/rankings", *folders, *asked, *kept, *paths])
    return folder


def vectors_of(index):
    rows = (index / "names.tsv").read_text().splitlines()
    vectors = np.load(index / "vectors.npy")
    return dict(zip(rows, (vector.tobytes() for vector in vectors), strict=True))


# of 50 shards most have a name, and ten or more have none
@pytest.mark.parametrize(("shards", "dtype"), [(1, "float32"), (3, "float16"), (50, "float32")])
def test_links_over_shards_are_the_bytes_of_the_command(
    shards, dtype, files, tiny_roberta, tmp_path, capsys
):
    asked = ["--mentions", str(files[-1]), "--mention-column", "text", "--gold-column", "id"]
    asked.append("--lower-case")
    kept = ["--k=3", "--threshold=0.9", "--margin=0.001"]
    names = ["--names", *map(str, files[:-1]), "--dtype", dtype]
    outputs = ["--output", f"{tmp_path}/links.tsv", "--errors", f"{tmp_path}/errors.tsv"]
    outputs += ["--index", f"{tmp_path}/index"]
    link.main(["--encoder", str(tiny_roberta), *OF_COMMAND, *names, *asked, *kept, *outputs])
    *printed, unknown = capsys.readouterr().err.splitlines()
    folder = tmp_path / "shards"
    link_in_shards(folder, files, tiny_roberta, shards, dtype, asked, kept)
    for name in ("links.tsv", "errors.tsv"):
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()
    report = (folder / "report.txt").read_text().splitlines()
    assert len(report) > 3 and printed[-len(report) :] == report
    # which takes all names, that no step over shards has
    assert "gold ids that no name has" in unknown
    # to the last bit, of which the scores above show six digits
    whole, seen = vectors_of(tmp_path / "index"), set()
    for index in folder.glob("indices/*/*"):
        assert sorted(path.name for path in index.iterdir()) == FILES
        for row, vector in vectors_of(index).items():
            assert vector == whole[row], row
            seen.add(row)
    assert seen == whole.keys()
    # something is linked, something is not, and some errors are listed
    ranks = {line.split("\t")[1] for line in (folder / "links.tsv").read_text().splitlines()}
    assert ranks == {"rank", "0", "1", "2", "3"}
    assert len((folder / "errors.tsv").read_text().splitlines()) > 1


def test_a_shard_is_an_index_that_link_takes(files, tiny_roberta, tmp_path):
    encoder = ["--encoder", str(tiny_roberta)]
    shard = [*list_file(files[0], tmp_path / "names"), "--shard", "2-of-3", "--dtype", "float16"]
    shard += [*encoder, *ENCODER, "--similarity", "dot", "--index", f"{tmp_path}/shard"]
    embed_names.main(shard)
    assert sorted(path.name for path in (tmp_path / "shard").iterdir()) == FILES
    # the same names in a file of their own
    own = files[0].read_text().splitlines(keepends=True)[13:26]
    (tmp_path / "own.tsv").write_text("".join(own))
    asked = [*encoder, *OF_COMMAND, "--mentions", str(files[-1]), "--lower-case"]
    asked += ["--dtype", "float16", "--similarity", "dot"]
    for name, names in (("shard", []), ("own", ["--names", f"{tmp_path}/own.tsv"])):
        outputs = ["--index", f"{tmp_path}/{name}", "--output", f"{tmp_path}/{name}.links"]
        link.main([*asked, *names, *outputs])
    for name in ("{}/names.tsv", "{}/vectors.npy", "{}.links"):
        of_shard, of_own = (tmp_path / name.format(kind) for kind in ("shard", "own"))
        assert of_shard.read_bytes() == of_own.read_bytes()
    with pytest.raises(UserError, match="an index made from shard 2-of-3 of the names"):
        outputs = ["--index", f"{tmp_path}/shard", "--output", f"{tmp_path}/other.links"]
        link.main([*asked, "--names", f"{tmp_path}/names/first.tsv", *outputs])


def test_the_best_ids_of_rankings_are_those_of_one_list_of_all_names(tmp_path):
    """Against a plain sort, with many equal scores; what no shard kept was not among the best."""
    random, k = np.random.default_rng(0), 3
    names = [(f"C{random.integers(9)}", f"name {number}") for number in range(40)]
    scores = random.integers(0, 5, (6, 40)) / 7
    paths = shard_files(tmp_path, 4)

    def best(row, of):
        firsts = {}
        for number in sorted(of, key=lambda number: -row[number]):
            firsts.setdefault(names[number][0], Link(*names[number], row[number]))
        return list(firsts.values())[:k]

    for path, own in zip(paths, np.split(np.arange(40), [0, 13, 20]), strict=True):
        rows = [(query, *one) for query, row in enumerate(scores) for one in best(row, own)]
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    expected = [best(row, range(40)) for row in scores]
    assert list(merge_rankings(paths, k)) == expected
    assert len({score for row in expected for *_, score in row}) < 6 * k
