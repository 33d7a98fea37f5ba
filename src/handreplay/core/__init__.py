"""Plain values shared by every stage. Standard library only."""
