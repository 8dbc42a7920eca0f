"""Settings of the documentation site; scripts/site builds it."""

import os
import re
from pathlib import Path

project = "Fisherman"
author = "the Fisherman authors"
copyright = "2026, the Fisherman authors"
version = release = os.environ["FISHERMAN_VERSION"]
extensions = ["myst_parser", "breathe"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_title = "Fisherman"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}
breathe_projects = {"fisherman": os.environ["FISHERMAN_DOXYGEN"]}
breathe_default_project = "fisherman"
breathe_default_members = ("members",)
cpp_index_common_prefix = ["fisherman::"]
nitpicky = False
