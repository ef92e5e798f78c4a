"""`python -m compiler.cli` is `archc`."""

import sys

from compiler.cli import main

sys.exit(main())
