"""Keywords from the core's descriptions of its options: each option is described once, in C++."""

import functools
import inspect
import numbers
import textwrap

import numpy as np

from . import _core
from ._driving import Driving

_TYPES = {"number": float, "integer": int, "flag": bool}


class Option:
    """One option of a fit, as Python sees it."""

    def __init__(self, name, help, kind, default, choices):
        self.flag = name
        self.name = name.replace("-", "_")
        self.help = help
        self.kind = kind
        self.choices = choices
        if kind == "flag":
            self.default = default == "true"
        else:
            self.default = _TYPES.get(kind, str)(default)

    def text(self, value):
        """The value as the core reads it. The core says whether it will do."""
        if self.kind == "flag" and isinstance(value, (bool, np.bool_)):
            return "true" if value else "false"
        if self.kind == "integer" and isinstance(value, numbers.Integral):
            return str(int(value))
        if self.kind == "number" and isinstance(value, numbers.Real):
            return repr(float(value))
        if self.kind == "text" and isinstance(value, (list, tuple, np.ndarray)):
            return ",".join(str(v) for v in value)
        return str(value)

    def documented(self):
        kind = _TYPES.get(self.kind, str).__name__
        if self.choices:
            kind = "{" + ", ".join(repr(word) for word, _ in self.choices) + "}"
        head = f"{self.name} : {kind}, default={self.default!r}\n"
        lines = [self.help[:1].upper() + self.help[1:] + "."]
        lines += [f"- ``{word!r}``: {meaning}" for word, meaning in self.choices if meaning]
        body = "\n".join(
            textwrap.fill(
                line,
                92,
                initial_indent="    ",
                subsequent_indent="      " if line[0] == "-" else "    ",
            )
            for line in lines
        )
        return head + body.replace("    - ", "\n    - ", 1)


def options_of(kind, without=()):
    """The options of a kind of fit, by their Python name."""
    described = [Option(*fields) for fields in _core.options(kind)]
    return {o.name: o for o in described if o.name not in without}


def texts(options, values):
    """What the core is handed: the text of each value, by the core's name of it."""
    return {options[name].flag: options[name].text(value) for name, value in values.items()}


def signature_of(options, before=()):
    """Keyword-only parameters with the options' defaults, after those before."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    mine = [inspect.Parameter(o.name, keyword, default=o.default) for o in options.values()]
    return inspect.Signature([*before, *mine])


def listed(options):
    """The options as numpydoc has parameters."""
    return "\n".join(o.documented() for o in options.values())


def filled(options, given):
    """All values: those that were given, and defaults. Names that do not exist are a TypeError."""
    bound = signature_of(options).bind(**given)
    bound.apply_defaults()
    return bound.arguments


def takes_options(kind, without=()):
    """Decorator of a function with ``driving`` and ``options``: a caller gives both as keywords, which the signature and
    the docstring list, and the function gets a Driving and a Chosen."""
    options = options_of(kind, without)
    driving = inspect.signature(Driving).parameters

    def decorate(function):
        own = inspect.signature(function).parameters.values()
        kept = [p for p in own if p.name not in ("driving", "options")]
        signature = signature_of(options, [*kept, *driving.values()])

        @functools.wraps(function)
        def call(*args, **given):
            bound = signature.bind(*args, **given)
            bound.apply_defaults()
            every = bound.arguments
            own_values = {p.name: every[p.name] for p in kept}
            chosen = Chosen(options, {name: every[name] for name in options})
            how = Driving(**{name: every[name] for name in driving})
            return function(**own_values, driving=how, options=chosen)

        call.__signature__ = signature
        call.__doc__ = inspect.cleandoc(function.__doc__).replace(
            "**options\n    As follows.", f"{Driving.documented}\n{listed(options)}"
        )
        return call

    return decorate


class Chosen:
    """Options with their values: as attributes, and as the core takes them."""

    def __init__(self, options, values):
        self.__dict__.update(values)
        self.texts = texts(options, values)


def with_options(kind):
    """Class decorator: ``__init__`` takes the options of a kind of fit, and the docstring lists them."""
    options = options_of(kind)

    def decorate(cls):
        me = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)

        def __init__(self, **parameters):
            for name, value in filled(options, parameters).items():
                setattr(self, name, value)

        __init__.__signature__ = signature_of(options, [me])
        cls.__init__ = __init__
        cls._options = options
        cls._kind = kind
        head, _, tail = inspect.cleandoc(cls.__doc__).partition("Attributes\n")
        cls.__doc__ = f"{head}Parameters\n----------\n{listed(options)}\n\nAttributes\n{tail}"
        return cls

    return decorate
