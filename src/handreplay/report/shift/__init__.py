"""The shift report: what of a night could be judged, what was found, and which rounds each number stands on."""
