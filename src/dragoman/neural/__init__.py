"""Small neural models, trained and asked natively.

`JointModel` predicts target words from those before them and from the source (Devlin et al. 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.neural.joint_model import JointModel
    from dragoman.neural.joint_training import JointSettings, train_joint_model

__all__ = ["JointModel", "JointSettings", "train_joint_model"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "JointModel": "dragoman.neural.joint_model",
        "JointSettings": "dragoman.neural.joint_training",
        "train_joint_model": "dragoman.neural.joint_training",
    },
)
