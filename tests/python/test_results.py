"""What people do with a result."""

import inspect
import re
import struct
import subprocess
import sys
import zlib

import matplotlib
import numpy as np
import pytest
from scipy import sparse

import fisherman
from fisherman import (
    BayesianLogisticRegression,
    BayesianRegression,
    FlowClassifier,
    ReducedRankLogisticRegression,
    vi,
)

matplotlib.use("Agg")


@pytest.fixture(scope="module", params=["logistic", "flow", "density"])
def posterior(request, wdbc):
    X, y, _ = wdbc
    if request.param == "logistic":
        return BayesianLogisticRegression(iterations=30).fit(X, y)
    if request.param == "flow":
        return FlowClassifier(iterations=30, hidden=2).fit(X, y)
    return vi.gaussian(lambda x: (-0.5 * (x**2).sum(1), -x), 4, iterations=50)


def test_data_frame(posterior):
    frame = posterior.to_dataframe()
    assert list(frame.columns) == ["mean", "sd", "q5", "q95"]
    assert np.all(frame["q5"] < frame["mean"]) and np.all(frame["mean"] < frame["q95"])


def test_arviz(posterior):
    data = posterior.to_arviz(count=200)
    beta = data.posterior["beta"]
    assert dict(beta.sizes)["draw"] == 200
    assert list(beta["name"].values) == list(posterior.to_dataframe().index)
    assert np.array_equal(beta.values[0], posterior.draws(200))


def test_plot(posterior):
    figure = posterior.plot()
    left, right = figure.axes
    assert left.get_ylabel() == "ELBO (nats)" and len(right.get_yticks()) <= 40
    for drawn in (figure, posterior.plot(matplotlib.pyplot.figure(figsize=(4, 4), layout="constrained"))):
        drawn.draw_without_rendering()
        title = drawn.get_suptitle()
        assert "ELBO" in title and posterior._heading() == " ".join(title.split("\n"))
        for text in [drawn._suptitle, *(axes.title for axes in drawn.axes)]:
            box = text.get_window_extent()
            assert box.x0 >= 0 and box.x1 <= drawn.bbox.width and box.y1 <= drawn.bbox.height
        matplotlib.pyplot.close(drawn)


def test_notebooks(posterior):
    if hasattr(posterior, "_repr_mimebundle_"):
        page = posterior._repr_mimebundle_()["text/html"]
    else:
        page = posterior._repr_html_()
    assert "<table>" in page and "ELBO" in page
    assert "<table>" not in BayesianLogisticRegression()._repr_mimebundle_().get("text/html", "")


def test_reduced_rank_has_a_data_frame(three_classes):
    fit = ReducedRankLogisticRegression(rank=2, iterations=200).fit(*three_classes)
    frame = fit.to_dataframe()
    assert frame.shape == (3 * 4, 2) and list(frame.columns) == ["coefficient", "standard_error"]
    assert frame.loc[(1, "x2"), "coefficient"] == fit.coef_[1, 2]


@pytest.mark.parametrize(
    "estimator", [BayesianLogisticRegression, FlowClassifier, ReducedRankLogisticRegression]
)
def test_bad_data(estimator, wdbc):
    X, y, _ = wdbc
    X = X[:50]
    fit = estimator().fit
    if estimator is not ReducedRankLogisticRegression:  # which takes them
        with pytest.raises(TypeError, match="[Ss]parse"):
            fit(sparse.csr_matrix(X), y[:50])
    with pytest.raises(ValueError, match="NaN"):
        fit(np.where(X > 1, X, np.nan), y[:50])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        fit(X, y[:49])
    with pytest.raises(ValueError, match="one class"):
        fit(X, np.ones(50))
    with pytest.raises(ValueError, match="Unknown label type|Only binary"):
        fit(X, np.linspace(0, 1, 50))


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"prior_variance": 0}, "prior_variance is 0, but must be positive"),
        ({"prior_variance": "x"}, "prior_variance is 'x', but must be a number"),
        ({"batch": 1.5}, "batch is '1.5', but must be a whole number"),
        ({"geometry": "round"}, "geometry is 'round', but must be one of affine|bw|euclidean"),
        ({"transport": "paper"}, "transport paper needs geometry bw or euclidean"),
        ({"intercept": "yes"}, "intercept is 'yes', but must be true or false"),
        ({"threads": -1}, "threads is -1, but must not be negative"),
        ({"step_size": float("nan")}, "step_size is nan, but must be finite"),
    ],
)
def test_bad_options(wdbc, options, sentence):
    X, y, _ = wdbc
    with pytest.raises(ValueError, match=re.escape(sentence)):
        BayesianLogisticRegression(**options).fit(X, y)


def test_a_forged_checkpoint_is_refused(wdbc, tmp_path):
    X, y, _ = wdbc
    file = tmp_path / "checkpoint"
    BayesianLogisticRegression(iterations=2).fit(X, y, checkpoint=file, checkpoint_every=0)
    good = file.read_bytes()
    body = bytearray(good[24:])
    at = 8 + struct.unpack_from("<q", body)[0]  # after the kind of run: rows and columns of the point
    rows, columns = struct.unpack_from("<qq", body, at)
    assert columns == 1
    for forged in [(1, rows), (rows, 2), (2**62, 4), (-1, 1), (rows, 2**61)]:
        struct.pack_into("<qq", body, at, *forged)
        head = good[:12] + struct.pack("<IQ", zlib.crc32(body), len(body))
        file.write_bytes(head + body)
        with pytest.raises(OSError, match="the checkpoint belongs to another kind of run"):
            BayesianLogisticRegression(iterations=4).fit(X, y, resume=file)


def test_seconds_between_checkpoints_must_be_a_number(wdbc, tmp_path):
    X, y, _ = wdbc
    for bad in [float("nan"), float("inf"), -1.0]:
        with pytest.raises(ValueError, match="checkpoint_every is "):
            BayesianLogisticRegression(iterations=2).fit(
                X, y, checkpoint=tmp_path / "c", checkpoint_every=bad
            )


def test_bad_ranks_and_resumes(wdbc, tmp_path):
    X, y, _ = wdbc
    with pytest.raises(ValueError, match="rank is 5, but must lie between 1 and 1"):
        ReducedRankLogisticRegression(rank=5).fit(X, y)
    with pytest.raises(TypeError, match="unexpected keyword argument 'likelihood'"):
        BayesianLogisticRegression(likelihood="probit")
    (tmp_path / "empty").write_text("")
    with pytest.raises(OSError, match="empty"):
        BayesianLogisticRegression().fit(X, y, resume=tmp_path / "empty")
    state = BayesianLogisticRegression(iterations=2).fit(X[:, :3], y).state_
    with pytest.raises(OSError):
        BayesianLogisticRegression(iterations=4).fit(X, y, resume=state)
    with pytest.raises(OSError):
        ReducedRankLogisticRegression(rank=1).fit(X, y, resume=state)
    with pytest.raises(OSError, match="cannot be"):
        BayesianLogisticRegression(iterations=2).fit(X, y, checkpoint=tmp_path / "no" / "file")


def test_options_are_the_command_lines(program):
    """Every flag of a fit that is not about files is a keyword, with the same default."""
    for application, estimator in [
        ("logistic", BayesianLogisticRegression),
        ("regression", BayesianRegression),
        ("reduced-rank", ReducedRankLogisticRegression),
        ("flow", FlowClassifier),
    ]:
        text = subprocess.run(
            [program, "fit", application, "--help"], capture_output=True, text=True, check=True
        ).stdout
        flags = {f.replace("-", "_") for f in re.findall(r"^ +(?:-\w,)?--([\w-]+)", text, re.M)}
        if "no_intercept" in flags:  # what is on by default has a flag that switches it off
            flags = flags - {"no_intercept"} | {"intercept"}
        files = {"help", "data", "label", "labels", "columns", "config", "out", "checkpoint_every"}
        files |= {"no_header", "resume", "json", "quiet", "draws", "units", "test_data", "test_labels"}
        files |= {"no_report", "overwrite", "drop", "from_disk"}
        assert flags - files == set(inspect.signature(estimator).parameters)


def test_everything_public_is_documented():
    for name in fisherman.__all__:
        thing = getattr(fisherman, name)
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for method, value in vars(thing).items():
                if not method.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{method}"
    for option in BayesianLogisticRegression._options.values():
        assert option.name + " : " in BayesianLogisticRegression.__doc__


def test_import_is_cheap():
    """Extras are imported where they are used: none of them to import the package."""
    code = """
import sys
import zlib
import fisherman
print([name for name in ("arviz", "matplotlib", "tqdm") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
