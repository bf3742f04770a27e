"""Text: corpora and bitexts, cleaning, reversible preprocessing, and the synthetic language pairs."""
