"""Running text: documents in their order, and what breaks them."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.corpora.kinds import text
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.running_text import read_running_text

SHORT, TESTED = "Oh yes.", "This one is tested upon."
KEPT = [f"The {animal} slept in the garden." for animal in ("cat", "dog", "owl", "fox", "hen")]
# a paragraph of several sentences, a document of several paragraphs
DOCUMENTS = st.lists(
    st.lists(
        st.lists(st.sampled_from([*KEPT, SHORT, TESTED]), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    ),
    max_size=6,
)
BLOCK = {"kind": "text", "size": "all"}
TEXTS = {"texts": [{"reader": "blank-line-documents", "files": ["*.txt"]}]}


def write(folder, documents):
    blocks = ("\n".join(" ".join(line) for line in lines) for lines in documents)
    (folder / "a.txt").write_text("\n\n".join(blocks) + "\n")
    (folder / "tested.tsv").write_text("5\tTHIS one, is tested upon\n")


@given(DOCUMENTS, st.booleans())
@settings(deadline=None)
def test_what_is_left_out_breaks_a_document_in_two(documents, deduplicate):
    """Short sentences, those of evaluation files and repeats; what is then alone goes too."""
    expected, seen, why, alone = [], set(), Counter(), 0
    for lines in documents:
        runs = [[]]
        for sentence in (one for line in lines for one in line):
            reasons = {"short": sentence == SHORT, "evaluation": sentence == TESTED}
            reasons["repeated"] = deduplicate and sentence in seen
            reason = next((reason for reason, holds in reasons.items() if holds), None)
            if reason is None:
                seen.add(sentence)
                runs[-1].append(sentence)
            else:
                why[reason] += 1
                runs.append([])
        expected += [run for run in runs if len(run) > 1]
        alone += sum(len(run) == 1 for run in runs)
    kept_out = [{"reader": "tsv", "files": ["tested.tsv"], "columns": [2]}]
    block = {**BLOCK, **TEXTS, "kept_out": kept_out, "deduplicate": deduplicate}
    dropped = Counter()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), documents)
        options = text.Options.model_validate(block)
        if not expected:
            with pytest.raises(UserError, match="has two neighbouring sentences"):
                options.documents(Path(folder), 0, dropped)
            return
        assert list(options.documents(Path(folder), 0, dropped)) == expected
    assert dropped == why + Counter(alone=alone)


def numbered(documents, first=0):
    """Documents of two sentences of their own."""
    return [
        [[f"Number {n} tells of a town.", f"The town of {n} was old."]]
        for n in range(first, first + documents)
    ]


def found(make, tmp_path, **more):
    _, record = make({**BLOCK, **TEXTS, **more})
    return [tuple(one) for one in read_running_text(tmp_path / "out/corpus.txt").documents], record


def test_the_parts_share_no_sentence_and_another_text_moves_no_document(make, tmp_path):
    write(tmp_path, numbered(200))
    everything, _ = found(make, tmp_path)
    train, record = found(make, tmp_path, held_out=5)
    held_out, other = found(make, tmp_path, held_out=5, part="held_out")
    assert sorted(train + held_out) == sorted(everything)
    # binomial(200, 0.2): mean 40, deviation 5.7
    assert 15 < len(held_out) < 65
    assert record["dropped"] == {"other_part": 2 * len(held_out)}
    assert other["dropped"] == {"other_part": 2 * len(train)}
    # read first, with documents of its own and one of the former
    (tmp_path / "0.txt").write_text("A town is here now.\nIt was built late.\n\n")
    with open(tmp_path / "0.txt", "a") as stream:
        stream.write("\n".join(everything[0]) + "\n")
    more, _ = found(make, tmp_path, held_out=5)
    assert set(train) <= set(more) and not set(held_out) & set(more)
    sentences = [{one for document in part for one in document} for part in (more, held_out)]
    assert not sentences[0] & sentences[1]


def test_a_size_draws_whole_documents_with_the_seed(make, tmp_path, capsys):
    write(tmp_path, numbered(40))
    everything, _ = found(make, tmp_path)
    some, record = found(make, tmp_path, size=9)
    assert (record["strings"], record["documents"], record["seed"]) == (10, 5, 0)
    assert some == [one for one in everything if one in some]
    assert found(make, tmp_path, size=9)[0] == some
    _, other = make({**BLOCK, **TEXTS, "size": 9}, "--seed", "1")
    assert other["sha256"] != record["sha256"]
    assert not capsys.readouterr().err
    assert found(make, tmp_path, size=100)[0] == everything
    assert "100 strings asked for, 80 found" in capsys.readouterr().err


def test_a_blank_line_is_between_documents_and_behind_a_single_one(make, tmp_path):
    write(tmp_path, numbered(2))
    lines, record = make({**BLOCK, **TEXTS})
    assert [line == "" for line in lines] == [False, False, True, False, False]
    assert (record["strings"], record["documents"]) == (4, 2)
    write(tmp_path, numbered(1))
    assert make({**BLOCK, **TEXTS})[0][2:] == [""]
    assert read_running_text(tmp_path / "out/corpus.txt").counts["documents"] == 1
