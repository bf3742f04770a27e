"""Documents that are translated as they are: their text becomes another, and everything else stays."""
