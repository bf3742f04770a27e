"""The native core: one submodule per room."""

from dragoman._native import align as align
from dragoman._native import annotations as annotations
from dragoman._native import combination as combination
from dragoman._native import common as common
from dragoman._native import evaluation as evaluation
from dragoman._native import features as features
from dragoman._native import forest as forest
from dragoman._native import grammar as grammar
from dragoman._native import lm as lm
from dragoman._native import metrics as metrics
from dragoman._native import neural as neural
from dragoman._native import search as search
from dragoman._native import semantics as semantics
from dragoman._native import similarity as similarity
from dragoman._native import text as text
from dragoman._native import tuning as tuning
