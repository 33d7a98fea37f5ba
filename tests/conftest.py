"""Being here lets every test import the helpers that lie beside it (clips.py)."""

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, and all that they start; some press it.
signal.signal(signal.SIGINT, signal.default_int_handler)
