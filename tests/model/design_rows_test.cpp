// Rows of features in their several bodies, against the plain product.
#include "fisherman/model/design_rows.hpp"

#include "expect_laws.hpp"
#include "memory_blocks.hpp"
#include "ranks_in_threads.hpp"
#include "toy.hpp"

namespace fisherman::model_design_rows_test {
namespace {

constexpr Index p = 37, n = 61;

Matrix plain() {
  Matrix x = toy::random_matrix(p, n, 1);
  x = (x.array().abs() < 0.7).select(0.0, x);
  return x;
}

SparseRows sparse() {
  const Matrix x = plain();
  SparseRows out;
  out.columns = p;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < p; ++j)
      if (x(j, i) != 0.0) {
        out.column.push_back(std::int32_t(j));
        out.value.push_back(x(j, i));
      }
    out.close_row();
  }
  return out;
}

DesignRows::Stored stored(bool single) {
  return {std::make_shared<const MemoryBlocks>(plain().transpose()), single};
}

struct Body {
  const char* name;
  DesignRows rows;
  Vector centre;     // 0 for those without
  double tolerance;  // 1e-13, and for single precision the rounding of 61 products of order 1
};

std::vector<Body> bodies() {
  const Vector centre = toy::random_vector(p, 5);
  return {{"double", DesignRows(plain()), Vector::Zero(p), 1e-13},
          {"single", DesignRows(Eigen::MatrixXf(plain().cast<float>())), Vector::Zero(p), 1e-5},
          {"stored", DesignRows(stored(false)), Vector::Zero(p), 1e-13},
          {"stored, single", DesignRows(stored(true)), Vector::Zero(p), 1e-5},
          {"sparse", DesignRows(sparse()), Vector::Zero(p), 1e-13},
          {"sparse, centred", DesignRows(sparse(), centre), centre, 1e-12}};
}

TEST(DesignRows, ProductsAreThoseOfTheWholeMatrix) {
  const std::vector<Index> list = {4, 0, 60, 17, 3};
  for (const Body& body : bodies())
    for (const Index r : {1, 2, 3, 5, 40}) {
      const Matrix left = toy::random_matrix(p, r, 2);
      for (const RowSet& rows : {RowSet(7, 50), RowSet(list)}) {
        Matrix x(p, rows.count);
        for (Index i = 0; i < rows.count; ++i) x.col(i) = plain().col(rows[i]) - body.centre;
        const Matrix w = toy::random_matrix(r, rows.count, 3);
        const Vector sum = w.rowwise().sum();
        const DesignRows& d = body.rows;
        const double tolerance = body.tolerance * double(r);
        EXPECT_LT((d.project(d.prepared(left), rows) - left.transpose() * x).norm(),
                  tolerance * x.norm())
            << body.name << ' ' << r;
        const Matrix gathered = d.gather(w, rows);
        EXPECT_LT((d.centred(gathered, sum) - w * x.transpose()).norm(), tolerance * x.norm())
            << body.name << ' ' << r;
        const Matrix squares = x.array().square();
        EXPECT_LT(
            (d.centred_squares(d.gather_squares(w, rows), gathered, sum) - w * squares.transpose())
                .norm(),
            tolerance * squares.norm())
            << body.name << ' ' << r;
        EXPECT_LT((d.columns(rows) - x).norm(), 1e-6 * body.tolerance / 1e-13 * x.norm())
            << body.name;
      }
      const DesignRows some = body.rows.subset(list);
      EXPECT_EQ(some.columns({0, 5}), body.rows.columns(list)) << body.name;
      EXPECT_EQ(some.sparse(), body.rows.sparse());
      EXPECT_EQ(some.single(), body.rows.single());
    }
}

TEST(DesignRows, OfAFileHaveTheBitsOfThoseInMemory) {
  const Matrix left = toy::random_matrix(p, 3, 2), w = toy::random_matrix(2, 20, 3);
  const auto expect_same = [&](const DesignRows& there, const DesignRows& here, bool chosen) {
    const RowSet rows(5, 20);
    EXPECT_EQ(there.single(), here.single());
    EXPECT_EQ(there.project(there.prepared(left), rows), here.project(here.prepared(left), rows));
    EXPECT_EQ(there.gather(w, rows), here.gather(w, rows));
    EXPECT_EQ(there.gather_squares(w, rows), here.gather_squares(w, rows));
    EXPECT_EQ(there.columns(rows), here.columns(rows));
    EXPECT_EQ(there.with_rows(rows,
                              [&](const DesignRows& x, const RowSet& these) {
                                EXPECT_FALSE(x.stored());
                                return x.gather(w, these);
                              }),
              here.gather(w, rows));
    if (!chosen) return;
    const std::vector<Index> list = {60, 2, 31};
    EXPECT_EQ(there.subset(list).columns({0, 3}), here.subset(list).columns({0, 3}));
  };
  expect_same(DesignRows(stored(false)), DesignRows(plain()), true);
  expect_same(DesignRows(stored(true)), DesignRows(Eigen::MatrixXf(plain().cast<float>())), true);
  EXPECT_EQ(DesignRows(stored(false)).bytes(), 0.0);
  // Of three ranks the first has the 61 rows, which are one group; each may ask for any.
  on_ranks(3, [&](int rank) {
    const RowPart part = RowPart::of_rank(n);
    const DesignRows rows(stored(false), {}, part);
    if (rank == 0) expect_same(rows, DesignRows(plain()), false);
    EXPECT_EQ(rows.subset({60, 2}).columns({0, 2}),
              DesignRows(plain()).subset({60, 2}).columns({0, 2}));
  });
}

TEST(SparseRows, SayWhatIsWrongWithThem) {
  const auto with = [](auto change) {
    SparseRows rows;
    rows.columns = 3;
    rows.column = {0, 2, 1};
    rows.value = {1.0, 2.0, 3.0};
    rows.begin = {0, 2, 3};
    change(rows);
    rows.check();
  };
  with([](SparseRows&) {});
  expect_misuse([&] { with([](SparseRows& r) { r.column[1] = 0; }); },
                "row 1 of a sparse table has columns that do not ascend");
  expect_misuse([&] { with([](SparseRows& r) { r.column[2] = 3; }); },
                "row 2 of a sparse table has an entry in column 4 of 3");
  expect_misuse([&] { with([](SparseRows& r) { r.begin[1] = 4; }); }, "ends before it begins");
  expect_misuse([&] { with([](SparseRows& r) { r.value.pop_back(); }); }, "do not fit its entries");
  SparseRows bad;
  bad.columns = 1;
  bad.column = {0};
  bad.value = {NAN};
  bad.close_row();
  expect_misuse([&] { DesignRows{bad}; }, "NaN");
  expect_misuse([] { DesignRows(Matrix(Matrix::Ones(2, 2)), Vector::Ones(2)); },
                "dense rows are centred");
}

}  // namespace
}  // namespace fisherman::model_design_rows_test
