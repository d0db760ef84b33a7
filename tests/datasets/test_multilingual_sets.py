"""config/datasets-multilingual.yaml on the real files, with the counts of their manifests."""

from collections import Counter, defaultdict

import pytest
from dataset_reading import read_dataset
from real_files import read_manifest

from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.corpora.kinds.register import read_corpus_block
from workflow_scripts.datasets.formats.register import read_entry

# folders whose files these sets read
FOLDERS = ("xnli-15way", "jsick", "sick-nl", "subjectivity-checkthat", "sentiment-")


@pytest.fixture(scope="module")
def content(project):
    return read_mapping(project / "config" / "datasets-multilingual.yaml")


@pytest.fixture(scope="module")
def entries(content):
    return content["datasets"]


@pytest.fixture(scope="module")
def more_data(shared_data):
    return shared_data.with_name("data-cmlm")


def counts(root, block):
    found = read_dataset(root, block)
    return found, Counter(found.parts)


def test_every_entry_is_valid_and_xeval_is_absent(content, entries):
    for name, block in entries.items():
        read_entry(name, block)
    for name, block in content["corpora"].items():
        read_corpus_block(name, block)
    xeval = [block for name, block in entries.items() if name.startswith("xeval-")]
    assert len(xeval) == 9 * 15 and all("absent" in block for block in xeval)


@pytest.mark.shared_data
def test_every_file_of_these_sets_is_read_with_its_rows(entries, more_data):
    """Each row of the manifest by the sets that read it: part by part, or the whole file."""
    listed = {
        path: row for path, row in read_manifest(more_data).items() if path.startswith(FOLDERS)
    }
    read, rows = set(), defaultdict(Counter)
    for name, block in entries.items():
        if name.startswith(("xeval", "reviews", "paws-x")) or "-from-en-" in name:
            continue
        _, parts = counts(more_data, block)
        entry = read_entry(name, block)
        files = dict(entry.sources())
        for part, number in parts.items():
            for one in files[part]:
                for file in one.files(more_data):
                    path = str(file.relative_to(more_data))
                    read.add(path)
                    rows[name, path][part] += number
    assert read == set(listed)
    for (name, path), by_part in rows.items():
        expected = int(listed[path]["rows"])
        # of a premise and its three hypotheses
        expected = 5010 if "sentences." in path else expected
        assert sum(by_part.values()) == expected, (name, path)


LANGUAGES = ["ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr", "ur", "vi"]
LANGUAGES += ["zh"]


@pytest.mark.shared_data
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_premise_of_xnli_is_in_two_parts(entries, more_data, language):
    found, parts = counts(more_data, entries[f"xnli-{language}"])
    assert 2990 < parts["train"] < 3020 and 990 < parts["test"] < 1010
    parts_of = defaultdict(set)
    for (premise, _), part in zip(found.texts, found.parts, strict=True):
        parts_of[premise].add(part)
    assert all(len(own) == 1 for own in parts_of.values())
    # a premise has one hypothesis of each class
    labels = Counter(zip(found.parts, found.labels, strict=True))
    classes = {"entailment", "neutral", "contradiction"}
    assert {label for _, label in labels} == classes
    assert len({labels["test", label] for label in classes}) == 1


SAMPLE_DATA = [f"{name}-{one}" for name in ("xnli", "tweets") for one in ("en", "es", "fr")]
SAMPLE_DATA += [f"tweets-from-en-{one}" for one in ("en", "es", "fr")]
SAMPLE_DATA += ["subjectivity-en", "reviews-en", "reviews-fr"]


@pytest.mark.parametrize("name", SAMPLE_DATA)
def test_the_sample_data_has_texts_of_every_class_to_train_and_to_test_on(
    entries, sample_data, name
):
    found, parts = counts(sample_data, entries[name])
    assert parts["test"] >= 30 and parts["train"] >= 60 and parts["development"] >= 10
    labels = Counter(zip(found.parts, found.labels, strict=True))
    assert min(number for (part, _), number in labels.items() if part == "test") >= 8
    tested = {tuple(t) for t, part in zip(found.texts, found.parts, strict=True) if part == "test"}
    others = {tuple(t) for t, part in zip(found.texts, found.parts, strict=True) if part != "test"}
    assert not tested & others


def test_the_default_tables_name_only_what_the_sample_data_has(default_config):
    tables = [default_config["tables"][one] for one in ("xeval-open", "sentiment-open")]
    tables.append(default_config["tables"]["cmlm-table06"])
    columns = [column for table in tables for column in table["columns"]]
    named = {one for each in columns for one in each.get("datasets") or [each["dataset"]]}
    assert named == set(SAMPLE_DATA)


@pytest.mark.shared_data
def test_no_text_of_the_sample_data_is_one_of_the_real_sets(entries, sample_data, more_data):
    def strings(root, names):
        found = [read_dataset(root, entries[name]).texts for name in names]
        return {text.strip().lower() for texts in found for pair in texts for text in pair}

    names = [name for name in SAMPLE_DATA if not name.startswith("reviews")]
    real = strings(more_data, names)
    assert len(real) > 20_000
    assert not strings(sample_data, SAMPLE_DATA) & real
