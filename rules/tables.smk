# Tables: mean, deviation and interval, the published value beside each cell; LaTeX; the scorecard.
# Inputs:  results/scores/... (.tsv and .npz), config/reference/{table}.tsv (published values)
# Outputs: results/tables/{table}.{tsv,md,html,tex}, cells/{table}.tsv, scorecard.{tsv,md,html},
#          scores.tsv (all tidy scores), index.html
from workflow_scripts.dag.outputs import details_of


rule assemble_table:
    input:
        sources=sources("tables.assemble_table"),
        scores=lambda wildcards: outputs.table_scores(wildcards.table),
        details=lambda wildcards: details_of(outputs.table_scores(wildcards.table)),
        reference=lambda wildcards: outputs.reference_files("tables", wildcards.table),
    output:
        multiext("results/tables/{table}", ".tsv", ".md", ".html", ".tex"),
        cells="results/tables/cells/{table}.tsv",
    log:
        "results/logs/assemble_table/{table}.log",
    benchmark:
        "results/benchmarks/assemble_table/{table}.tsv"
    wildcard_constraints:
        table=plan.tables_of_kind("scores"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=1000,
        runtime=15,
    params:
        block=lambda wildcards: canonical(outputs.table_block(wildcards.table)),
        prefix=lambda wildcards: f"results/tables/{wildcards.table}",
        data_note=plan.data_note(),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_table --table-json {params.block:q}"
        " --scores {input.scores:q} --details {input.details:q} --reference {input.reference:q}"
        " --data-note {params.data_note:q} --output-prefix {params.prefix:q} --cells {output.cells:q}"


rule assemble_models:
    input:
        sources=sources("tables.assemble_models"),
    output:
        multiext("results/tables/{table}", ".tsv", ".md", ".html", ".tex"),
    log:
        "results/logs/assemble_models/{table}.log",
    benchmark:
        "results/benchmarks/assemble_models/{table}.tsv"
    wildcard_constraints:
        table=plan.tables_of_kind("models"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=lambda wildcards: canonical(outputs.models_block(wildcards.table)),
        prefix=lambda wildcards: f"results/tables/{wildcards.table}",
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_models --block {params.block:q}"
        " --output-prefix {params.prefix:q}"


rule assemble_grid:
    input:
        sources=sources("tables.assemble_grid"),
        reports=lambda wildcards: [
            f"results/tuning_grid/{search}.{form}"
            for search in plan.grid_searches()
            for form in ("tsv", "json")
        ],
        reference=lambda wildcards: outputs.reference_files("tables", wildcards.table),
    output:
        multiext("results/tables/{table}", ".tsv", ".md", ".html", ".tex"),
    log:
        "results/logs/assemble_grid/{table}.log",
    benchmark:
        "results/benchmarks/assemble_grid/{table}.tsv"
    wildcard_constraints:
        table=plan.tables_of_kind("grid"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=lambda wildcards: canonical(outputs.grid_block(wildcards.table)),
        prefix=lambda wildcards: f"results/tables/{wildcards.table}",
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_grid --block {params.block:q}"
        " --reports {input.reports:q} --reference {input.reference:q}"
        " --output-prefix {params.prefix:q}"


rule assemble_running_time:
    input:
        sources=sources("tables.assemble_running_time"),
        benchmarks=outputs.benchmark_files(),
    output:
        multiext("results/tables/{table}", ".tsv", ".md", ".html", ".tex"),
    log:
        "results/logs/assemble_running_time/{table}.log",
    benchmark:
        "results/benchmarks/assemble_running_time/{table}.tsv"
    wildcard_constraints:
        table=plan.tables_of_kind("running-time"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=lambda wildcards: canonical(outputs.running_time_block(wildcards.table)),
        prefix=lambda wildcards: f"results/tables/{wildcards.table}",
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_running_time --block {params.block:q}"
        " --output-prefix {params.prefix:q}"


rule assemble_scores:
    input:
        sources=sources("tables.assemble_scores"),
        scores=plan.all_scores(),
    output:
        scores="results/tables/scores.tsv",
    log:
        "results/logs/assemble_scores.log",
    benchmark:
        "results/benchmarks/assemble_scores.tsv"
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_scores --scores {input.scores:q}"
        " --output {output.scores:q}"


rule assemble_scorecard:
    input:
        sources=sources("tables.assemble_scorecard"),
        cells=expand("results/tables/cells/{table}.tsv", table=plan.tables_of("scores")),
        figures=expand("results/figures/cells/{figure}.tsv", figure=plan.figures),
    output:
        multiext("results/tables/scorecard", ".tsv", ".md", ".html"),
    log:
        "results/logs/assemble_scorecard.log",
    benchmark:
        "results/benchmarks/assemble_scorecard.tsv"
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=canonical(outputs.scorecard_block()),
        data_note=plan.data_note(),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_scorecard --block {params.block:q}"
        " --cells {input.cells:q} {input.figures:q} --data-note {params.data_note:q}"
        " --output-prefix results/tables/scorecard"


rule assemble_index:
    input:
        sources=sources("tables.assemble_index"),
        tables=expand("results/tables/{table}.html", table=plan.tables),
        figures=expand("results/figures/{figure}.png", figure=plan.figures),
        scorecard="results/tables/scorecard.html",
        scores="results/tables/scores.tsv",
    output:
        index="results/tables/index.html",
    log:
        "results/logs/assemble_index.log",
    benchmark:
        "results/benchmarks/assemble_index.tsv"
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=canonical(outputs.index_block()),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_index --block {params.block:q}"
        " --output {output.index:q}"
