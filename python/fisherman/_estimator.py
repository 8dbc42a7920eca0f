"""What the estimators share: validation, driving a fit from Python, reporting how it ended."""

import inspect
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core
from ._columns import columns_of_array, unused
from ._driving import Driving, report
from ._options import texts
from ._results import Posterior


def _given(X):
    """Rows as the core takes them: an array, or the parts of a CSR matrix."""
    if not hasattr(X, "indptr"):
        return X
    X = X.copy() if not X.has_canonical_format else X
    X.sum_duplicates()  # and in ascending order
    return (
        np.ascontiguousarray(X.data, dtype=np.float64),
        np.ascontiguousarray(X.indices, dtype=np.int64),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        X.shape[1],
    )


class Estimator(BaseEstimator):
    """Base of the estimators. What the core tells of a fit becomes its attributes, with an underscore behind."""

    _kind = None  # the core's name of the fit, which @with_options gives

    def _fit(self, driving, rows, codes, classes, names, label, **options):
        """To be called by fit(). ``options`` go before those that the estimator was made with."""
        values = {name: getattr(self, name) for name in self._options}
        end = driving.run(
            _core.fit,
            self._kind,
            rows,
            codes,
            [str(name) for name in classes],
            names,
            label,
            texts(self._options, {**values, **options}),
            planned=self.iterations,
        )
        self._take(end)
        for warning in end["warnings"]:
            warnings.warn(warning, UserWarning, stacklevel=3)
        report(end, stacklevel=4)

    def _take(self, end):
        self._fitted = end["fit"]
        for name, value in self._fitted.parameters().items():
            setattr(self, name + "_", value)
        self.status_ = end["status"]
        self.sentence_ = end["sentence"]
        self.n_iter_ = max(1, end["iterations"])
        self.seconds_ = end["seconds"]
        self.trace_ = end["trace"]
        self.state_ = end["state"]


def numbered(y, binary):
    """The classes, sorted, and the number of each row's."""
    check_classification_targets(y)
    if binary and type_of_target(y, input_name="y", raise_unknown=True) != "binary":
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}."
        )
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {classes[0]!r}, but a classifier needs at least 2 classes"
        )
    return classes, np.ascontiguousarray(numbers, dtype=np.int64)


class Classifier(ClassifierMixin, Estimator):
    """Base of those that tell classes apart by numbers."""

    _binary = False
    _by_column = False  # whether the core finds its columns by name, that of the classes among them
    _sparse = False  # whether it takes SciPy's sparse matrices as they are

    def fit(self, X, y, *, resume=None, checkpoint=None, checkpoint_every=2.0, progress=False):
        """Fit to rows ``X`` with classes ``y``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; a float64 array of either order is read where it is. Sparse
            matrices are taken as they are by the reduced-rank regression, and refused by the others.
        y : array-like of shape (n_samples,)
            Classes.
        {driving}

        Returns
        -------
        self
            Ctrl-C ends the fit where it is; the estimator then holds what was reached.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr" if self._sparse else False)
        classes, numbers = numbered(y, self._binary)
        names = self._names()
        driving = Driving(
            resume=resume,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            progress=progress,
        )
        label, rows = "y", self._by_names(X)
        if self._by_column:
            label = unused("y", names)
            rows.append((label, (numbers, [str(name) for name in classes])))
        self._fit(driving, rows, numbers, classes, names, label)
        self.classes_ = classes
        reference = str(getattr(self, "reference", ""))
        if reference:  # it is the last, as in the core
            self.classes_ = np.array(sorted(classes, key=lambda name: str(name) == reference))
        return self

    fit.__doc__ = inspect.cleandoc(fit.__doc__).replace("{driving}", Driving.documented)

    def _names(self):
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return [str(name) for name in names]

    def _by_names(self, X):
        return columns_of_array(X, self._names()) if self._by_column else _given(X)

    def _rows(self, X):
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=np.float64, accept_sparse="csr" if self._sparse else False
        )
        return self._by_names(X)

    def _predicted(self, X, errors=False):
        rows = self._rows(X)  # first: it says so if there is no fit
        return self._fitted.predict(rows, errors)

    def predict(self, X):
        """The likelier class of each row."""
        likeliest = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[likeliest]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary
        tags.input_tags.sparse = self._sparse
        return tags


class FittedPosterior(Posterior):
    """Mixin for estimators that fit a posterior: what the core told of it."""

    def _labels(self, units="own"):
        return self.own_names_ if units == "own" else self.names_

    def _history(self):
        return self.trace_

    def _heading(self):
        return (
            f"{type(self).__name__}: {self.status_} after {self.n_iter_} iterations, "
            f"ELBO {self.elbo_:.3f} nats, Pareto k {self.khat_:.2f}"
        )

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "_fitted") and "text/html" in bundle:
            bundle["text/html"] = self._table() + bundle["text/html"]
        return bundle


class BinaryClassifier(FittedPosterior, Classifier):
    """A posterior over two classes: probabilities come with their uncertainty."""

    _binary = True

    def predict_proba(self, X, *, return_std=False):
        """Posterior mean of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Return the posterior standard deviation of the probabilities as well.

        Returns
        -------
        p : ndarray of shape (n_samples, 2)
        std : ndarray of shape (n_samples,)
            Only if ``return_std``.
        """
        found = self._predicted(X)
        p = np.column_stack([1.0 - found[:, 0], found[:, 0]])
        return (p, found[:, 1]) if return_std else p

    def predict_interval(self, X):
        """5% and 95% quantiles of the probability of ``classes_[1]``, one row each."""
        return self._predicted(X)[:, 2:]
