"""Formulas, by the package formulaic; only the group terms, which it does not know, are read here."""

import re
import warnings

import numpy as np

from ._columns import absent, column

_GROUP = re.compile(r"(\+?)\s*\(([^()|]*)\|\|?([^()|]*)\)")
_NAME = re.compile(r"`[^`]+`|[^\W\d]\w*")


def _core_name(name):
    """The core has backquotes around names, and none in them."""
    return name.replace("`", "'")


def _quoted(name):
    return f"`{_core_name(name)}`"


def _plain(text):
    """A name of a column as it stands in a formula; None for anything else."""
    text = text.strip()
    return text.strip("`") if _NAME.fullmatch(text) else None


class Formula:
    """``outcome ~ terms + (slopes | group)``, and how it was applied to the data of a fit.

    ``outcome`` is the name of a column if it is that alone, ``groups`` has a list of slopes for each group, and
    ``spec`` is formulaic's own, which has what it learnt of the data.
    """

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(f"formula is a {type(text).__name__}, but must be a text such as 'y ~ age'")
        self.text = text
        self.groups = {}
        fixed = _GROUP.sub(self._take_group, text)
        if "|" in fixed:
            raise ValueError(
                f"formula is {text!r}, but a group term must be as (1 | school) or (1 + age | school), with names "
                "of columns and no other signs in it, and there are no other uses of |"
            )
        outcome, tilde, terms = fixed.rpartition("~")
        self.lhs = outcome.strip()
        if "~" in self.lhs:
            raise ValueError(f"formula is {text!r}, but has more than one ~")
        self.outcome = _plain(self.lhs)
        self.rhs = terms.strip().lstrip("+").strip() or "1"
        self.spec = self.lhs_spec = None

    def _take_group(self, found):
        before, left, right = found.groups()
        term = found.group(0).lstrip("+ ")
        group = _plain(right)
        if group is None:
            raise ValueError(
                f"the group term {term} has {right.strip()!r} behind the bar, but must have the name of one column "
                "there; make a column of the combination, or write a term for each group"
            )
        slopes = []
        for part in left.split("+"):
            name = _plain(part)
            if name is None and part.strip() != "1":
                raise ValueError(
                    f"the group term {term} has {part.strip()!r} before the bar, but only 1 and names of columns "
                    "with + between them are supported there; each group has an intercept"
                )
            if name is not None:
                slopes.append(name)
        if group in self.groups:
            raise ValueError(f"formula has two terms for the group {group!r}; write its slopes into one of them")
        self.groups[group] = slopes
        return " "

    def group_option(self):
        """The groups as the core's option has them."""
        parts = []
        for group, slopes in self.groups.items():
            named = ": " + ", ".join(map(_quoted, slopes)) if slopes else ""
            parts.append(_quoted(group) + named)
        return "; ".join(parts)

    def fit(self, frame, missing):
        """Learn the terms of a data frame. Returns which of its rows are used."""
        from formulaic import Formula as Parsed
        from formulaic.errors import FormulaicError

        try:
            terms = Parsed(self.rhs)
            needed = set(terms.required_variables)
            if self.lhs and self.outcome is None:
                outcome = Parsed(self.lhs + " + 0")
                needed |= set(outcome.required_variables)
        except (FormulaicError, AttributeError) as error:
            raise self._refused(error) from error
        self.needed = [name for name in frame.columns if name in needed]
        lacks = self.lacking(frame)
        if lacks.any() and missing != "drop":
            raise ValueError(
                f"{lacks.sum()} of {len(frame)} rows have missing values in columns of the formula; missing='drop' "
                "leaves them out, and without a formula missing='mean' or 'indicator' fills them in"
            )
        if lacks.all():
            raise ValueError("every row has a missing value in a column of the formula")
        self.spec = self._matrix(terms, frame[~lacks]).model_spec
        if self.lhs and self.outcome is None:
            self.lhs_spec = self._matrix(outcome, frame[~lacks]).model_spec
            if len(self.lhs_spec.column_names) != 1:
                raise ValueError(
                    f"formula has {self.lhs!r} before the ~, which makes {len(self.lhs_spec.column_names)} columns, "
                    "but there must be one outcome"
                )
        return ~lacks

    @property
    def intercept(self):
        return "Intercept" in self.spec.column_names

    @property
    def names(self):
        """Of the columns that the terms make."""
        return [_core_name(name) for name in self.spec.column_names if name != "Intercept"]

    def terms_option(self):
        return ", ".join(map(_quoted, self.names)) or "1"

    def outcomes(self, frame):
        """What stands before the ~, for rows of a frame."""
        if self.outcome is not None:
            if self.outcome not in frame.columns:
                raise ValueError(f"X has no column {self.outcome!r}, which the formula has before the ~")
            return frame[self.outcome]
        return np.asarray(self._matrix(self.lhs_spec, frame), dtype=np.float64)[:, 0]

    def columns(self, frame, besides=()):
        """The core's columns of the terms, for rows of the fit or new ones, and those of the frame's own ``besides``."""
        lacks = self.lacking(frame)
        if lacks.any():
            raise ValueError(
                f"X, row {int(np.argmax(lacks)) + 1}: a value is missing in a column of the formula"
            )
        matrix = self._matrix(self.spec, frame)
        made = [name for name in self.spec.column_names if name != "Intercept"]
        out = [(_core_name(name), np.asarray(matrix[name], dtype=np.float64)) for name in made]
        return out + [column(name, frame[name]) for name in besides if name not in self.names]

    def lacking(self, frame):
        lacks = np.zeros(len(frame), dtype=bool)
        for name in self.needed:
            if name in frame.columns:
                lacks |= absent(frame[name])
        return lacks

    def _matrix(self, spec, frame):
        from formulaic.errors import DataMismatchWarning, FormulaicError

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Constructing a Categorical")  # it follows from the next
            warnings.simplefilter("error", DataMismatchWarning)
            try:
                # Rows with missing values are out already; the names in a formula are those of columns.
                return spec.get_model_matrix(frame, context={}, na_action="ignore")
            except DataMismatchWarning as error:
                seen = str(error).partition(" They are being")[0]  # and what it would have done
                raise ValueError(f"X does not suit the formula {self.text!r}: {seen}") from error
            except FormulaicError as error:
                raise self._refused(error) from error

    def _refused(self, error):
        why = str(error).partition("\n")[0]  # without the colours of a terminal
        return ValueError(f"formula is {self.text!r}, which formulaic refuses: {why}")
