"""Draws labelled training pictures and demo footage."""
