"""Pixels become observations: the felt view, what changed, cards, chips, hands."""
