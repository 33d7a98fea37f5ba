"""Preloaded by a worker that stands for a machine with another handreplay."""

import handreplay

handreplay.__version__ = "0.0.1"
