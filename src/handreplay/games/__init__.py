"""Hand rankings, paytables, and one module per game: the deal, the decisions, what each wager is due."""
