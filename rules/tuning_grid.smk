# Tuning grid: hyper-parameters of tuning searched on development sets (the paper's Table 21). Not
# part of all_tables; run the target tuning_grid.
#
# Inputs:  the model's folder, results/corpora/{corpus}.txt,
#          results/datasets/{dataset}/strings.txt and items.json
# Outputs: results/tuning_grid/{search}/slice{slice}.json (a score for each cell and seed)
#          results/tuning_grid/{search}.tsv (all cells, best first), .json (the best settings and
#          what they were found with) and .md (a page to read)

grid = plan.grid


rule tuning_grid:
    """Target: the best settings of every search of the config"""
    input:
        lambda wildcards: grid.reports(),
    localrule: True


# The progress file is next to the output but not an output itself, since Snakemake removes the
# outputs and logs of a failed job, and a killed job has to continue where it was.
rule search_grid:
    """Scores of a slice of the cells of a search"""
    input:
        sources=lambda wildcards: sources(
            "tuning_grid.search_grid", *grid.modules(wildcards.search)
        ),
        model=lambda wildcards: plan.models.files(grid.model(wildcards.search)),
        corpus=lambda wildcards: grid.corpus_file(wildcards.search),
        strings=lambda wildcards: grid.dataset_file(wildcards.search, "strings.txt"),
        items_json=lambda wildcards: grid.dataset_file(wildcards.search, "items.json"),
    output:
        scores="<results>/tuning_grid/{search}/slice{slice}.json",
        usage="<results>/benchmarks/search_grid/{search}/slice{slice}.tsv",
    log:
        "<results>/logs/search_grid/{search}/slice{slice}.log",
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.tuning
    resources:
        gpu=rule_inputs.gpus,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
    params:
        model=lambda wildcards: plan.models.location(grid.model(wildcards.search)),
        block=lambda wildcards: grid.slice_block(wildcards.search, wildcards.slice),
        device=lambda wildcards: plan.config.device,
    shell:
        r"""
        export STEP_MEMORY_MB={resources.mem_mb}
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.tuning_grid.search_grid \
            --model {params.model:q} \
            --corpus {input.corpus:q} \
            --strings {input.strings:q} \
            --items {input.items_json:q} \
            --block {params.block:q} \
            --threads {threads} \
            --device {params.device:q} \
            --output {output.scores:q}
        """


rule choose_settings:
    """The best settings of a search"""
    input:
        sources=lambda wildcards: sources(
            "tuning_grid.choose_settings", *grid.modules(wildcards.search)
        ),
        slices=lambda wildcards: grid.slices(wildcards.search),
    output:
        table="<results>/tuning_grid/{search}.tsv",
        record="<results>/tuning_grid/{search}.json",
        report="<results>/tuning_grid/{search}.md",
        usage="<results>/benchmarks/choose_settings/{search}.tsv",
    log:
        "<results>/logs/choose_settings/{search}.log",
    localrule: True
    conda:
        "../envs/plain.yaml"
    params:
        block=lambda wildcards: grid.search_block(wildcards.search),
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.tuning_grid.choose_settings \
            --block {params.block:q} \
            --slices {input.slices:q} \
            --table {output.table:q} \
            --record {output.record:q} \
            --report {output.report:q}
        """
