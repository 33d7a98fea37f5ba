"""Being here lets every test import the helpers that lie beside it (clips.py)."""
