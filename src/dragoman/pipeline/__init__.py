"""Pipeline: from raw text to a model bundle."""
