"""A corpus is made again when its own kind, files or block change, and no other is."""

import pytest
from small_project import SAMPLE

PROSE = {"kind": "text", "size": "all", "texts": [{"reader": "document", "files": ["own/*.txt"]}]}
PAIRS = {"kind": "bitext", "size": "all", "pairs": [{"path": "own/pairs.tsv"}]}
NLI = {"kind": "nli", "size": "all", "path": "own/nli.tsv"}


def remade(small):
    jobs = small.planned("all_corpora")
    return [job.partition("corpus=")[2] for job in jobs if job.startswith(SAMPLE)]


@pytest.mark.nightly
def test_kinds_files_and_blocks_remake_their_own_corpora(fresh):
    own = fresh.folder / "resources/sample_data/own"
    own.mkdir()
    for name in "ab":
        (own / f"{name}.txt").write_text(
            f"The first sentence in {name} here. The second sentence in {name} here.\n"
        )
    (own / "pairs.tsv").write_text("A cat.\tUne chatte.\n")
    (own / "nli.tsv").write_text("sentence1\tsentence2\tgold_label\nA cat.\tA pet.\tentailment\n")
    with fresh.edited_config() as config:
        config["corpora"] |= {"prose": PROSE, "more": PROSE, "pairs": PAIRS, "nli": NLI}
        config["corpora"]["both"] = {"kind": "joined", "of": ["prose", "more"], "size": 4}
    fresh.succeeds("all_corpora")
    made = (fresh.folder / "results/corpora/both.txt").read_text()
    assert made.count("\n\n") == 1 and made.count("sentence") == 4
    assert remade(fresh) == []
    (own / "c.txt").write_text("A third file. It is of the same pattern.\n")
    assert remade(fresh) == ["both", "more", "prose"]
    (own / "c.txt").unlink()
    kinds = fresh.folder / "workflow_scripts/corpora/kinds"
    for kind, corpora in {"nli": ["nli", "nli-multi"], "bitext": ["bitext-multi", "pairs"]}.items():
        file = kinds / f"{kind}.py"
        text = file.read_text()
        file.write_text(f"{text}\n# an edit\n")
        assert remade(fresh) == corpora
        file.write_text(text)
    with fresh.edited_config() as config:
        config["corpora"]["prose"] = {**PROSE, "minimum_letters": 3}
    assert remade(fresh) == ["both", "prose"]
