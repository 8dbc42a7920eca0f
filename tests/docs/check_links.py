"""Every link of a folder of HTML pages leads to a page and a place that are there: check_links.py FOLDER"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


folder = Path(sys.argv[1]).resolve()
pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
faults, count = [], 0
for path, page in pages.items():
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        count += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists():
            faults.append(f"{path.relative_to(folder)}: there is no {link}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
            faults.append(f"{path.relative_to(folder)}: there is no such place: {link}")
print("\n".join(faults) or f"{count} links on {len(pages)} pages lead somewhere.")
sys.exit(1 if faults else 0)
