# Figures: each drawn as PNG and SVG, with the numbers behind and a note of what was measured.
# Inputs:  what outputs.figure_inputs names: results/scores/... (.tsv, .npz), results/corpora/...,
#          results/datasets/... (items, strings), config/reference/{figure}.tsv (published values)
# Outputs: results/figures/{figure}.{png,svg,tsv,md}, results/figures/cells/{figure}.tsv


rule draw_figure:
    input:
        sources=sources("figures.draw_figure"),
        scores=lambda wildcards: outputs.figure_inputs(wildcards.figure)["scores"],
        details=lambda wildcards: outputs.figure_inputs(wildcards.figure)["details"],
        records=lambda wildcards: outputs.figure_inputs(wildcards.figure)["records"],
        texts=lambda wildcards: outputs.figure_inputs(wildcards.figure)["texts"],
        reference=lambda wildcards: outputs.reference_files("figures", wildcards.figure),
    output:
        multiext("results/figures/{figure}", ".png", ".svg", ".tsv", ".md"),
        cells="results/figures/cells/{figure}.tsv",
    log:
        "results/logs/draw_figure/{figure}.log",
    benchmark:
        "results/benchmarks/draw_figure/{figure}.tsv"
    wildcard_constraints:
        figure=plan.figure_ids(),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=500,
        runtime=10,
    params:
        block=lambda wildcards: canonical(outputs.figure_block(wildcards.figure)),
        prefix=lambda wildcards: f"results/figures/{wildcards.figure}",
        data_note=plan.data_note(),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.figures.draw_figure --block {params.block:q}"
        " --scores {input.scores:q} --details {input.details:q} --records {input.records:q}"
        " --texts {input.texts:q} --reference {input.reference:q}"
        " --data-note {params.data_note:q} --output-prefix {params.prefix:q}"
        " --cells {output.cells:q}"
