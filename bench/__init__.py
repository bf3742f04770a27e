"""Benchmarks: our jobs beside the peers' on the same data, as ratios. `python -m bench --help`."""
