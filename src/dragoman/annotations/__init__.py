"""Annotations: one annotated-sentence type for every kind of linguistic analysis, with its readers and writers."""
