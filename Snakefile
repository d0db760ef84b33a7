# From raw text to finished tables: `snakemake --cores 24 all_tables`. Data flows in the order of the
# includes; docs/config.md tells what a config may say.
from snakemake.utils import min_version

from workflow_scripts.cluster.earlier_jobs import note_slurm_run, wait_for_earlier_jobs
from workflow_scripts.cluster.failed_jobs import FailedJobs
from workflow_scripts.cluster.job_events import FinishedOutputs
from workflow_scripts.cluster.progress import Progress
from workflow_scripts.cluster.results_records import use_results_records
from workflow_scripts.cluster.run_folder import refuse_other_folder
from workflow_scripts.cluster.run_lock import hold_run_lock, refuse_second_run
from workflow_scripts.cluster.warm_python import start_warm_python
from workflow_scripts.dag.given import WILDCARDS, alternatives
from workflow_scripts.dag.page_status import PageStatus
from workflow_scripts.dag.plan import make_plan
from workflow_scripts.sources import sources
from workflow_scripts.tables.run_records import note_start

min_version("9.27")
refuse_other_folder()

# the files given with --configfile, or else config/config.yaml, each over what its `base` names
plan = make_plan(workflow.overwrite_configfiles, workflow.config_settings.config)
given, outputs = plan.given, plan.outputs
refuse_second_run(workflow, plan.records)
use_results_records(workflow, plan.config.results, plan.records, plan.hashes)
failed_jobs = FailedJobs()
page_status = PageStatus(plan, workflow)
FinishedOutputs(page_status.finished, page_status.nothing_to_do).watch()
STAGES = "downloads corpora datasets tuning tuning_grid embedding retrieval scoring"


pathvars:
    results=plan.config.results,


# for `--sdm apptainer`: the image that `make container` builds
container: "envs/container.sif"


# `logged FILE COMMAND` and `on_gpu N COMMAND`
shell.prefix("set -euo pipefail; source workflow_scripts/cluster/job.sh; ")


wildcard_constraints:
    **WILDCARDS,


rule all_tables:
    """Target: all tables and figures, and the pages that show them"""
    input:
        "<results>/tables/index.html",


for stage in [*STAGES.split(), "dictionaries", "tables", "figures"]:

    include: f"rules/{stage}.smk"


onstart:
    hold_run_lock(plan.records)
    note_start()
    failed_jobs.watch()
    Progress().watch_if_quiet(workflow)
    wait_for_earlier_jobs(plan.records)
    note_slurm_run(workflow, plan.records)
    start_warm_python(workflow)
    page_status.start()


onsuccess:
    page_status.end()


onerror:
    where = f"whole logs are in {plan.config.results}/logs"
    print(f"These jobs failed ({where}):", *failed_jobs.lines, sep="\n  ")
    page_status.end(failed_jobs.lines)
