import os
import sys
from pathlib import Path

# Tests run side by side, on small tables: threads that wait for work would take each other's cores.
# Read when NumPy is imported; processes that tests start inherit it.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# Tests start many processes: without byte code each would compile the package and its tests anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import matplotlib as mpl  # noqa: E402
from hypothesis import settings  # noqa: E402

mpl.use("Agg")
# Displays leave their figures open, those of doctests too.
mpl.rcParams["figure.max_open_warning"] = 0
# The same examples in every run, so that a red run is red again; `make fuzz` draws new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", derandomize=False, print_blob=True, deadline=None)
settings.load_profile("same")
# Workers of a process pool unpickle functions of the oracles by name.
sys.path.insert(0, str(Path(__file__).parent))


def pytest_xdist_auto_num_workers(config):
    """One process more than cores: many tests wait for processes that they start."""
    return min(4, 1 + (os.cpu_count() or 1))
