"""Grammar: how each language says an abstract sentence.

`production` is the notation, `base` what all languages share, and one module per language holds its productions.
"""
