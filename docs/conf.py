"""How the site is built: ``make docs``."""

import inspect
import warnings
from functools import cached_property
from pathlib import Path

import tlpo

HERE = Path(__file__).parent

project = "tlpo"
author = "The tlpo developers"
copyright = author
version = release = tlpo.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_templates", "gallery/**/*.md5", "gallery/**/*.ipynb"]
nitpicky = False
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4


def own_members(fullname):
    """Yield the public members of a class that the package wrote, not its libraries."""
    cls = getattr(tlpo, fullname.rpartition(".")[2])
    for name in sorted(dir(cls)):
        member = inspect.getattr_static(cls, name)
        ours = next(base for base in cls.__mro__ if name in vars(base)).__module__
        if not name.startswith("_") and ours.startswith("tlpo"):
            yield name, member


def own_methods(fullname):
    """List the methods of a class; template of its page."""
    kinds = (staticmethod, classmethod)
    return [n for n, m in own_members(fullname) if inspect.isfunction(m) or isinstance(m, kinds)]


def own_properties(fullname):
    """List the properties of a class; its fields are described in its docstring."""
    kinds = (property, cached_property)
    return [name for name, member in own_members(fullname) if isinstance(member, kinds)]


# A name in single backticks is a link where it is one of ours.
default_role = "autolink"
autosummary_generate = True
autosummary_context = {"own_methods": own_methods, "own_properties": own_properties}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/.*\.py",
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "min_reported_time": 20,
}
# A figure that is drawn in a loop without a screen.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

html_theme = "pydata_sphinx_theme"
html_title = "tlpo"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
}
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_copy_source = False
html_show_sourcelink = False
