"""Names in shards by SLURM's jobs: the links of a local run, byte for byte."""

import pytest
from conftest import ClusterProject
from small_project import SmallProject, copy_project

pytestmark = pytest.mark.cluster

# two groups of jobs of two or of ten shards
SHARDS = [4, pytest.param(20, marks=pytest.mark.nightly)]


def with_dictionary(small: SmallProject, shards: int) -> SmallProject:
    """Return the project with names of the sample data, each under an id with another one."""
    folder = small.folder / "resources/sample_data/names"
    lines = (folder / "biomedical_names.txt").read_text().splitlines()[:100]
    rows = [f"C{number // 2}\t{line}" for number, line in enumerate(lines)]
    (folder / "own.tsv").write_text("\n".join(rows) + "\n")
    (folder / "mentions.txt").write_text("\n".join(line[1:] for line in lines[:30]) + "\n")
    encoder = {"model": "bert-en-mini", "recipe": "base-mp"}
    files = {"names": {"own": {"path": "names/own.tsv"}}, "mentions": "names/mentions.txt"}
    with small.edited_config() as config:
        config["dictionaries"] = {"own": {"encoder": encoder, **files, "shards": shards}}
    return small


@pytest.mark.parametrize("shards", SHARDS)
def test_the_links_are_of_a_local_run(project, cluster, tmp_path, shards):
    local = with_dictionary(copy_project(project, tmp_path / "local"), shards)
    local.succeeds("all_links")
    on_cluster = ClusterProject(copy_project(project, tmp_path / "project").folder, cluster)
    with_dictionary(on_cluster, shards)
    # of jobs of a second some that follow each other share one
    groups = ["--groups", "embed_names=shards", "link_shard=shards"]
    run = on_cluster.start("all_links", *groups, "--group-components", f"shards={shards // 2}")
    assert run.end() == 0, run.output
    results = local.folder / "results/dictionaries/own"
    files = [results / "links.tsv", *results.glob("indices/own/*/vectors.npy")]
    assert len(files) == 1 + shards
    for file in files:
        mine = on_cluster.folder / file.relative_to(local.folder)
        assert mine.read_bytes() == file.read_bytes()
    assert len(files[0].read_text().splitlines()) == 1 + 30 * 5
    assert "group_shards" in run.output
