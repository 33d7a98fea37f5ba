"""Review and evidence: look, correct, decide, hand over. Nothing that an audit or a person entered is overwritten."""
