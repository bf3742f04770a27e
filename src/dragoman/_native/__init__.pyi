"""The native core: one submodule per room."""

from dragoman._native import common as common
from dragoman._native import text as text
from dragoman._native import lm as lm
