"""``python -m planarium``."""

import sys

from planarium._cli import main

sys.exit(main())
