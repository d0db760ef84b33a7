# Mirror-BERT (Liu et al. 2021) from raw text to finished tables: `snakemake --cores 24 all_tables`.
# Data flows in the order of the includes; docs/config.md describes every key of the config.
from snakemake.utils import min_version

from workflow_scripts.dag.canonical import canonical
from workflow_scripts.dag.earlier_jobs import wait_for_earlier_jobs
from workflow_scripts.dag.failed_jobs import FailedJobs
from workflow_scripts.dag.outputs import Outputs
from workflow_scripts.dag.plan import make_plan
from workflow_scripts.dag.run_lock import hold_run_lock
from workflow_scripts.dag.sources import sources

min_version("9.27")


configfile: "config/datasets.yaml"
configfile: "config/recipes.yaml"
configfile: "config/pretraining.yaml"
configfile: "config/tuning_grid.yaml"


# what a config given with --configfile has of its own takes the place of these
if "tables" not in config:

    configfile: "config/tables.yaml"


if "models" not in config:

    configfile: "config/config.yaml"


# for `--sdm apptainer`: the image that `make container` builds
container: "envs/container.sif"


plan = make_plan(config)
outputs = Outputs(plan)
failed_jobs = FailedJobs()

# `logged FILE COMMAND`: output goes to the file, why a command failed to the terminal as well
# `on_gpu N COMMAND`: with N GPUs of its own (workflow_scripts/dag/gpu_slots.py), or with none for 0
shell.prefix(
    "set -euo pipefail; "
    'logged() {{ local log="$1"; shift; "$@" > "$log" 2>&1 || {{ tail -n 3 "$log" >&2; return 1; }}; }}; '
    'on_gpu() {{ local gpus="$1"; shift; if [ "$gpus" = 0 ]; then CUDA_VISIBLE_DEVICES= "$@";'
    ' else python -m workflow_scripts.dag.gpu_slots --gpus "$gpus" -- "$@"; fi; }}; '
)


rule all_tables:
    input:
        "results/tables/index.html",


# on a cluster these are too short to be worth a job
localrules:
    all_tables,
    assemble_table,
    assemble_models,
    assemble_grid,
    assemble_running_time,
    assemble_scores,
    assemble_scorecard,
    assemble_index,
    score_suite,
    score_lexicon,
    choose_settings,


# ids joined by "--" would be taken for the two sides of a lexicon pair
KEYS = (
    "model source_model target_model recipe corpus source_corpus target_corpus suite dataset search"
)


wildcard_constraints:
    **dict.fromkeys(KEYS.split(), r"[a-z0-9]+([-_.][a-z0-9]+)*"),
    seed=r"[0-9]+",
    slice=r"[0-9]+",


include: "rules/downloads.smk"
include: "rules/corpora.smk"
include: "rules/datasets.smk"
include: "rules/pretraining.smk"
include: "rules/tuning.smk"
include: "rules/tuning_grid.smk"
include: "rules/embedding.smk"
include: "rules/retrieval.smk"
include: "rules/scoring.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"


onstart:
    hold_run_lock()
    failed_jobs.watch()
    wait_for_earlier_jobs()


onsuccess:
    print("Done. Tables asked for are in results/tables: open results/tables/index.html")


onerror:
    print("These jobs failed (whole logs are in results/logs):", *failed_jobs.lines, sep="\n  ")
