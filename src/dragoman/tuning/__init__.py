"""Tuning: weights that make a decoder translate well, and combinations of decoders that do better than each."""
