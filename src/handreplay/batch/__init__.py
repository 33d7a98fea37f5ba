"""A shift's worth of recordings: which there are, how they join, who reads them, and what they came to."""
