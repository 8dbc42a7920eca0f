"""Settings of the documentation site; scripts/site builds it."""

import os

project = "Fisherman"
author = "the Fisherman authors"
copyright = "2026, the Fisherman authors"
version = release = os.environ["FISHERMAN_VERSION"]
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_title = "Fisherman"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}
nitpicky = False
