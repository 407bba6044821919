"""Honest ROC analysis for small samples: tournament leave-pair-out cross-validation."""

import lazy_loader

__version__ = "0.2.0"

# The public names are listed once, in __init__.pyi, and resolved on first use: importing
# scikit-learn takes a second, which `tlpo --help` should not.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
