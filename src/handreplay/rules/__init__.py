"""One function per finding code, grouped by family."""
