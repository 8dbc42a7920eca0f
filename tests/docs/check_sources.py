#!/usr/bin/env python3
"""Every link of the Markdown files to another file leads to one: check_sources.py ROOT"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

root = Path(sys.argv[1]).resolve()
faults, count = [], 0
for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            continue
        count += 1
        if not (page.parent / unquote(link.split("#")[0])).exists():
            faults.append(f"{page.relative_to(root)}: there is no {link}")
print("\n".join(faults) or f"{count} links lead to files.")
sys.exit(1 if faults or count == 0 else 0)
