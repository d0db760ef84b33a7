# Tables: mean and deviation over seeds, the published value beside each cell.
# Inputs:  results/scores/..., config/reference/{table}.tsv (published values)
# Outputs: results/tables/{table}.{tsv,md,html}, scores.tsv (all tidy scores), index.html


rule assemble_table:
    input:
        sources=sources("tables.assemble_table"),
        scores=lambda wildcards: plan.table_scores(wildcards.table),
        reference=lambda wildcards: plan.table_reference(wildcards.table),
    output:
        multiext("results/tables/{table}", ".tsv", ".md", ".html"),
    log:
        "results/logs/assemble_table/{table}.log",
    benchmark:
        "results/benchmarks/assemble_table/{table}.tsv"
    wildcard_constraints:
        table="|".join(plan.tables),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=5,
    params:
        block=lambda wildcards: canonical(plan.table_block(wildcards.table)),
        prefix=lambda wildcards: f"results/tables/{wildcards.table}",
        data_note=plan.data_note(),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_table --table-json {params.block:q}"
        " --scores {input.scores:q} --reference {input.reference:q}"
        " --data-note {params.data_note:q} --output-prefix {params.prefix:q}"


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


rule assemble_index:
    input:
        sources=sources("tables.assemble_index"),
        tables=expand("results/tables/{table}.html", table=plan.tables),
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
        block=canonical(plan.index_block()),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.tables.assemble_index --block {params.block:q}"
        " --output {output.index:q}"
