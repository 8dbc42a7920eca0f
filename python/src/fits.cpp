// The kinds of fit: one function for all of them, and the fitted object that it gives.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "arrays.hpp"
#include "bind.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/model/likelihood.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

struct PythonFit {
  const FitKind* kind;
  std::shared_ptr<const Fitted> fit;
};

nb::object object_of(const Value& value);

nb::dict dict_of(const Fields& fields) {
  nb::dict out;
  for (const auto& [name, value] : fields.all()) out[name.c_str()] = object_of(value);
  return out;
}

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const Vector& v) const { return array(v); }
  nb::object operator()(const Matrix& m) const { return array(m); }
  nb::object operator()(const std::vector<Index>& v) const { return array(v); }
  nb::object operator()(const Fields& fields) const { return dict_of(fields); }
  nb::object operator()(const std::vector<Fields>& list) const {
    nb::list out;
    for (const Fields& one : list) out.append(dict_of(one));
    return out;
  }
  template <class T>
  nb::object operator()(const T& plain) const {
    return nb::cast(plain);
  }
};

nb::object object_of(const Value& value) {
  return std::visit(ToPython(), static_cast<const Value::Variant&>(value));
}

std::vector<int> codes_of(const std::optional<Labels>& y) {
  if (!y) return {};
  return {y->data(), y->data() + y->shape(0)};
}

/// Numbers, with NaN for what is missing; (codes, levels), with -1 for what is missing; or (number of rows, why the column
/// cannot be used).
Column column_given(std::string name, const nb::object& given) {
  Column out{std::move(name), {}, {}, {}, {}};
  if (!nb::isinstance<nb::tuple>(given)) {
    out.numbers = copied(nb::cast<Numbers>(given, false));
    return out;
  }
  const auto parts = nb::cast<nb::tuple>(given);
  if (nb::isinstance<nb::str>(parts[1])) {
    out.numbers = Vector::Zero(nb::cast<Index>(parts[0]));
    out.refusal = nb::cast<std::string>(parts[1]);
    return out;
  }
  const auto codes = nb::cast<Labels>(parts[0], false);
  out.levels = nb::cast<std::vector<std::string>>(parts[1]);
  const std::int64_t count = std::int64_t(out.levels.size());
  for (std::size_t i = 0; i < codes.shape(0); ++i) {
    const std::int64_t code = codes.data()[i];
    require(code >= -1 && code < count, "column '", out.name, "', row ", i + 1, ": the code is ",
            code, ", but there are ", count, " levels");
    out.codes.push_back(std::int32_t(code));
  }
  return out;
}

Columns columns_given(const nb::list& pairs) {
  Columns out;
  for (const auto& pair : pairs) {
    const auto both = nb::cast<nb::tuple>(pair);
    Column column = column_given(nb::cast<std::string>(both[0]), both[1]);
    require(out.find(column.name) == nullptr, "there are two columns '", column.name, "'");
    if (out.all.empty()) out.rows = column.rows();
    require(column.rows() == out.rows, "column '", column.name, "' has ", column.rows(),
            " rows, but '", out.all.empty() ? column.name : out.all[0].name, "' has ", out.rows);
    out.all.push_back(std::move(column));
  }
  return out;
}

/// Rows as they come from Python: an array; (values, columns, begins of rows, number of columns), as SciPy's CSR matrices
/// have them; or a list of columns, (name, numbers) or (name, (codes, levels)).
class GivenRows {
 public:
  explicit GivenRows(const nb::object& rows) {
    if (nb::isinstance<nb::list>(rows)) {
      mixed_ = std::make_shared<const Columns>(columns_given(nb::cast<nb::list>(rows)));
      columns_ = Index(mixed_->all.size());
      return;
    }
    if (!nb::isinstance<nb::tuple>(rows)) {
      dense_ = nb::cast<Rows>(rows, false);
      columns_ = Index(dense_->shape(1));
      return;
    }
    const auto parts = nb::cast<nb::tuple>(rows);
    const auto values = nb::cast<Numbers>(parts[0], false);
    const auto columns = nb::cast<Labels>(parts[1], false),
               begins = nb::cast<Labels>(parts[2], false);
    SparseRows out;
    out.columns = columns_ = nb::cast<Index>(parts[3]);
    require(columns_ <= std::numeric_limits<std::int32_t>::max(), "there are too many columns");
    const Vector numbers = copied(values);
    out.value.assign(numbers.begin(), numbers.end());
    out.column.assign(columns.data(), columns.data() + columns.shape(0));
    out.begin.assign(begins.data(), begins.data() + begins.shape(0));
    out.check();
    sparse_ = std::make_shared<const SparseRows>(std::move(out));
  }

  bool mixed() const { return mixed_ != nullptr; }
  Index rows() const {
    return mixed_ ? mixed_->rows : sparse_ ? sparse_->rows() : Index(dense_->shape(0));
  }
  Index columns() const { return columns_; }
  /// Dense rows are lent where the kind takes them so: the caller's array outlives the table.
  Table table(const FitKind& kind, const std::vector<std::string>& names,
              const std::string& label = {}) const {
    Table out;
    if (mixed_) {
      require(kind.takes_columns, "a fit of the kind ", kind.name, " takes no columns of words");
      out.mixed = mixed_;
      out.names = mixed_->names();
      out.label_name = label;
      return out;
    }
    if (sparse_)
      out.sparse = sparse_;
    else if (kind.takes_lent)
      out.lent = std::make_shared<const LentRows>(mapped(*dense_));
    else
      out.x = copied(*dense_);
    out.names = names;
    out.label_name = label;
    return out;
  }

 private:
  std::optional<Rows> dense_;
  std::shared_ptr<const SparseRows> sparse_;
  std::shared_ptr<const Columns> mixed_;
  Index columns_ = 0;
};

/// Does what reads rows that a program has given: what is wrong with them is misuse, and not a bad file.
template <class F>
auto with_rows(const F& read) {
  try {
    return read();
  } catch (const FileError& e) {
    const std::string what = e.what();
    for (const char* const begin : {"X:", "X,", "y:", "y,"})
      if (what.rfind(begin, 0) == 0) throw Misuse(what);
    throw;
  }
}

/// The rows that a fit predicts for, with its columns in its order.
Table rows_for(const PythonFit& f, const GivenRows& rows) {
  if (rows.mixed()) return rows.table(*f.kind, {});
  const std::vector<std::string>& columns = f.fit->columns;
  require(rows.columns() == Index(columns.size()), "there are ", rows.columns(),
          " columns, but the fit was made with ", columns.size());
  return rows.table(*f.kind, columns);
}

const char* link_word(Link link) {
  switch (link) {
    case Link::logit:
      return "logit";
    case Link::probit:
      return "probit";
    case Link::cloglog:
      return "cloglog";
    case Link::log:
      return "log";
    case Link::identity:
      return "identity";
    case Link::softmax:
      return "softmax";
  }
  return "";
}

nb::dict fit(const std::string& kind_name, const nb::object& x, const std::optional<Labels>& labels,
             const std::vector<std::string>& classes, const std::vector<std::string>& names,
             const std::string& label, const nb::dict& options, nb::object callback,
             std::optional<Reached> resume, std::string checkpoint, double checkpoint_every) {
  const FitKind& kind = fit_kind(kind_name);
  const GivenRows rows(x);
  const std::unique_ptr<FitSettings> settings = kind.settings();
  for (const auto& [name, value] : options)
    settings->options.set(nb::cast<std::string>(name), nb::cast<std::string>(value));
  require(rows.mixed() || Index(names.size()) == rows.columns(), "there are ", rows.columns(),
          " columns, but ", names.size(), " names");
  require(!labels || Index(labels->shape(0)) == rows.rows(), "there are ", rows.rows(),
          " rows, but ", labels ? labels->shape(0) : 0, " labels");
  Watch watch(std::move(callback), std::move(resume), std::move(checkpoint), checkpoint_every);
  std::shared_ptr<const Fitted> fitted;
  {
    const nb::gil_scoped_release free;
    FitData data{.table = rows.table(kind, names, label),
                 .where = "X",
                 .labels_where = "y",
                 .codes = codes_of(labels),
                 .classes = classes};
    fitted = with_rows([&] { return kind.fit(std::move(data), *settings, watch); });
  }
  if (!fitted)
    throw nb::python_error();  // interrupted before anything: the signal is still pending
  nb::dict out = described(fitted->summary, fitted->as_asked, watch, fitted->part);
  out["warnings"] = fitted->warnings;
  out["fit"] = nb::cast(PythonFit{&kind, std::move(fitted)});
  return out;
}

}  // namespace

void bind_fits(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<PythonFit>(m, "Fitted", "What a fit leaves: it predicts, draws and can be pickled.")
      .def_prop_ro("kind", [](const PythonFit& f) { return f.kind->name; })
      .def_prop_ro("columns", [](const PythonFit& f) { return f.fit->columns; })
      .def(
          "result", [](const PythonFit& f) { return dict_of(f.fit->result()); },
          "How the fit ended, and diagnostics: what result.json holds.")
      .def(
          "parameters", [](const PythonFit& f) { return dict_of(f.fit->parameters()); },
          "The parameters and what follows from them.")
      .def(
          "predict",
          [](const PythonFit& f, const nb::object& x, bool errors) {
            const GivenRows rows(x);
            Matrix out;
            {
              const nb::gil_scoped_release free;
              out =
                  with_rows([&] { return f.fit->predict(rows_for(f, rows), "X", errors).values; });
            }
            return array(std::move(out));
          },
          "x"_a, "errors"_a,
          "Predictions for rows, as fisherman predict has them, without the classes.")
      .def(
          "draws",
          [](const PythonFit& f, Index count, std::optional<std::uint64_t> seed,
             bool standardized) {
            require_count(count);
            const Units units = standardized ? Units::standardized : Units::own;
            return array(f.fit->draws(count, seed.value_or(f.fit->seed), units).values);
          },
          "count"_a, "seed"_a.none(), "standardized"_a,
          "Draws, one per row, in the units of the columns or of standardised columns; of the "
          "fit's "
          "seed if that is None.")
      .def(
          "transform",
          [](const PythonFit& f, const nb::object& x) {
            const GivenRows rows(x);
            return array(f.fit->transform(rows_for(f, rows), "X"));
          },
          "x"_a, "The components of rows, one per row.")
      .def(
          "tables",
          [](const PythonFit& f, bool standardized) {
            Output output;
            output.units = standardized ? Units::standardized : Units::own;
            nb::dict out;
            for (const NamedFile& file : f.fit->tables(output)) out[file.name.c_str()] = file.bytes;
            return out;
          },
          "standardized"_a, "The tables that the command line leaves as files: texts by name.")
      .def(
          "model", [](const PythonFit& f) { return dict_of(f.fit->model()); },
          "What model.json holds.")
      .def("__getstate__",
           [](const PythonFit& f) {
             return nb::make_tuple(json_text(f.fit->model()), json_text(f.fit->result()),
                                   dict_of(f.fit->arrays()));
           })
      .def("__setstate__",
           [](PythonFit& f, const std::tuple<std::string, std::string, nb::dict>& state) {
             SavedFit saved{fields_of_json(std::get<0>(state), "a pickled fit"),
                            fields_of_json(std::get<1>(state), "a pickled fit"),
                            {},
                            "a pickled fit"};
             for (const auto& [name, value] : std::get<2>(state))
               saved.arrays.set(nb::cast<std::string>(name), copied(nb::cast<Rows>(value)));
             const LoadedFit loaded = load_fit(saved);
             new (&f) PythonFit{loaded.kind, loaded.fit};
           });
  m.def(
      "fit", &fit, "kind"_a, "x"_a, "y"_a.noconvert().none(), "classes"_a, "names"_a, "label"_a,
      "options"_a, "callback"_a.none(), "resume"_a.none(), "checkpoint"_a, "checkpoint_every"_a,
      "Fit a model of the kind. y counts the classes from 0; if it is None, the column that label "
      "names has the outcomes.");
  m.def(
      "likelihoods",
      [] {
        nb::dict out;
        for (const auto& one : likelihoods()) {
          nb::dict about;
          about["binary"] = one->binary();
          about["link"] = link_word(one->link());
          out[one->name().c_str()] = about;
        }
        return out;
      },
      "Of a regression, by name: whether its outcomes are binary, and its link.");
  m.def(
      "level_text", [](const std::string& cell) { return level_text(cell); }, "cell"_a,
      "A cell as the name of a level: a number in its shortest spelling.");
}

}  // namespace fisherman::python
