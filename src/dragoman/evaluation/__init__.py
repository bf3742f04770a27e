"""Evaluation: statements about systems — is one better, does a metric follow people — with honest uncertainty.

Everything here works on numbers (statistics matrices of metrics, scores of segments and systems), never on text, so
that a score made elsewhere is treated like one of ours.
"""
