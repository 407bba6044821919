import os
import sys
from pathlib import Path

import matplotlib as mpl
from hypothesis import settings

mpl.use("Agg")
# Displays leave their figures open, those of doctests too.
mpl.rcParams["figure.max_open_warning"] = 0
# The same examples in every run, so that a red run is red again; `make fuzz` draws new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("new", derandomize=False, print_blob=True)
settings.load_profile("same")
# Workers of a process pool unpickle functions of the oracles by name.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_xdist_auto_num_workers(config):
    """One process more than cores: many tests wait for processes that they start."""
    return min(4, 1 + (os.cpu_count() or 1))
