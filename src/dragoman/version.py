"""The version of dragoman, in one place: the package, the build and everything that is written say this one."""

__all__ = ["__version__"]

__version__ = "0.1.0"
