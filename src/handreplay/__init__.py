"""handreplay: from recorded footage of a table game to findings that a supervisor can check."""

__version__ = "0.2.0"
