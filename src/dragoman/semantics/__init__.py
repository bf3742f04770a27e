"""Meaning: what words and phrases have in common beyond their spelling."""
