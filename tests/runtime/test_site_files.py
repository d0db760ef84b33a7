"""The user's lines for a cluster: examples, names, mistakes."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.runtime.batch_systems import read_site as read_generic
from workflow_scripts.runtime.slurm_site import GPU_RULES
from workflow_scripts.runtime.slurm_site import read_site as read_slurm


@pytest.mark.parametrize(
    ("read_site", "text", "message"),
    [
        (read_generic, "system: slurm", "`system` is 'slurm'; use one of: pbs, lsf"),
        (read_generic, "sistem: pbs", "unknown key `sistem`; did you mean 'system'"),
        (read_generic, "system: own\nsubmit: a\nstatus: b", "`system: own` needs `cancel`"),
        (read_generic, "extra: -q", "`extra` is '-q'; give a list"),
        (read_generic, "node_cpus: 0", "`node_cpus` is 0; give a number of 1 or more"),
        (read_slurm, "partiton: gpu", "unknown key `partiton`; did you mean 'partition'"),
        (read_slurm, "jobs: many", "`jobs` is 'many'; give a whole number"),
        (read_slurm, "qos: [a]", r"`qos` is \['a'\]; give text"),
        (read_slurm, "- gpu", "give lines of the form"),
        (read_slurm, "qos: a\npartition: [", r"line \d: "),
    ],
)
def test_a_mistake_is_named(read_site, text, message, tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"site\.yaml.*" + message):
        read_site(file)


def test_a_missing_file_says_what_to_copy_or_leaves_the_choice_to_slurm(tmp_path):
    file = tmp_path / "site.yaml"
    with pytest.raises(UserError, match=r"no such file; copy .*site\.example\.yaml"):
        read_generic(file)
    site = read_slurm(file)
    assert site.default_resources("mem_mb=2000") == ["mem_mb=2000"]
    assert site.gpu_resources() is None


def test_names_that_look_like_numbers_stay_names_and_none_is_none(tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text("partition: 2024\nqos: 1.5\naccount: null\n")
    resources = read_slurm(file).default_resources()
    assert resources == ["slurm_partition='2024'", "qos='1.5'"]
    file.write_text("system: pbs\nextra: [-l, 3]\nqueue: 7\n")
    site = read_generic(file)
    assert (site.extra, site.queue) == (["-l", "3"], "7")


def test_the_examples_are_site_files(project):
    examples = (project / "profiles" / name / "site.example.yaml" for name in ("generic", "slurm"))
    generic, slurm = examples
    assert read_generic(generic).gpu_queue == "gpu"
    site = read_slurm(slurm)
    own = ["slurm_partition='cpu'", "qos='normal'", "slurm_account='my-group'"]
    assert site.default_resources("runtime=30") == ["runtime=30", *own]
    assert set(site.gpu_resources()) == set(GPU_RULES)
    assert site.gpu_resources()["embed_suite"] == {"slurm_partition": "'gpu'"}
