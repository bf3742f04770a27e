"""Morphology of the three languages: words from lemmas and features, nothing about sentences."""
