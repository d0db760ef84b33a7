"""config/registry.yaml: what it says of the real files, and that it has what the config reads."""

import re
from pathlib import Path

import pytest
from real_files import read_manifest

from workflow_scripts.corpora import block as corpora
from workflow_scripts.corpora.kinds.register import read_corpus_block
from workflow_scripts.datasets.entry import raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.downloads.fetching import Mirror, fetch
from workflow_scripts.downloads.registry import read_registry, sets_with

# Sets that shared/data holds in another form than their source: rebuilt files.
REBUILT = {"multi-simlex", "jsick", "sick-nl"}
AT_A_COMMIT = re.compile(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/")


@pytest.fixture(scope="module")
def registry(project):
    return read_registry(project / "config" / "registry.yaml")


@pytest.fixture(scope="module")
def manifest(shared_data):
    found = {}
    for root in (shared_data, shared_data.parent / "data-cmlm"):
        found |= {path: {**row, "root": root} for path, row in read_manifest(root).items()}
    return found


def below(root, files):
    return [Path(file).relative_to(root) for file in files]


@pytest.mark.parametrize("config", ["default_config", "paper_config"])
def test_every_data_set_of_a_config_is_in_the_registry(registry, config, tmp_path, request):
    # in an empty root the readers name what they lack: files, folders or patterns
    blocks = request.getfixturevalue(config)["datasets"]
    # XEVAL was never published
    entries = {n: read_entry(n, block) for n, block in blocks.items() if "absent" not in block}
    for name, entry in entries.items():
        for wanted in below(tmp_path, raw_files(tmp_path, entry)):
            found = sets_with(registry, [wanted])
            assert len(found) == 1, f"{name}: {wanted} is in {found}"
            assert entry.obtain or not registry[found[0]].gated


@pytest.mark.parametrize("config", ["scores_config", "paper_config"])
def test_every_corpus_of_real_files_is_in_the_registry(registry, config, tmp_path, request):
    for block in request.getfixturevalue(config)["corpora"].values():
        for wanted in below(tmp_path, corpora.raw_files(tmp_path, read_corpus_block("c", block))):
            assert sets_with(registry, [wanted]), wanted


def test_what_can_be_downloaded_has_an_address_and_what_was_there_a_hash_and_size(registry):
    for entry in registry.values():
        for one in () if entry.gated else (*entry.files, *entry.archives):
            assert one.urls and all(url.startswith("https://") for url in one.urls)
        for one in (*entry.all_files, *entry.archives):
            assert not one.verified or None not in (one.sha256, one.size)


def test_a_file_at_a_commit_has_a_hash_and_the_page_names_sets_without_one(registry, project):
    page = (project / "docs" / "reference" / "data-sets.md").read_text(encoding="utf-8")
    listed = page.split("## Without a known hash\n")[1].split("\n## ")[0]
    without = []
    for entry in registry.values():
        inside = [f for one in entry.archives if not one.sha256 for f in one.members]
        lacking = [one for one in (*entry.files, *inside) if not one.sha256]
        assert not any(AT_A_COMMIT.match(url) for one in lacking for url in one.urls)
        if lacking and not entry.gated:
            without.append(entry.name)
    assert re.findall(r"`([a-z][\w-]+)`", listed) == without


@pytest.mark.shared_data
def test_hashes_sizes_and_addresses_are_those_of_the_manifest(registry, manifest):
    compared = 0
    for entry in registry.values():
        archive_of = {f.path: a for a in entry.archives for f in a.members}
        for file in entry.all_files:
            row = manifest.get(file.path)
            # what cannot be fetched is held in forms of its own too
            if row is None or entry.name in REBUILT or entry.gated:
                # of a file at a commit the bytes can be had elsewhere too
                assert not file.verified or AT_A_COMMIT.match(file.urls[0])
                continue
            note = re.search(r"sha256 of the uncompressed file ([0-9a-f]{64})", row["note"])
            assert file.sha256 == (note.group(1) if note else row["sha256"])
            assert file.gzipped == bool(note)
            if not note:
                assert file.size == (row["root"] / file.path).stat().st_size
            inside, _, member = row["path_in_repo"].partition("!")
            source = f"https://raw.githubusercontent.com/{row['source_repo']}/{row['commit']}"
            if member:
                archive = archive_of[file.path]
                assert archive.urls == [f"{source}/{inside}"]
                assert file.member == member and file in archive.members
            else:
                assert file.urls == [f"{source}/{inside}"]
            compared += 1
    assert compared > 180


@pytest.mark.shared_data
def test_the_real_files_are_a_data_root_that_has_nothing_to_fetch(registry, shared_data):
    """As a root they pass every check; offline, so that a missing one would be named."""
    for name in ("medic", "sick", "simlex-999", "multi-simlex", "sts2017", "qnli-train-sample"):
        records = fetch(registry[name], shared_data, offline=True)
        assert {record["url"] for record in records} == {None}


@pytest.mark.shared_data
def test_the_real_files_serve_as_a_mirror(registry, shared_data, tmp_path):
    mirror = Mirror(shared_data.as_uri(), shared_data)
    for name in ("medic", "sts2017", "ncbi-disease"):
        fetch(registry[name], tmp_path, mirror, offline=True)
        for file in registry[name].all_files:
            assert (tmp_path / file.path).read_bytes() == (shared_data / file.path).read_bytes()
