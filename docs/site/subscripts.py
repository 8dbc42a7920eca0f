"""Sets F_θ, s^{1−α} and the like in a Markdown page with subscripts and superscripts: subscripts.py FILE"""

import re
import sys
from pathlib import Path

NAMES = r"max|min|TT|T𝒩|𝒩𝒩|𝒩T|[^\s_*`(){}\[\]|,.]"


def set_text(text):
    text = re.sub(r"(?<=\S)_\{([^}]*)\}", r"<sub>\1</sub>", text)
    text = re.sub(rf"(?<=[^\s_])_({NAMES})", r"<sub>\1</sub>", text)
    text = re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", text)
    return re.sub(r"\^(−?[½αβ](?:/2)?)", r"<sup>\1</sup>", text)


page = Path(sys.argv[1])
parts = re.split(r"(`[^`]*`|\]\([^)]*\))", page.read_text(encoding="utf-8"))  # neither code nor links
page.write_text("".join(part if k % 2 else set_text(part) for k, part in enumerate(parts)), encoding="utf-8")
