"""How right an audit is, measured on footage whose true round log is known."""
