import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
# Workers of a process pool unpickle functions of the oracles by name.
sys.path.insert(0, str(Path(__file__).parent))
