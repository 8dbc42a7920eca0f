// The multinomial regression on the factors B = LRᵀ in a moving gauge: what a fit that goes to the optimum works with, in both
// of its phases.
#include <numeric>

#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/model/multinomial.hpp"
#include "softmax.hpp"

namespace fisherman {
namespace {

/// Sums of diag p − ppᵀ and of zzᵀ, as means.
FactorMoments moments_of(const Matrix& z, const Matrix& p, const Matrix& R) {
  const double n = double(z.cols());
  FactorMoments out;
  out.W = -(p * p.transpose()) / n;
  out.W.diagonal() += p.rowwise().mean();
  out.RWR = R.transpose() * out.W * R;
  out.zz = z * z.transpose() / n;
  return out;
}

/// The sums that a feature's share of the information is made of.
struct FeatureSums {
  Matrix squares, gathered;  // Σ x_j² RᵀWR and Σ x_j RᵀWR, r²×p
  Vector sum;                // Σ RᵀWR
  FeatureSums& operator+=(const FeatureSums& other) {
    squares += other.squares;
    if (gathered.size() > 0) gathered += other.gathered;
    sum += other.sum;
    return *this;
  }
  auto fields() { return std::tie(squares, gathered, sum); }
};

}  // namespace

ReducedRank as_fixed_rank(const FactoredReducedRank& point) {
  const FactoredRank& B = point.factor<0>();
  const auto [Q, T] = thin_qr(B.L());
  const auto [left, s, right] = svd(T);
  return ReducedRank(FixedRank(Q * left, s.asDiagonal(), B.R() * right), point.factor<1>());
}

FactoredReducedRank as_factored(const ReducedRank& point) {
  const FixedRank& B = point.factor<0>();
  return FactoredReducedRank(FactoredRank(B.U() * B.S(), B.V()), point.factor<1>());
}

LinearScores Multinomial::linear(const FactoredReducedRank& frame) {
  return {frame.factor<0>().L(), frame.factor<0>().R(), frame.factor<1>().point()};
}

Vector Multinomial::penalty_gradient(const FactoredReducedRank& frame) const {
  Vector out = Vector::Zero(frame.dimension());
  if (options_.ridge == 0.0) return out;
  const FactoredRank& B = frame.factor<0>();
  const Matrix CR = less_mean(B.R());
  out.head(B.dimension()) = ridge_share() * B.pull_products(B.L() * (B.R().transpose() * CR),
                                                            CR * (B.L().transpose() * B.L()));
  return out;
}

Matrix Multinomial::pulled(const FactoredReducedRank& frame, const ConstMatrixRef& x,
                           const Matrix& w) {
  const FactoredRank& B = frame.factor<0>();
  const Matrix z = B.L().transpose() * x, Rw = B.R().transpose() * w;
  Matrix out(frame.dimension(), x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    const Matrix D = x.col(i) * Rw.col(i).transpose(), E = w.col(i) * z.col(i).transpose();
    out.col(i) << B.pull_products(D, E), w.col(i);
  }
  return out;
}

ValueAndGradient Multinomial::value_and_gradient(const FactoredReducedRank& frame) const {
  const FactoredRank& B = frame.factor<0>();
  const double n = double(data_->rows());
  const ClassSums s = sums(*data_, linear(frame), &B.R());
  Vector out(frame.dimension());
  out << B.pull_products(s.x_eb, s.e_xl), s.e;
  return {s.loss / n + penalty(linear(frame)), out / n + penalty_gradient(frame)};
}

const Multinomial::FactoredBatch& Multinomial::factored_batch(const FactoredReducedRank& frame,
                                                              const Draws& draws) {
  FactoredBatch& out = factored_batch_;
  Vector here = frame.point();
  if (!out.rows.empty() && out.seed == draws.seed() && out.index == draws.index() &&
      out.point == here)
    return out;
  out.seed = draws.seed(), out.index = draws.index();
  out.point = std::move(here);
  out.data = data_;
  out.rows = batch_rows(draws);
  if (const DesignRows& all = data_->design(); !all.part().is_whole() || all.stored()) {
    out.data = std::make_shared<const ClassData>(data_->subset(out.rows));
    std::iota(out.rows.begin(), out.rows.end(), Index(0));
  }
  const LinearScores s = linear(frame);
  const DesignRows& design = out.data->design();
  out.z = design.project(design.prepared(s.left), out.rows);
  out.probabilities = softmax((s.right * out.z).colwise() + s.intercepts);
  return out;
}

Vector Multinomial::gradient(const FactoredReducedRank& frame, const Draws& draws) {
  const FactoredRank& B = frame.factor<0>();
  const FactoredBatch& batch = factored_batch(frame, draws);
  const Index k = data_->classes() - 1, b = batch.z.cols();
  Matrix e = batch.probabilities.topRows(k) / double(b);
  for (Index i = 0; i < b; ++i)
    if (const int c = batch.data->outcome(batch.rows[std::size_t(i)]); c < k)
      e(c, i) -= 1.0 / double(b);
  const DesignRows& design = batch.data->design();
  const Vector sum = e.rowwise().sum();
  const Matrix x_eb =
      design.centred(design.gather(B.R().transpose() * e, batch.rows), B.R().transpose() * sum);
  Vector out(frame.dimension());
  out << B.pull_products(x_eb.transpose(), e * batch.z.transpose()), sum;
  return out + penalty_gradient(frame);
}

FactorMoments Multinomial::scores(const FactoredReducedRank& frame, const Draws& draws,
                                  As<FactorMoments>) {
  const FactoredBatch& batch = factored_batch(frame, draws);
  return moments_of(batch.z, batch.probabilities.topRows(data_->classes() - 1),
                    frame.factor<0>().R());
}

FactorInformation Multinomial::information(const FactoredReducedRank& frame, bool features) const {
  constexpr Index most_rows = 10000, most_order = 2048;
  const FactoredRank& B = frame.factor<0>();
  const Index k = B.cols(), r = B.rank(), p = B.rows();
  const double ridge = ridge_share();
  const DesignRows& design = data_->design();
  const LinearScores s = linear(frame);
  const DesignRows::Left left = design.prepared(s.left);
  const Matrix CR = less_mean(B.R()), RCR = B.R().transpose() * CR;
  FactorInformation out;
  out.gauge = B.R();
  const std::vector<Index> rows = spread_rows(data_->rows(), most_rows);
  const Matrix z = design.subset(rows).project(left, {0, Index(rows.size())});
  const Matrix q = softmax((s.right * z).colwise() + s.intercepts).topRows(k);
  const double n = double(rows.size());
  out.means = moments_of(z, q, B.R());
  out.ridge = ridge * RCR;

  if ((r + 1) * k <= most_order) {
    // Coordinates E, column by column, then a: (z,1) ⊗ w with E[wwᵀ] = diag q − qqᵀ.
    Matrix Z(r + 1, z.cols());
    Z << z, Vector::Ones(z.cols()).transpose();
    Matrix outer((r + 1) * k, z.cols());
    for (Index a = 0; a <= r; ++a)
      outer.middleRows(a * k, k) = q.array().rowwise() * Z.row(a).array();
    Matrix F = -(outer * outer.transpose()) / n;
    for (Index a = 0; a <= r; ++a)
      for (Index b = 0; b <= r; ++b)
        F.block(a * k, b * k, k, k).diagonal() +=
            q * (Z.row(a).array() * Z.row(b).array()).matrix().transpose() / n;
    if (ridge > 0.0) {
      const Matrix LL = B.L().transpose() * B.L(), C = less_mean(Matrix::Identity(k, k));
      for (Index a = 0; a < r; ++a)
        for (Index b = 0; b < r; ++b) F.block(a * k, b * k, k, k) += ridge * LL(a, b) * C;
    }
    const auto project_rows = [&] {
      for (Index a = 0; a < r; ++a) {
        auto part = F.middleRows(a * k, k);
        part -= B.R() * (B.R().transpose() * part).eval();
      }
    };
    project_rows();
    F.transposeInPlace();
    project_rows();
    out.classes = std::move(F);
  }

  if (features) {
    const auto sums_of = [&](Index first, Index count) {
      const RowSet some(first, count);
      const Matrix P =
          softmax((s.right * design.project(left, some)).colwise() + s.intercepts).topRows(k);
      const Matrix RP = B.R().transpose() * P;
      Matrix products(r * r, k);  // R_ca R_cb for each class c
      for (Index c = 0; c < k; ++c) {
        const Matrix outer = B.R().row(c).transpose() * B.R().row(c);
        products.col(c) = as_vector(outer);
      }
      Matrix w = products * P;
      for (Index i = 0; i < count; ++i)
        for (Index b = 0; b < r; ++b) w.col(i).segment(b * r, r) -= RP(b, i) * RP.col(i);
      FeatureSums sum;
      sum.squares = design.gather_squares(w, some);
      if (design.centre().size() > 0) sum.gathered = design.gather(w, some);
      sum.sum = w.rowwise().sum();
      return sum;
    };
    FeatureSums total = sum_over_rows<FeatureSums>(data_->rows(), sums_of);
    out.features = design.centred_squares(std::move(total.squares), total.gathered, total.sum) /
                   double(data_->rows());
    for (Index j = 0; j < p; ++j) out.features.col(j) += as_vector(out.ridge);
  }
  return out;
}

FactorInformation Multinomial::scores(const FactoredReducedRank& frame, const Draws&,
                                      As<FactorInformation>) {
  return information(frame, true);
}

SpreadInformation Multinomial::scores(const FactoredReducedRank& frame, const Draws&,
                                      As<SpreadInformation>) {
  return {information(frame, false)};
}

}  // namespace fisherman
