"""Findings become text, JSON, CSV, pages and evidence."""
