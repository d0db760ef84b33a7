"""A newcomer's story, docs/howto/link-your-names.md: its commands and its Python, as written.

3,000 names, 200 scored pairs in one table sorted by score, 50 misspelt mentions with their ids and
50 without.
"""

import csv
import random
import re
import sys

import pandas
import pytest
import wordfreq

import mirror_bert

NAMES = 3000


def block_of(page, kind):
    [block] = re.findall(rf"^```{kind}\n(.*?)^```$", page, flags=re.M | re.S)
    return block


def misspelt(name, draw):
    """A name with two of its neighbouring letters exchanged."""
    place = draw.randrange(len(name) - 1)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]


@pytest.fixture
def page(project):
    return (project / "docs" / "howto" / "link-your-names.md").read_text()


@pytest.fixture
def story(linked_checkout, project):
    """A folder with the user's tables: biomedical names of the sample, and English words."""
    draw, folder = random.Random(5), linked_checkout / "data"
    folder.mkdir()
    sample = project / "resources" / "sample_data" / "names" / "biomedical_names.txt"
    words = [*sample.read_text().splitlines(), *wordfreq.top_n_list("en", 5000)]
    names = [name for name in dict.fromkeys(words) if len(name) > 4][:NAMES]
    assert len(names) == NAMES
    # shorter ones are not to be recognised when they are misspelt
    long = [name for name in names if len(name) > 11]
    pairs = [(name, misspelt(name, draw), 1) for name in draw.sample(long, 100)]
    pairs += [(*draw.sample(long, 2), 0) for _ in range(100)]
    rows = [(misspelt(name, draw), f"N{names.index(name)}") for name in draw.sample(long, 100)]
    for name, header, table in (
        ("names", ("id", "name"), [(f"N{n}", name) for n, name in enumerate(names)]),
        ("pairs", ("left", "right", "score"), pairs),
        ("mentions", ("mention", "id"), rows[:50]),
        ("new-mentions", ("mention",), [row[:1] for row in rows[50:]]),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *table])
    return linked_checkout


def test_the_story_is_short(page):
    assert block_of(page, "sh").count("mirror-bert ") <= 5
    assert len(block_of(page, "python").split("\n\n")) <= 5 + 1  # and what is imported


@pytest.mark.slow
def test_the_story_runs_as_written_both_ways(page, story, run_as_written):
    commands = block_of(page, "sh")
    printed = run_as_written(f"({commands}) 2>&1", story)
    print(printed)
    assert f"index: {NAMES} names" in printed
    verdict = r"pairs-second-half, spearman: (higher|lower) by 0\.\d+, (not )?shown by 100 items "
    assert re.search(verdict, printed)
    score = r"target precision 0.9: links need a score of (\S+) or more\n.*: precision (\S+), cov"
    matches = re.findall(score, printed)
    # the second command of links has that of the first
    assert len(matches) == 2 and len({*matches}) == 1
    threshold, precision = map(float, matches[0])
    assert precision >= 0.9
    tables = [pandas.read_csv(story / name, sep="\t") for name in ("links.tsv", "new-links.tsv")]
    for links in tables:
        best = links[links["rank"] < 2]
        assert len(best) == 50 and best["score"].dropna().min() >= threshold
        assert best["confidence"].notna().equals(best["rank"] == 1)
    # the notebook's cells: the same encoder, verdict and links
    (story / "story.py").write_text(
        block_of(page, "python")
        + """
encoder.save("of-python")
links.to_csv("of-python.tsv", sep="\\t", index=False)
new_links.to_csv("new-of-python.tsv", sep="\\t", index=False)
"""
    )
    root = mirror_bert.__path__[0] + "/.."
    lines = run_as_written(f"PYTHONPATH={root} {sys.executable} story.py", story)
    print(lines)
    of_command = re.findall(r"half, (spearman: .*)\n", printed)
    assert re.findall(r"half, (spearman: .*)\n", lines) == of_command
    for links, name in zip(tables, ("of-python.tsv", "new-of-python.tsv"), strict=True):
        own = pandas.read_csv(story / name, sep="\t").round({"score": 6, "confidence": 4})
        pandas.testing.assert_frame_equal(own, links, atol=2e-6)
