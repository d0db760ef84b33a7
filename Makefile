# One command from a fresh machine (Python 3.11 or newer with venv and pip, and make) to tables.
#   make all_tables   the environment from the lock file, then the workflow on config/config.yaml
#   make first_table  the same for one table, in a minute: STS, CMLM and Mirror next to BERT
#   make environment  the environment alone: Snakemake, the command mirror-bert, and what they need
#   make test         the same for the tests; test-slow for those of tens of seconds
#   make methods      the table of all methods side by side (config/methods.yaml); with DATA=DIR on the
#                     real files in DIR (config/methods_real.yaml)
#   make bench        speed and memory against other ways, to docs/explanation/performance.md;
#                     bench-gpu on a GPU, bench-scale at the size of ontologies
#   make test-gpu     all checks of a GPU, to gpu-report.md; TEST_DEVICE=cpu: the same tests on the
#                     processor, with a tiny model
#   make test-nightly what repeats other tests at length: whole runs, random kills, larger inputs
#   make test-cluster the tests on a SLURM of one node, whose packages it installs (Debian, root)
#   make test-pages   the tests of the results pages in Debian's chromium, which it installs (root)
#   make test-latex   compiles tables with Debian's pdfTeX, which it installs (root)
#   make fuzz         readers, models and commands under damaged files and words (CASES, SEED), for an
#                     hour at most; after a run of the workflow its steps too
#   make chaos        commands and the workflow under faults (FAULTS, SEED), for an hour at most
#   make mutate       small mistakes put into the code: which do the tests notice (MODULES, SAMPLE, SEED),
#                     to mutation-report.md
#   make rehearsal    the papers' grid with synthetic models and data, to rehearsal-report.md
#   make rehearse-gpu what steps would ask of a GPU, counted on a fake one (g++), to
#                     docs/reference/gpu-rehearsal.md
#   make check        formatting, lint and types of code, directions of imports, prose and spelling
#   make container    the image for `snakemake --sdm apptainer`
#   make docs         the references in docs/, from the code; docs-site: docs/ as pages in site/, in
#                     an environment of its own
#   make numbers      the numbers of README and docs/, from a run of all_tables (RESULTS) and dry runs
PYTHON ?= python3
CORES ?= all
VENV := .venv
READY := $(VENV)/.ready
# another list of pinned packages, of a site's own (docs/howto/run-on-a-cluster.md)
LOCK ?= requirements.lock
DOCS_VENV := .docs-venv
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# once the packages are installed, nothing uses the hub; unset for models that are named by hub id
export HF_HUB_OFFLINE ?= 1

# folder of real strings to measure on, and further options of the commands
BENCH_DATA ?= $(firstword $(wildcard ../shared/data) resources/sample_data)
BENCH_OPTIONS ?=

# folder of the run of `make rehearsal`, which is taken up where it ended; options of the command
REHEARSAL ?= ../rehearsal
REHEARSAL_OPTIONS ?=

# what codespell reads; tests misspell on purpose
SPELLED := *.md Makefile Snakefile docs config envs bundled_models workflow_scripts mirror_bert tools \
  benchmarks rules profiles archive

PERFORMANCE := docs/explanation/performance.md
GPU_REHEARSAL := docs/reference/gpu-rehearsal

.PHONY: help all_tables first_table methods test test-slow test-gpu test-nightly test-cluster cluster-packages test-pages pages-packages test-latex latex-packages fuzz chaos mutate check bench bench-gpu bench-scale rehearsal rehearse-gpu environment container lock rulegraph packages docs numbers docs-site clean

help:
	@sed -n '1,/^PYTHON/{/^#/{s/^# \{0,1\}//;p;};}' Makefile

all_tables: environment
	snakemake --cores $(CORES) all_tables

first_table: environment
	snakemake --cores $(CORES) --quiet all -- results/tables/cmlm-table02.html

DATA ?=
methods: environment
	snakemake all_tables --cores $(CORES) --configfile config/methods$(if $(DATA),_real).yaml \
	  $(if $(DATA),--config 'data={root: $(abspath $(DATA))}')

test: environment
	python -m pytest -n 2 --dist worksteal

test-slow: environment
	python -m pytest -n 2 --dist worksteal -m "slow and not cluster and not nightly"

TEST_DEVICE ?= cuda
test-gpu: environment
	python -m tools.check_gpu --device $(TEST_DEVICE) --report gpu-report.md

# SLURM is started without systemd, in a folder of the tests (tests/cluster/one_node_slurm.py)
test-cluster: environment cluster-packages
	python -m pytest -n 2 --dist loadfile -m "cluster and not nightly" tests/cluster

# whole runs, random kills and large inputs, which CI has in short
test-nightly: environment cluster-packages
	python -m pytest -n 2 --dist loadfile -m nightly

CLUSTER_PACKAGES := slurm-wlm slurmdbd munge mariadb-server
cluster-packages:
	@export PATH="$$PATH:/usr/sbin"; for program in slurmctld slurmdbd munged mariadbd; do \
	  command -v $$program > /dev/null || missing=yes; done; test -z "$$missing" || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	    apt-get install --yes -qq --no-install-recommends $(CLUSTER_PACKAGES) > /dev/null; }

# PAGES=results looks at those of a real run as well; instead of Debian's: CHROMIUM, CHROMEDRIVER
PAGES_PACKAGES := .pages-packages
test-pages: environment pages-packages
	PYTHONPATH=$(PAGES_PACKAGES) python -m pytest -m browser tests/pages

pages-packages: $(PAGES_PACKAGES)/.ready
	@{ command -v "$${CHROMIUM:-/usr/bin/chromium}" && \
	   command -v "$${CHROMEDRIVER:-/usr/bin/chromedriver}"; } > /dev/null || \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	    apt-get install --yes -qq --no-install-recommends --reinstall chromium chromium-driver > /dev/null; }

# PAGES=results compiles the tables of a real run as well
test-latex: environment latex-packages
	python -m pytest -m latex tests/tables

# 15 MB; recommended has booktabs
latex-packages:
	@command -v pdflatex > /dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install --yes -qq --no-install-recommends texlive-latex-recommended > /dev/null; }

$(PAGES_PACKAGES)/.ready: envs/pages.lock $(READY)
	rm -rf $(PAGES_PACKAGES)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --target $(PAGES_PACKAGES) --requirement envs/pages.lock
	touch $@

CASES ?= 20000
fuzz: environment
	python -m tools.fuzz --cases $(CASES) $(if $(SEED),--seed $(SEED)) \
	  $(if $(wildcard results/.workflow/metadata/*),--run .)

FAULTS ?= 100
chaos: environment
	python -m tools.chaos --faults $(FAULTS) $(if $(SEED),--seed $(SEED))

# MUTATE_OPTIONS: --again tries only the survivors of the last run, whose results are in .mutants.json
MODULES ?= losses masking scoring tables sampling retrieval plan
SAMPLE ?= 64
MUTATE_PACKAGES := .mutate-packages
mutate: environment $(MUTATE_PACKAGES)/.ready
	nice -n 15 python -m tools.mutate --modules $(MODULES) --sample $(SAMPLE) --seed $(or $(SEED),0) \
	  --results .mutants.json --output mutation-report.md $(MUTATE_OPTIONS)

$(MUTATE_PACKAGES)/.ready: envs/mutate.lock $(READY)
	rm -rf $(MUTATE_PACKAGES)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --target $(MUTATE_PACKAGES) --requirement envs/mutate.lock
	touch $@

check: environment $(DOCS_VENV)/.ready
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules bundled_models/Snakefile
	lint-imports
	mypy
	snakemake --lint
	snakemake --lint --snakefile bundled_models/Snakefile
	python -m tools.check_prose
	$(DOCS_VENV)/bin/codespell $(SPELLED)

bench: environment
	python -m benchmarks.run_benchmarks --data $(BENCH_DATA) \
	  --output $(PERFORMANCE) $(BENCH_OPTIONS)

bench-gpu: environment
	python -m benchmarks.run_benchmarks --gpu --data $(BENCH_DATA) \
	  --output $(PERFORMANCE) $(BENCH_OPTIONS)

# about an hour, 30 GB of disk in TMPDIR
bench-scale: environment
	python -m benchmarks.run_benchmarks --only linking,linking-wide,csls --runs 1 \
	  --model resources/models/bert-bio-mini --data $(BENCH_DATA) --output $(PERFORMANCE) $(BENCH_OPTIONS)

rehearsal: environment
	python -m tools.rehearsal --folder $(REHEARSAL) --report rehearsal-report.md $(REHEARSAL_OPTIONS)

# in seconds, printed: python -m tools.gpu_rehearsal --short
rehearse-gpu: environment
	python -m tools.gpu_rehearsal --page $(GPU_REHEARSAL).md --rows $(GPU_REHEARSAL).tsv

environment: $(READY)

# the stamp is written last, so that an interrupted installation is taken up again
$(READY): $(LOCK) pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit("error: Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; set PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(LOCK)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	  --config-settings editable_mode=compat --editable .
	touch $(READY)

container: envs/container.sif

envs/container.sif: envs/container.def requirements.lock
	apptainer build --force $@ envs/container.def

# remake_lock IN,LOCK,WHAT: all packages that those of IN bring
define remake_lock
$(PYTHON) -m venv --clear .lock-venv
.lock-venv/bin/python -m pip install --quiet --requirement $(1)
{ echo "# Made by \`make lock\` from $(1): every package of $(3), pinned."; \
  .lock-venv/bin/python -m pip freeze --all | grep -v '^pip==' | sed 's/+cpu$$//'; } > $(2).new
mv $(2).new $(2)
rm -rf .lock-venv
endef

lock:
	$(call remake_lock,requirements.in,requirements.lock,the environment)
	$(call remake_lock,envs/docs.in,envs/docs.lock,the environment of the docs)

# the picture of docs/explanation/how-it-works.md; needs graphviz
rulegraph: environment
	snakemake --rulegraph | sed -E 's/, color = "[^"]*"//; s/color=grey/color="#555555"/' \
	  | dot -Tsvg > docs/images/rulegraph.svg

# the picture of the packages and the imports between them; needs graphviz
packages: environment
	python -m tools.draw_packages | dot -Tsvg > docs/images/packages.svg

# the references, from the types, command lines, docstrings and the registry; recorded numbers
docs: environment
	python -m tools.references
	python -m tools.recorded_numbers

# the folder that a run of all_tables made from empty
RESULTS ?= results
numbers: environment
	python -m tools.recorded_numbers --results $(RESULTS)

# nothing but the installation uses the network
docs-site: $(DOCS_VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --strict --quiet

$(DOCS_VENV)/.ready: envs/docs.lock
	$(PYTHON) -m venv --clear $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement envs/docs.lock
	touch $@

clean:
	rm -rf results .snakemake
