#include "fisherman/model/multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elementwise.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/core/row_parts.hpp"
#include "softmax.hpp"

namespace fisherman {
Matrix softmax(const Matrix& eta, Vector* log_total) {
  const Index k = eta.rows(), n = eta.cols();
  Matrix p(k + 1, n);
  Vector largest(n);
  for (Index i = 0; i < n; ++i) {
    largest(i) = std::max(0.0, eta.col(i).maxCoeff());
    p.col(i).head(k) = largest(i) - eta.col(i).array();
    p(k, i) = largest(i);
  }
  apply_exp_minus(Eigen::Map<Vector>(p.data(), p.size()));
  if (log_total != nullptr) log_total->resize(n);
  for (Index i = 0; i < n; ++i) {
    const double total = p.col(i).sum();
    p.col(i) *= 1.0 / total;
    if (log_total != nullptr) (*log_total)(i) = largest(i) + std::log(total);
  }
  return p;
}

Matrix less_mean(const Matrix& X) { return X.rowwise() - X.colwise().sum() / double(X.rows() + 1); }

Matrix probabilities(const Matrix& eta) { return softmax(eta); }

ClassData::ClassData(DesignRows x, std::vector<int> classes, Index class_count)
    : design_(std::move(x)), classes_(std::move(classes)), class_count_(class_count) {
  require(design_.part().count == Index(classes_.size()), "there are ", design_.part().count,
          " rows, but ", classes_.size(), " classes");
  require(rows() > 0 && features() > 0, "a multinomial regression needs rows and features, not ",
          rows(), " x ", features());
  require(class_count >= 2, "a multinomial regression needs two classes at least, not ",
          class_count);
  for (const int k : classes_)
    require(k >= 0 && k < class_count, "a row has class ", k, ", but classes are 0 to ",
            class_count - 1);
}

ClassData ClassData::subset(const std::vector<Index>& rows) const {
  const Eigen::MatrixXi here =
      Eigen::Map<const Eigen::MatrixXi>(classes_.data(), 1, Index(classes_.size()));
  const Eigen::MatrixXi chosen = collected(here, design_.part(), rows);
  return ClassData(design_.subset(rows), {chosen.data(), chosen.data() + chosen.size()},
                   class_count_);
}

ClassSums& ClassSums::operator+=(const ClassSums& other) {
  loss += other.loss;
  correct += other.correct;
  x_eb += other.x_eb;
  e_xl += other.e_xl;
  e += other.e;
  return *this;
}

ClassSums sums(const ClassData& data, const LinearScores& s, const Matrix* basis) {
  const Index K = data.classes();
  const DesignRows& design = data.design();
  const DesignRows::Left left = design.prepared(s.left);
  const auto of_rows = [&](const DesignRows& x, const RowSet& rows, Index first) {
    ClassSums sum;
    const Matrix z = x.project(left, rows);
    const Matrix eta = (s.right * z).colwise() + s.intercepts;
    Vector log_total;
    const Matrix p = softmax(eta, &log_total);
    for (Index i = 0; i < rows.count; ++i) {
      const int k = data.outcome(first + i);
      sum.loss +=
          log_total(i) - (k < K - 1 ? eta(k, i) : 0.0);  // exact where the probability underflows
      Index best;
      const bool last = eta.col(i).maxCoeff(&best) < 0.0;
      sum.correct += (last ? K - 1 : best) == k ? 1 : 0;
    }
    if (basis == nullptr) return sum;
    Matrix e = p.topRows(K - 1);
    for (Index i = 0; i < rows.count; ++i)
      if (const int k = data.outcome(first + i); k < K - 1) e(k, i) -= 1.0;
    sum.x_eb = x.gather(basis->transpose() * e, rows);
    sum.e_xl.noalias() = e * z.transpose();
    sum.e = e.rowwise().sum();
    return sum;
  };
  ClassSums total = sum_over_rows<ClassSums>(data.rows(), [&](Index first, Index count) {
    return design.with_rows({first, count}, [&](const DesignRows& x, const RowSet& rows) {
      return of_rows(x, rows, first);
    });
  });
  if (basis != nullptr)
    total.x_eb =
        Matrix(design.centred(std::move(total.x_eb), basis->transpose() * total.e)).transpose();
  return total;
}

Multinomial::Multinomial(std::shared_ptr<const ClassData> data, MultinomialOptions options)
    : data_(std::move(data)), options_(options), order_(2) {
  require(options.batch >= 1, "a minibatch has ", options.batch, " rows, but needs 1 at least");
  require(options.scores >= 0 && options.scores <= options.batch, "there are ", options.scores,
          " scores per iteration, but must be 0 (one per row) to ", options.batch,
          ", the rows of a minibatch");
}

Index Multinomial::score_count() const {
  return options_.scores > 0 ? options_.scores : options_.batch;
}

LinearScores Multinomial::linear(const ReducedRank& frame) {
  const FixedRank& B = frame.factor<0>();
  return {B.U(), B.V() * B.S().transpose(), frame.factor<1>().point()};
}

// |B̃|² = tr BCBᵀ with C = I − 11ᵀ/K, and its gradient is 2BC.
double Multinomial::penalty(const LinearScores& s) const {
  if (options_.ridge == 0.0) return 0.0;
  const Matrix CR = less_mean(s.right);
  return 0.5 * ridge_share() *
         ((s.left.transpose() * s.left).array() * (s.right.transpose() * CR).array()).sum();
}

Vector Multinomial::penalty_gradient(const ReducedRank& frame) const {
  Vector out = Vector::Zero(frame.dimension());
  if (options_.ridge == 0.0) return out;
  const FixedRank& B = frame.factor<0>();
  const Matrix CV = less_mean(B.V());
  out.head(B.dimension()) =
      ridge_share() *
      B.pull_products(B.U() * (B.S() * (B.V().transpose() * CV)), CV * B.S().transpose());
  return out;
}

Vector Multinomial::penalty_gradient(const ExtrinsicReducedRank& frame) const {
  const FixedRank& B = frame.base().factor<0>();
  Vector out = Vector::Zero(B.rows() * B.cols() + B.cols());
  if (options_.ridge == 0.0) return out;
  const Matrix BC = B.U() * (B.S() * less_mean(B.V()).transpose());
  out.head(BC.size()) = ridge_share() * as_vector(BC);
  return out;
}

const std::vector<Index>& Multinomial::order(std::uint64_t seed, std::uint64_t pass) {
  Order& kept = order_[pass % 2];
  if (kept.rows.empty() || kept.seed != seed || kept.pass != pass) {
    kept.seed = seed, kept.pass = pass;
    kept.rows.resize(std::size_t(data_->rows()));
    std::iota(kept.rows.begin(), kept.rows.end(), Index(0));
    // A pass has an address of its own, beyond those of the iterations.
    const Draws draws(seed, (std::uint64_t(1) << 63) + pass);
    const Matrix keys = draws.uniforms(0, data_->rows(), 1);
    std::stable_sort(kept.rows.begin(), kept.rows.end(),
                     [&](Index a, Index b) { return keys(a) < keys(b); });
  }
  return kept.rows;
}

std::vector<Index> Multinomial::batch_rows(const Draws& draws) {
  const auto n = std::uint64_t(data_->rows()), b = std::uint64_t(options_.batch);
  std::vector<Index> rows(static_cast<std::size_t>(b));
  for (std::uint64_t k = 0; k < b; ++k) {
    const std::uint64_t position = draws.index() * b + k;
    rows[std::size_t(k)] = order(draws.seed(), position / n)[std::size_t(position % n)];
  }
  return rows;
}

const Multinomial::Batch& Multinomial::at(const LinearScores& s, const Draws& draws) {
  const Index b = options_.batch, K = data_->classes();
  if (batch_.x.size() == 0 || batch_.seed != draws.seed() || batch_.index != draws.index()) {
    const std::vector<Index> rows = batch_rows(draws);
    batch_.seed = draws.seed(), batch_.index = draws.index();
    const ClassData batch = data_->subset(rows);
    batch_.x = batch.design().columns({0, b});
    batch_.classes = batch.outcomes();
  }
  const Matrix z = s.left.transpose() * batch_.x;
  batch_.probabilities = softmax((s.right * z).colwise() + s.intercepts);
  batch_.residuals = batch_.probabilities.topRows(K - 1);
  for (Index i = 0; i < b; ++i)
    if (const int k = batch_.classes[std::size_t(i)]; k < K - 1) batch_.residuals(k, i) -= 1.0;
  return batch_;
}

Matrix Multinomial::sampled(const Batch& batch, const Draws& draws) const {
  const Index K = data_->classes(), count = score_count();
  const Matrix u = draws.uniforms(1, count, 1);
  Matrix w = -batch.probabilities.topLeftCorner(K - 1, count);
  for (Index i = 0; i < count; ++i) {
    double below = 0.0;
    for (Index k = 0; k < K - 1; ++k)
      if (u(i) < (below += batch.probabilities(k, i))) {
        w(k, i) += 1.0;
        break;
      }
  }
  return w;
}

// A score is x wᵀ with w = e_y − p: U_p has (I − UUᵀ)x · (Vᵀw)ᵀ, and E[wwᵀ | x] = diag p − ppᵀ.
OuterScores Multinomial::scores(const ReducedRank& frame, const Draws& draws, As<OuterScores>) {
  const Batch& batch = at(linear(frame), draws);
  const FixedRank& B = frame.factor<0>();
  const Index r = B.rank(), k = B.cols(), b = score_count();
  const auto x = batch.x.leftCols(b);
  const auto p = batch.probabilities.topLeftCorner(k, b);
  const Matrix w = sampled(batch, draws), Ux = B.U().transpose() * x, Vw = B.V().transpose() * w;
  const Matrix across_w = w - B.V() * Vw, mean = B.V().transpose() * p;
  OuterScores out{
      {r * r, B.rows(), r}, x - B.U() * Ux, Matrix(r * r, b), Matrix(r * r + k * r + k, b)};
  for (Index i = 0; i < b; ++i) {
    Eigen::Map<Matrix>(out.moments.col(i).data(), r, r) =
        B.V().transpose() * p.col(i).asDiagonal() * B.V() - mean.col(i) * mean.col(i).transpose();
    double* const rest = out.rest.col(i).data();
    Eigen::Map<Matrix>(rest, r, r) = Ux.col(i) * Vw.col(i).transpose();
    Eigen::Map<Matrix>(rest + r * r, k, r) = across_w.col(i) * Ux.col(i).transpose();
    out.rest.col(i).tail(k) = w.col(i);
  }
  return out;
}

Matrix Multinomial::pulled(const ReducedRank& frame, const ConstMatrixRef& x, const Matrix& w) {
  const FixedRank& B = frame.factor<0>();
  Matrix out(frame.dimension(), x.cols());
  B.pull_outer(x, w, out.topRows(B.dimension()));
  out.bottomRows(w.rows()) = w;
  return out;
}

Matrix Multinomial::pulled(const ExtrinsicReducedRank&, const ConstMatrixRef& x, const Matrix& w) {
  const Index p = x.rows(), k = w.rows();
  Matrix out(p * k + k, x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    Eigen::Map<Matrix>(out.col(i).data(), p, k) = x.col(i) * w.col(i).transpose();
    out.col(i).tail(k) = w.col(i);
  }
  return out;
}

Vector Multinomial::pulled_sum(const ReducedRank& frame, const ConstMatrixRef& x, const Matrix& w) {
  Vector out(frame.dimension());
  out << frame.factor<0>().pull_products(x * (w.transpose() * frame.factor<0>().V()),
                                         w * (x.transpose() * frame.factor<0>().U())),
      w.rowwise().sum();
  return out;
}

Vector Multinomial::pulled_sum(const ExtrinsicReducedRank&, const ConstMatrixRef& x,
                               const Matrix& w) {
  const Matrix E = x * w.transpose();
  Vector out(E.size() + w.rows());
  out << as_vector(E), w.rowwise().sum();
  return out;
}

ValueAndGradient Multinomial::value_and_gradient(const ReducedRank& frame) const {
  const FixedRank& B = frame.factor<0>();
  const double n = double(data_->rows());
  const ClassSums s = sums(*data_, linear(frame), &B.V());
  Vector out(frame.dimension());
  out << B.pull_products(s.x_eb, s.e_xl), s.e;
  return {s.loss / n + penalty(linear(frame)), out / n + penalty_gradient(frame)};
}

ValueAndGradient Multinomial::value_and_gradient(const ExtrinsicReducedRank& frame) const {
  const Index k = data_->classes() - 1;
  const double n = double(data_->rows());
  const Matrix I = Matrix::Identity(k, k);
  const ClassSums s = sums(*data_, linear(frame.base()), &I);
  Vector out(s.x_eb.size() + k);
  out << as_vector(s.x_eb), s.e;
  return {s.loss / n + penalty(linear(frame.base())), out / n + penalty_gradient(frame)};
}

// A row's score is the pull of (x wᵀ, w) with Cov w = diag(p) − ppᵀ = LLᵀ, so its second moment is that
// of the K−1 columns x l_kᵀ.
Matrix Multinomial::fisher_matrix(const ReducedRank& frame) const {
  const Index d = frame.dimension(), k = data_->classes() - 1, n = data_->rows();
  constexpr Index rows_at_once = 64;
  Matrix out = Matrix::Zero(d, d);
  const LinearScores s = linear(frame);
  const Index blocks = (n + rows_at_once - 1) / rows_at_once;
  constexpr Index strips = 16;  // of the lower triangle, by columns: one a task
  for (Index block = 0; block < blocks; ++block) {
    const Index first = block * rows_at_once, count = std::min(rows_at_once, n - first);
    Matrix columns(d, count * k);
    {
      std::vector<Index> rows(static_cast<std::size_t>(count));
      std::iota(rows.begin(), rows.end(), first);
      const Matrix x = data_->design().subset(rows).columns({0, count});
      const Matrix z = s.left.transpose() * x;
      const Matrix p = softmax((s.right * z).colwise() + s.intercepts);
      Matrix xs(x.rows(), count * k), ws(k, count * k);
      for (Index i = 0; i < count; ++i) {
        // The Cholesky factor of diag(p) − ppᵀ in closed form: with t_j = 1 − p_0 − … − p_j,
        // L_jj² = p_j t_j/t_(j−1) and L_ij = −p_i L_jj/t_j below.
        double before = 1.0;
        for (Index j = 0; j < k; ++j) {
          const double after = std::max(before - p(j, i), 0.0);
          const double diagonal = before > 0.0 ? std::sqrt(p(j, i) * after / before) : 0.0;
          ws.col(i * k + j).setZero();
          ws(j, i * k + j) = diagonal;
          if (after > 0.0)
            ws.col(i * k + j).tail(k - j - 1) =
                -p.col(i).segment(j + 1, k - j - 1) * (diagonal / after);
          xs.col(i * k + j) = x.col(i);
          before = after;
        }
      }
      columns = pulled(frame, xs, ws);
    }
    parallel_for(std::size_t(strips), [&](std::size_t strip) {
      const Index from = Index(strip) * d / strips, to = Index(strip + 1) * d / strips;
      if (to > from)
        out.block(from, from, d - from, to - from).noalias() +=
            columns.bottomRows(d - from) * columns.middleRows(from, to - from).transpose();
    });
  }
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out / double(n);
}

}  // namespace fisherman
