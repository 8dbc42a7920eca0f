"""Bayesian regression with any likelihood, from data frames, arrays and formulas."""

import csv
import inspect
import io
from difflib import get_close_matches

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from . import _core
from ._columns import absent, column, columns_of_array, is_frame, one_column, unused
from ._driving import Driving
from ._estimator import Estimator, FittedPosterior, numbered
from ._formula import Formula
from ._options import with_options
from ._results import GaussianInUnits

# What a column may be besides a term: the keyword of fit(), and the option of the core that names such a column.
_PARTS = {"sample_weight": "weights", "offset": "offset", "trials": "trials", "groups": "group"}


def _binary(likelihood):
    about = _core.likelihoods().get(str(likelihood))
    return about is not None and about["binary"]


def _several_classes(likelihood):
    about = _core.likelihoods().get(str(likelihood))
    return about is not None and about["link"] == "softmax"


def _joined(*groups):
    """Several texts for the option group."""
    return "; ".join(text for text in groups if text)


def _at(values, kept):
    return (values if hasattr(values, "dtype") else np.asarray(values))[kept]


def _name_of(values, part, columns):
    """The name of a Series, or that of the keyword; one that no column has."""
    name = getattr(values, "name", None)
    return unused(name if isinstance(name, str) and name else part, [other for other, _ in columns])


@with_options("regression")
class BayesianRegression(GaussianInUnits, FittedPosterior, Estimator):
    """Bayesian regression with any likelihood: what ``fisherman fit regression`` does.

    ``likelihood`` says what the outcomes are: two classes ('logistic', 'probit', 'cloglog'), two or more
    ('multinomial'), counts ('poisson', 'negative-binomial'), positive numbers ('gamma', 'exponential') or any numbers
    ('gaussian', 'student-t'). With classes it is a classifier, otherwise a regressor. The posterior of all parameters is
    approximated by the nearest Gaussian, the one of the largest ELBO, without noise.

    With the likelihood 'multinomial' each class except the first (or the one that ``reference`` names for the outcome,
    as "species=setosa") has coefficients of its own, such as ``virginica: petal_length``, of its log odds against the
    first.

    ``fit`` takes data frames as they are: numbers, words, categories, booleans and missing values, which ``missing``
    deals with. Words are coded by indicators, ``colour=red``, one for each level except the first (or the one that
    ``reference`` names); categories keep their order. ``fit(..., formula="y ~ age + C(colour) + (1 | school)")``
    leaves that to the package formulaic.

    Names in ``weights``, ``offset``, ``trials`` and ``group`` are those of columns of the data frame. The keywords
    ``sample_weight``, ``offset``, ``trials`` and ``groups`` of ``fit`` take arrays as well.

    ``interval``, ``draws``, ``to_dataframe`` and ``to_arviz`` are in the units of the columns as they were given,
    or with ``units="standardized"`` in those of the standardised columns; ``plot`` shows the latter, which can be
    compared with each other.

    Attributes
    ----------
    likelihood_ : str
        The likelihood of the fit.
    classes_ : ndarray of shape (n_classes,)
        Only if outcomes are classes. With 'multinomial' and a ``reference`` for the outcome, that class is the first.
    mean_, covariance_ : ndarray
        Of the posterior of the coefficients of the standardised columns: those of terms, the intercept if there is
        one, and effects of groups.
    names_ : list of str
        Of these coefficients.
    own_names_ : list of str
        Of the coefficients in the columns' own units. The same, but without an intercept there may be one more,
        "(constant)", for what standardising has shifted. It follows from the others.
    own_mean_, own_covariance_ : ndarray
        Of the posterior in the columns' own units.
    coef_ : ndarray
        The posterior mean of the terms in the columns' own units; of shape (1, n_terms) for classes, or
        (n_classes - 1, n_terms) with 'multinomial'.
    intercept_ : float, or ndarray of shape (1,) for classes, (n_classes - 1,) with 'multinomial'
        The same for the constant.
    expectation_error_ : float
        Only with 'multinomial' and more than two classes: what four times as many nodes would change the ELBO by.
    scale_parameters_ : list of dict
        Standard deviations of groups and parameters of the likelihood, such as sigma, with mean, sd, q5 and q95.
        ``parameters_frame()`` has them as a data frame.
    parameter_names_, parameter_mean_, parameter_covariance_
        Of the whole Gaussian, in which scale parameters are logarithms.
    priors_ : list of str
        The prior of each parameter, in words.
    elbo_ : float
        The evidence lower bound in nats, all constants included.
    khat_ : float
        Pareto k of the importance ratios: below 0.7 the Gaussian stands well for the posterior, unless
        ``khat_verdict_`` says otherwise.
    khat_verdict_ : str
        The same in words. Where the ratios hardly vary it is good, and where they vary much it is not, whatever the
        shape of their tail.
    ratio_variation_ : float
        Standard deviation of the importance ratios over their mean: no expectation under the posterior is further from
        that under the Gaussian than this number of standard deviations. Below 0.1 the ratios hardly vary.
    trace_ : dict of ndarray
        One number per iteration: iteration, seconds, objective (the negative ELBO), predicted, and more.
    status_, sentence_ : str
        How the fit ended.
    state_ : Reached
        Where the run was, for ``resume``. None if the method makes no run.

    Examples
    --------
    >>> import numpy as np
    >>> from fisherman import BayesianRegression
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 2))
    >>> y = rng.poisson(np.exp(1.0 + X @ [0.5, -0.3]))
    >>> model = BayesianRegression(likelihood="poisson").fit(X, y)
    >>> model.status_
    'converged'
    >>> bool(np.all(np.abs(model.coef_ - [0.5, -0.3]) < 0.1))
    True
    """

    def fit(
        self,
        X,
        y=None,
        *,
        formula=None,
        sample_weight=None,
        offset=None,
        trials=None,
        groups=None,
        resume=None,
        checkpoint=None,
        checkpoint_every=2.0,
        progress=False,
    ):
        """Fit to rows ``X`` with outcomes ``y``.

        Parameters
        ----------
        X : pandas DataFrame, or array-like of shape (n_samples, n_features)
            Columns of a data frame may hold numbers, words, categories, booleans and missing values (None, NaN, NA).
            Dates are refused if they are used. Columns of an array are called x0, x1, and so on.
        y : array-like of shape (n_samples,), or the name of a column of ``X``
            Outcomes: numbers, or classes.
        formula : str, optional
            Such as "y ~ age + C(colour) + (1 | school)", which needs a data frame and the package formulaic. Terms
            are formulaic's. Group terms are (1 | school) and (1 + age | school), with names of columns; effects of a
            group are independent a priori. Without a left side ("~ age") the outcomes are ``y``.
        sample_weight : array-like, or the name of a column, optional
            How often each row counts.
        offset : array-like, or the name of a column, optional
            What is added to the linear predictor as it is.
        trials : array-like, or the name of a column, optional
            Number of trials of each row; outcomes are then counts of successes.
        groups : array-like, or a text as for ``group``, optional
            Groups of rows, each with an intercept of its own.
        {driving}

        Returns
        -------
        self
            Ctrl-C ends the fit where it is; the estimator then holds what was reached.
        """
        driving = Driving(
            resume=resume,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            progress=progress,
        )
        parts = {"sample_weight": sample_weight, "offset": offset, "trials": trials, "groups": groups}
        options = self._named_parts(parts)
        self._formula = None if formula is None else Formula(formula)
        if self._formula is not None:
            X, y, parts = self._rows_of_formula(X, y, parts)
        X, y, label = self._outcomes(X, y)
        if self._formula is not None:
            self._set_by_formula(options)
        columns = self._learn_columns(X, options)
        self._parts = {}
        for part, values in parts.items():
            if values is not None and not isinstance(values, str):
                check_consistent_length(X, values)
                name = self._parts[part] = _name_of(values, part, columns)
                columns.append(column(name, one_column(values)))
                options[_PARTS[part]] = _joined(options.get("group"), f"`{name}`") if part == "groups" else name
        label = self._label = unused(label, [name for name, _ in columns])
        classes, codes, levels = None, None, []
        several = _several_classes(self.likelihood)
        if several or (_binary(self.likelihood) and not options.get("trials", self.trials)):
            there = ~absent(y)
            codes = np.full(len(there), -1, dtype=np.int64)
            try:
                classes, codes[there] = numbered(np.asarray(y)[there], not several)
            except ValueError as error:
                if not str(error).startswith(("Unknown label type", "Only binary")):
                    raise
                raise ValueError(
                    f"{error} The likelihood {self.likelihood!r} needs {'' if several else 'two '}classes; for numbers "
                    "there are 'gaussian' and 'student-t', for positive ones 'gamma', for counts 'poisson'"
                    + ("" if several else ", for more classes 'multinomial'")
                ) from error
            levels = [_core.level_text(str(name)) for name in classes]
            columns.append((label, (codes, levels)))
        else:
            columns.append(column(label, y))
        for old in ("classes_", "_effects", "expectation_error_"):  # of an earlier fit
            vars(self).pop(old, None)
        self._fit(driving, columns, codes, levels, [], label, **options)
        if several:  # in the order of the fit: the one that others are compared with is the first
            classes = classes[[levels.index(name) for name in vars(self).pop("class_names_")]]
        if classes is None:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        else:
            self.classes_ = classes
        return self

    fit.__doc__ = inspect.cleandoc(fit.__doc__).replace("{driving}", Driving.documented)

    def _named_parts(self, parts):
        """Options for those parts that are given by the name of a column."""
        options = {}
        for part, values in parts.items():
            option = _PARTS[part]
            if values is not None and getattr(self, option):
                raise ValueError(f"{part} of fit and the option {option} are both given, but only one can be")
            if isinstance(values, str):
                options[option] = values
        return options

    def _rows_of_formula(self, X, y, parts):
        """Rows that have all that the formula needs, with the outcomes that it names."""
        if not is_frame(X):
            raise TypeError(f"X is a {type(X).__name__}, but a formula needs a pandas data frame")
        if self.terms:
            raise ValueError("formula and terms are both given, but only one can be")
        if self._formula.lhs and y is not None:
            raise ValueError("y is given, and the formula has an outcome before the ~, but only one can be")
        kept = self._formula.fit(X, self.missing)
        if not kept.all():
            X = X[kept]
            y = y if y is None or isinstance(y, str) else _at(y, kept)
            parts = {
                part: values if values is None or isinstance(values, str) else _at(values, kept)
                for part, values in parts.items()
            }
        if self._formula.lhs:
            y = self._formula.outcome or self._formula.outcomes(X)
        return X, y, parts

    def _set_by_formula(self, options):
        options["terms"] = self._formula.terms_option()
        options["intercept"] = bool(self.intercept) and self._formula.intercept
        options["group"] = _joined(options.get("group", self.group), self._formula.group_option())

    def _outcomes(self, X, y):
        """X without the outcomes, these, and their name."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give an array, the name of "
                "a column of X, or a formula"
            )
        if isinstance(y, str):
            if not is_frame(X):
                raise ValueError(f"y is {y!r}, the name of a column, but X is a {type(X).__name__} and no data frame")
            if y not in X.columns:
                if "~" in y:
                    raise ValueError(f"y is {y!r}, which looks like a formula: pass formula={y!r}")
                near = get_close_matches(y, [str(name) for name in X.columns], 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"X has no column {y!r}, which is to be the outcome{hint}")
            return X.drop(columns=y), X[y], y
        name = getattr(y, "name", None)
        check_consistent_length(X, y)
        y = one_column(y, warn=True)
        if self.missing == "refuse" and getattr(y.dtype, "kind", "O") == "f":
            assert_all_finite(y, input_name="y")
        return X, y, name if isinstance(name, str) and name else "y"

    def _learn_columns(self, X, options):
        """The core's columns for a fit."""
        self._by_name = is_frame(X)
        if not self._by_name:
            X = validate_data(self, X, dtype=np.float64, ensure_all_finite=self._finite())
            self._features = getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])
            return columns_of_array(X, self._features)
        named = {option: options.get(option, getattr(self, option)) for option in _PARTS.values()}
        only_to_fit = (named["weights"], named["trials"])
        if self._formula is None:
            self._features = [name for name in X.columns if str(name) not in only_to_fit]
            out = [column(name, X[name]) for name in X.columns]
        else:
            besides = [name for name in X.columns if any(str(name) in text for text in named.values())]
            self._besides = [name for name in besides if str(name) not in only_to_fit]
            needed = {*self._formula.needed, *self._besides}
            self._features = [name for name in X.columns if name in needed]
            out = self._formula.columns(X, besides)
        _check_feature_names(self, X[self._features], reset=True)
        _check_n_features(self, X[self._features], reset=True)
        return out

    def _finite(self):
        return True if self.missing == "refuse" else "allow-nan"

    def _rows(self, X, offset=None, groups=None):
        """The core's columns for predictions."""
        check_is_fitted(self)
        if self._formula is not None:
            if not is_frame(X):
                raise TypeError(f"X is a {type(X).__name__}, but a fit by a formula needs a pandas data frame")
            rows = self._formula.columns(X, [name for name in self._besides if name in X.columns])
        elif self._by_name and is_frame(X):
            rows = [column(name, X[name]) for name in self._features if name in X.columns]
        else:
            X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=self._finite())
            rows = columns_of_array(X, self._features)
        for part, values in (("offset", offset), ("groups", groups)):
            name = self._parts.get(part)
            if (values is None) != (name is None):
                was = "without an array" if name is None else "with an array"
                raise ValueError(f"the fit was made {was} for {part}, so predictions must be as well")
            if name is not None:
                check_consistent_length(X, values)
                rows.append(column(name, one_column(values)))
        return rows or [("(none)", np.zeros(len(X)))]  # columns say how many rows there are

    def _predicted(self, X, **parts):
        rows = self._rows(X, **parts)  # first: it says so if there is no fit
        return self._fitted.predict(rows, False)

    def predict(self, X, *, return_std=False, offset=None, groups=None):
        """The expected outcome of each row (of one trial), or the likeliest class.

        Parameters
        ----------
        X : pandas DataFrame, or array-like of shape (n_samples, n_features)
            Columns of a data frame are found by their names, in any order.
        return_std : bool, default=False
            Return the posterior standard deviation of the expected outcome as well; not for classes.
        offset, groups : array-like, optional
            If ``fit`` was given arrays for them.

        Returns
        -------
        expected : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            Only if ``return_std``.
        """
        found = self._predicted(X, offset=offset, groups=groups)
        if not hasattr(self, "classes_"):
            return (found[:, 0], found[:, 1]) if return_std else found[:, 0]
        if return_std:
            raise ValueError("return_std is for numbers; for classes there is predict_proba(X, return_std=True)")
        if _several_classes(self.likelihood_):
            return self.classes_[np.argmax(found[:, : len(self.classes_)], axis=1)]
        return self.classes_[(found[:, 0] > 0.5).astype(int)]

    @available_if(lambda self: self._tells_classes())
    def predict_proba(self, X, *, return_std=False, offset=None, groups=None):
        """Posterior mean of the probability of each class; only if outcomes are classes.

        Returns an ndarray of shape (n_samples, n_classes), and with ``return_std`` the posterior standard deviations as
        well: of shape (n_samples,), or (n_samples, n_classes) with 'multinomial'.
        """
        found = self._predicted(X, offset=offset, groups=groups)
        if _several_classes(self.likelihood_):
            count = len(self.classes_)
            return (found[:, :count], found[:, count:]) if return_std else found[:, :count]
        p = np.column_stack([1.0 - found[:, 0], found[:, 0]])
        return (p, found[:, 1]) if return_std else p

    def predict_interval(self, X, *, offset=None, groups=None):
        """5% and 95% quantiles of the expected outcome, or of the probability of ``classes_[1]``, one row each.

        These are not for a new outcome, which also varies around its expectation.

        The likelihood 'multinomial' has none, which is a ValueError.
        """
        found = self._predicted(X, offset=offset, groups=groups)
        if _several_classes(self.likelihood_):
            raise ValueError(
                "predict_interval is not for the likelihood multinomial; predict_proba(X, return_std=True) has "
                "standard deviations"
            )
        return found[:, 2:]

    def score(self, X, y=None, sample_weight=None, *, offset=None, trials=None, groups=None):
        """Share of the rows whose class is predicted, or R² of the expected outcomes, as scikit-learn has them.

        ``y`` is an array or the name of a column of ``X``, by default the one of the fit. With ``trials``, R² is of
        the shares of successes. With ``missing="drop"``, rows that lack something are left out, as in ``fit``;
        predictions refuse them.
        """
        check_is_fitted(self)
        if y is None or isinstance(y, str):
            _, y, _ = self._outcomes(X, y or self._label)
        if self.missing == "drop" and not (there := self._complete(X, y)).all():
            if not there.any():
                raise ValueError("every row lacks its outcome or a value that the fit needs")
            X = X[there] if is_frame(X) else _at(X, there)
            y, sample_weight, offset, trials, groups = (
                values if values is None or isinstance(values, str) else _at(values, there)
                for values in (y, sample_weight, offset, trials, groups)
            )
        expected = self.predict(X, offset=offset, groups=groups)
        if hasattr(self, "classes_"):
            return accuracy_score(y, expected, sample_weight=sample_weight)
        share = np.asarray(y, dtype=np.float64)
        if trials is not None:
            share = share / np.asarray(X[trials] if isinstance(trials, str) else trials, dtype=np.float64)
        return r2_score(share, expected, sample_weight=sample_weight)

    def _complete(self, X, y):
        """Which rows have all that the fit needs."""
        there = ~absent(y)
        if self._formula is not None:
            return there & ~self._formula.lacking(X)
        needed = set(self._fitted.columns)
        if not is_frame(X):
            X = np.asarray(X, dtype=np.float64)[:, [name in needed for name in self._features]]
            return there & ~np.isnan(X).any(axis=1)
        for name in X.columns:
            if str(name) in needed:
                there &= ~absent(X[name])
        return there

    def loo(self):
        """Leave-one-out predictive density, by importance weights, as a dict.

        ``elpd`` is the sum over the rows in nats and ``standard_error`` its error, ``effective_parameters`` says how
        much better rows are predicted that were fitted, and ``rows_in_doubt`` counts rows on which the posterior
        depends so much that weights do not remove them (Pareto k above 0.7); ``largest_khat`` is the largest k.
        ``correction_khat`` and ``correction_variation`` are of the weights that correct the Gaussian first.
        """
        check_is_fitted(self)
        return self._fitted.result()["loo"]

    def parameters_frame(self):
        """Mean, sd, 5% and 95% quantiles of standard deviations of groups and parameters of the likelihood, as a pandas
        data frame."""
        check_is_fitted(self)
        import pandas

        columns = ["name", "mean", "sd", "q5", "q95"]
        return pandas.DataFrame(self.scale_parameters_, columns=columns).set_index("name")

    def ratios(self, level=0.9):
        """Odds ratios (logistic, multinomial) or ratios of expected outcomes (log link) for one unit of each term, as a pandas data
        frame with central posterior intervals.

        These are exponentials of coefficients; a likelihood with another link has none, which is a ValueError.
        """
        check_is_fitted(self)
        import pandas

        name = {"logit": "odds_ratio", "softmax": "odds_ratio", "log": "ratio"}.get(_core.likelihoods()[self.likelihood_]["link"])
        if name is None:
            raise ValueError(f"coefficients of the likelihood {self.likelihood_} are no logarithms of ratios")
        terms, predictors = np.shape(self.coef_)[-1], np.size(self.intercept_)
        every = np.arange(len(self.own_names_)).reshape(predictors, -1)
        of_terms = every[:, :terms].ravel()
        low, high = np.exp(self.interval(level)[of_terms]).T
        names = pandas.Index([self.own_names_[k] for k in of_terms], name="name")
        return pandas.DataFrame({name: np.exp(self.own_mean_[of_terms]), "low": low, "high": high}, index=names)

    def marginal_effects(self):
        """Change of the expected outcome, or of the probability of each class, for one unit of each term, on average
        over the rows of the fit, as a pandas data frame with mean, sd, 5% and 95% quantiles."""
        check_is_fitted(self)
        import pandas

        head, *rows = csv.reader(io.StringIO(self._effects_text()))
        names = pandas.Index([row[0] for row in rows], name=head[0])
        numbers = np.array([row[1:] for row in rows], dtype=np.float64).reshape(len(rows), len(head) - 1)
        return pandas.DataFrame(numbers, columns=head[1:], index=names)

    def _effects_text(self):
        kept = vars(self).get("_effects")
        if kept is None:
            nothing = "name,mean,sd,q5,q95\n"  # without a term
            kept = self._effects = self._fitted.tables(False).get("marginal_effects.csv", nothing)
        return kept

    def __getstate__(self):
        if hasattr(self, "_fitted"):
            self._effects_text()  # it needs the data, which are not pickled
        return super().__getstate__()

    def _further_labels(self):
        return [one["name"] for one in self.scale_parameters_]

    def _tells_classes(self):
        if hasattr(self, "_fitted"):
            return hasattr(self, "classes_")
        return _several_classes(self.likelihood) or (_binary(self.likelihood) and not self.trials)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing != "refuse"
        if self._tells_classes():
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(multi_class=_several_classes(self.likelihood))
        else:
            tags.estimator_type = "regressor"
            tags.regressor_tags = RegressorTags()
        return tags
