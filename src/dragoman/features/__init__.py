"""Features: what a derivation is scored by, and the weights that multiply them."""
