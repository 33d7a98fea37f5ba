"""Observations become rounds: settled table states, transitions, round borders, rack order."""
