# Corpora: text files of raw strings, one a line, that models are tuned on.
# Inputs:  the files that a corpus block names, in the data root
# Outputs: results/corpora/{corpus}.txt and .json (counts, hash, where it came from)


rule sample_frequent_words:
    input:
        sources=sources("corpora.sample_frequent_words"),
        raw=lambda wildcards: plan.corpus_files(wildcards.corpus),
    output:
        strings="results/corpora/{corpus}.txt",
        record="results/corpora/{corpus}.json",
    log:
        "results/logs/sample_frequent_words/{corpus}.log",
    benchmark:
        "results/benchmarks/sample_frequent_words/{corpus}.tsv"
    wildcard_constraints:
        corpus=plan.corpora_of("frequent-words"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        block=lambda wildcards: plan.corpus_block(wildcards.corpus),
        root=config["data"]["root"],
    shell:
        "logged {log[0]:q} python -m workflow_scripts.corpora.sample_frequent_words --block {params.block:q}"
        " --root {params.root:q} --output {output.strings:q} --record {output.record:q}"


rule sample_names:
    input:
        sources=sources("corpora.sample_names"),
        raw=lambda wildcards: plan.corpus_files(wildcards.corpus),
    output:
        strings="results/corpora/{corpus}.txt",
        record="results/corpora/{corpus}.json",
    log:
        "results/logs/sample_names/{corpus}.log",
    benchmark:
        "results/benchmarks/sample_names/{corpus}.tsv"
    wildcard_constraints:
        corpus=plan.corpora_of("names"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        block=lambda wildcards: plan.corpus_block(wildcards.corpus),
        root=config["data"]["root"],
    shell:
        "logged {log[0]:q} python -m workflow_scripts.corpora.sample_names --block {params.block:q}"
        " --root {params.root:q} --output {output.strings:q} --record {output.record:q}"


rule sample_sentences:
    input:
        sources=sources("corpora.sample_sentences"),
        raw=lambda wildcards: plan.corpus_files(wildcards.corpus),
    output:
        strings="results/corpora/{corpus}.txt",
        record="results/corpora/{corpus}.json",
    log:
        "results/logs/sample_sentences/{corpus}.log",
    benchmark:
        "results/benchmarks/sample_sentences/{corpus}.tsv"
    wildcard_constraints:
        corpus=plan.corpora_of("sentences"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 8000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        block=lambda wildcards: plan.corpus_block(wildcards.corpus),
        root=config["data"]["root"],
    shell:
        "logged {log[0]:q} python -m workflow_scripts.corpora.sample_sentences --block {params.block:q}"
        " --root {params.root:q} --output {output.strings:q} --record {output.record:q}"


rule make_random_strings:
    input:
        sources=sources("corpora.make_random_strings"),
    output:
        strings="results/corpora/{corpus}.txt",
        record="results/corpora/{corpus}.json",
    log:
        "results/logs/make_random_strings/{corpus}.log",
    benchmark:
        "results/benchmarks/make_random_strings/{corpus}.tsv"
    wildcard_constraints:
        corpus=plan.corpora_of("random-strings"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        block=lambda wildcards: plan.corpus_block(wildcards.corpus),
        root=config["data"]["root"],
    shell:
        "logged {log[0]:q} python -m workflow_scripts.corpora.make_random_strings --block {params.block:q}"
        " --root {params.root:q} --output {output.strings:q} --record {output.record:q}"


rule join_corpora:
    input:
        sources=sources("corpora.join_corpora"),
        corpora=lambda wildcards: plan.joined_corpora(wildcards.corpus),
    output:
        strings="results/corpora/{corpus}.txt",
        record="results/corpora/{corpus}.json",
    log:
        "results/logs/join_corpora/{corpus}.log",
    benchmark:
        "results/benchmarks/join_corpora/{corpus}.tsv"
    wildcard_constraints:
        corpus=plan.corpora_of("joined"),
    conda:
        "../envs/plain.yaml"
    threads: 1
    resources:
        gpu=0,
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        block=lambda wildcards: plan.corpus_block(wildcards.corpus),
    shell:
        "logged {log[0]:q} python -m workflow_scripts.corpora.join_corpora --block {params.block:q}"
        " --corpora {input.corpora:q} --output {output.strings:q} --record {output.record:q}"


rule all_corpora:
    input:
        expand("results/corpora/{corpus}.txt", corpus=config["corpora"]),
