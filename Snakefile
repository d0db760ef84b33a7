# From raw text to finished tables: `snakemake --cores 24 all_tables`. Data flows in the order of the
# includes; docs/reference/config.md tells what a config may say.
from snakemake.utils import min_version

from workflow_scripts.plan.page_status import PageStatus
from workflow_scripts.plan.plan import make_plan
from workflow_scripts.plan.rule_inputs import WILDCARDS, alternatives
from workflow_scripts.project_files import project_file, shell_functions
from workflow_scripts.runtime.earlier_jobs import note_slurm_run, wait_for_earlier_jobs
from workflow_scripts.runtime.failed_jobs import FailedJobs
from workflow_scripts.runtime.fork_server import serve_group, start_fork_server
from workflow_scripts.runtime.progress import print_starts
from workflow_scripts.runtime.results_records import use_results_records
from workflow_scripts.runtime.run_lock import hold_run_lock, refuse_second_run
from workflow_scripts.runtime.run_start import (
    refuse_braces,
    refuse_other_paths,
    refuse_too_few_gpus,
    use_own_python,
)
from workflow_scripts.runtime.snakemake_run import SnakemakeRun
from workflow_scripts.runtime.temporary_weights import TemporaryWeights
from workflow_scripts.sources import sources
from workflow_scripts.tables.run_records import note_start

min_version("9.27")
refuse_braces()
use_own_python()

# the files given with --configfile, or what a workflow that imports this one gives as `config`, or
# else config/config.yaml, each over what its `base` names
run = SnakemakeRun(workflow)
plan = make_plan(run.config_files, run.config_values)
rule_inputs, outputs = plan.rule_inputs, plan.outputs
refuse_too_few_gpus(run, plan.rule_inputs.gpus * plan.config.processes.tuning)
refuse_second_run(run, plan.records)
use_results_records(run, plan.config.results, plan.records, plan.hashes)
serve_group(run)
failed_jobs = FailedJobs()
page_status = PageStatus(plan, run, run.name_of("all_tables"))
temporary_weights = TemporaryWeights(run, plan.keeps)
run.watch_outputs(page_status.finished, page_status.nothing_to_do)


# parts of paths: an encoder, and the two of a lexicon's sides
pathvars:
    results=plan.config.results,
    encoder="{model}/{recipe}/{corpus}/seed{seed}",
    lexicon="{source_model}--{target_model}/{recipe}/{source_corpus}--{target_corpus}/seed{seed}",


# for `--sdm apptainer`: the image that `make container` builds
container: project_file("envs/container.sif")


# `logged FILE COMMAND` and `on_gpu N COMMAND`
run.add_to_shell_prefix(shell_functions())


wildcard_constraints:
    **WILDCARDS,


rule all_tables:
    """Target: all tables and figures, and the pages that show them"""
    input:
        "<results>/tables/index.html",
    localrule: True


include: "rules/downloads.smk"
include: "rules/corpora.smk"
include: "rules/datasets.smk"
include: "rules/tuning.smk"
include: "rules/tuning_grid.smk"
include: "rules/embedding.smk"
include: "rules/retrieval.smk"
include: "rules/scoring.smk"
include: "rules/dictionaries.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"


refuse_other_paths(run, plan.config.results)


onstart:
    hold_run_lock(plan.records)
    run.start_jobs_at_once()
    note_start()
    run.watch(failed_jobs.hear)
    print_starts(run)
    wait_for_earlier_jobs(plan.records)
    note_slurm_run(run, plan.records)
    start_fork_server(run)
    temporary_weights.start()
    page_status.start()


onsuccess:
    temporary_weights.remove_own_weights()
    page_status.end()


onerror:
    temporary_weights.remove_own_weights()
    where = f"whole logs are in {plan.config.results}/logs"
    print(f"These jobs failed ({where}):", *failed_jobs.lines, sep="\n  ")
    page_status.end(failed_jobs.lines)


# of which Snakemake calls those of the main workflow alone
run.add_module_hooks(onstart, onsuccess, onerror)
