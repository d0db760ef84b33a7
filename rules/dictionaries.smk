# Dictionaries: mentions linked to names in shards, each embedded and searched by jobs of its own. Not
# part of all_tables; run the target all_links.
#
# Inputs:  files of names and of mentions, the encoder's folder
# Outputs: results/dictionaries/{dictionary}/
#            names/{file}.tsv             ids and names of a file
#            indices/{file}/{shard}/      an index of a shard of names, as link --index keeps one
#            mentions.npy                 vectors of the mentions
#            rankings/{file}/{shard}.tsv  best ids of each mention in a shard
#            links.tsv, errors.tsv, report.txt  over all shards: what the command link gives

dictionaries = plan.dictionaries


wildcard_constraints:
    dictionary=alternatives(dictionaries.names),
    file=alternatives(dictionaries.files),
    shard=r"\d+-of-\d+",


rule all_links:
    """Target: the links of every dictionary of the config"""
    input:
        dictionaries.links,
    localrule: True


rule list_names:
    """Ids and names of a file, for all its shards"""
    input:
        sources=sources("retrieval.list_names"),
        names=dictionaries.names_input,
    output:
        names="<results>/dictionaries/{dictionary}/names/{file}.tsv",
        usage="<results>/benchmarks/list_names/{dictionary}/{file}.tsv",
    log:
        "<results>/logs/list_names/{dictionary}/{file}.log",
    conda:
        "../envs/plain.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        names=dictionaries.names_path,
        choices=dictionaries.names_choices,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.retrieval.list_names \
            --names {params.names:q} \
            --choices-json {params.choices:q} \
            --output {output.names:q}
        """


rule embed_names:
    """Index of a shard of the names of a file"""
    input:
        sources=sources("retrieval.embed_names"),
        encoder=dictionaries.encoder_input,
        names="<results>/dictionaries/{dictionary}/names/{file}.tsv",
    output:
        names="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/names.tsv",
        vectors="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/vectors.npy",
        record="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/index.json",
        usage="<results>/benchmarks/embed_names/{dictionary}/{file}/{shard}.tsv",
    log:
        "<results>/logs/embed_names/{dictionary}/{file}/{shard}.log",
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.embedding
    resources:
        gpu=rule_inputs.gpus,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 240 * attempt,
    params:
        encoder=dictionaries.encoder_words,
        choices=dictionaries.names_choices,
        dtype=lambda wildcards: dictionaries.block(wildcards).dtype,
        index=dictionaries.index,
        device=lambda wildcards: plan.config.device,
    shell:
        r"""
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.retrieval.embed_names \
            --names {input.names:q} \
            --choices-json {params.choices:q} \
            --shard {wildcards.shard:q} \
            {params.encoder:q} \
            --dtype {params.dtype:q} \
            --threads {threads} \
            --device {params.device:q} \
            --index {params.index:q}
        """


rule embed_mentions:
    """Vectors of the mentions of a dictionary"""
    input:
        sources=sources("retrieval.embed_mentions"),
        encoder=dictionaries.encoder_input,
        mentions=dictionaries.mentions_input,
    output:
        vectors="<results>/dictionaries/{dictionary}/mentions.npy",
        usage="<results>/benchmarks/embed_mentions/{dictionary}.tsv",
    log:
        "<results>/logs/embed_mentions/{dictionary}.log",
    conda:
        "../envs/torch.yaml"
    threads: plan.config.threads.embedding
    resources:
        gpu=rule_inputs.gpus,
        mem_mb=lambda wildcards, attempt: 6000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        encoder=dictionaries.encoder_words,
        mentions=dictionaries.mentions_words,
        device=lambda wildcards: plan.config.device,
    shell:
        r"""
        logged {log:q} {output.usage:q} on_gpu {resources.gpu} \
            python -m workflow_scripts.retrieval.embed_mentions \
            {params.mentions:q} \
            {params.encoder:q} \
            --threads {threads} \
            --device {params.device:q} \
            --output {output.vectors:q}
        """


rule link_shard:
    """Nearest names of each mention in a shard"""
    input:
        sources=sources("retrieval.link_shard"),
        names="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/names.tsv",
        vectors="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/vectors.npy",
        record="<results>/dictionaries/{dictionary}/indices/{file}/{shard}/index.json",
        mentions="<results>/dictionaries/{dictionary}/mentions.npy",
    output:
        ranking="<results>/dictionaries/{dictionary}/rankings/{file}/{shard}.tsv",
        usage="<results>/benchmarks/link_shard/{dictionary}/{file}/{shard}.tsv",
    log:
        "<results>/logs/link_shard/{dictionary}/{file}/{shard}.log",
    conda:
        "../envs/plain.yaml"
    threads: plan.config.threads.retrieval
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        index=dictionaries.index,
        k=lambda wildcards: dictionaries.block(wildcards).k,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.retrieval.link_shard \
            --index {params.index:q} \
            --mentions {input.mentions:q} \
            --k {params.k:q} \
            --threads {threads} \
            --output {output.ranking:q}
        """


rule merge_links:
    """The links of a dictionary over all its shards"""
    input:
        sources=sources("retrieval.merge_links"),
        mentions=dictionaries.mentions_input,
        rankings=dictionaries.rankings,
    output:
        links="<results>/dictionaries/{dictionary}/links.tsv",
        errors="<results>/dictionaries/{dictionary}/errors.tsv",
        report="<results>/dictionaries/{dictionary}/report.txt",
        usage="<results>/benchmarks/merge_links/{dictionary}.tsv",
    log:
        "<results>/logs/merge_links/{dictionary}.log",
    localrule: True
    conda:
        "../envs/plain.yaml"
    params:
        folder=dictionaries.rankings_folder,
        files=lambda wildcards: list(dictionaries.block(wildcards).names),
        shards=lambda wildcards: dictionaries.block(wildcards).shards,
        mentions=dictionaries.mentions_words,
        links=dictionaries.links_words,
    shell:
        r"""
        logged {log:q} {output.usage:q} \
            python -m workflow_scripts.retrieval.merge_links \
            --rankings {params.folder:q} \
            --files {params.files:q} \
            --shards {params.shards:q} \
            {params.mentions:q} \
            {params.links:q} \
            --links {output.links:q} \
            --errors {output.errors:q} \
            --report {output.report:q}
        """
