#include "fisherman/model/sounding.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fisherman/core/error.hpp"
#include "fisherman/core/packing.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {
namespace {

constexpr double least_curvature =
    1e-3;  // of B's eigenvalues: a step makes no variance 1,000 times larger

/// The noise of the slope beside that of the curvature, as it was measured on logistic regressions of order 30 to 500.
double slope_noise(double d) { return std::min(0.15, 2.0 / d); }

/// The symmetric part of B, with eigenvalues that its noise cannot have made. The skew part of B is as large as that noise.
Spectrum safe_spectrum(const Matrix& B) {
  const Matrix skew = 0.5 * (B - B.transpose());
  Spectrum out = spectrum(0.5 * (B + B.transpose()));
  const double noise = skew.norm() / std::sqrt(std::max(1.0, double(B.rows())));
  out.values = out.values.cwiseMax(std::max(noise, least_curvature));
  return out;
}

Vector newton_step(const Spectrum& B, const Vector& a, double t) {
  const Vector precision = ((1.0 - t) + t * B.values.array()).matrix();
  const Vector along = B.P.transpose() * a;
  const Vector mean = -t * (B.P * along.cwiseQuotient(precision));
  const Matrix logs = B.P * (-precision.array().log()).matrix().asDiagonal() * B.P.transpose();
  Vector out(mean.size() + svec_size(mean.size()));
  out << mean, svec(logs) * (0.5 * std::numbers::sqrt2);
  return out;
}

/// How far such a step goes, squared: where the new Gaussian is wider, by the new one.
double squared_length(const Spectrum& B, const Vector& along, double t) {
  double out = 0.0;
  for (Index i = 0; i < along.size(); ++i) {
    const double precision = (1.0 - t) + t * B.values(i), move = t * along(i) / precision;
    out += move * move * std::min(1.0, precision) + 0.5 * std::log(precision) * std::log(precision);
  }
  return out;
}

}  // namespace

Vector Sounding::gradient() const {
  const Index d = slope.size();
  Vector out(d + svec_size(d));
  out << slope, svec(curvature - Matrix::Identity(d, d)) * (0.5 * std::numbers::sqrt2);
  return out;
}

double Sounding::noise() const {
  const double d = double(slope.size());
  if (d < 2.0) return 0.0;
  // Its d(d−1)/2 numbers stand for the d(d+1)/2 of the symmetric part, and some more for those of the slope.
  const double skew = 0.25 * (curvature - curvature.transpose()).squaredNorm();
  return (1.0 + slope_noise(d)) * 0.25 * skew * (d + 1.0) / (d - 1.0);
}

Vector Sounding::step(double t) const { return newton_step(safe_spectrum(curvature), slope, t); }

Vector Sounding::step(double& t, double radius) const {
  const Spectrum B = safe_spectrum(curvature);
  const Vector along = B.P.transpose() * slope;
  if (squared_length(B, along, t) > radius * radius) {
    double low = 0.0, high = t;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      (squared_length(B, along, middle) > radius * radius ? high : low) = middle;
    }
    t = low;
  }
  return newton_step(B, slope, t);
}

Sounding mean(const std::vector<Sounding>& soundings) {
  Sounding out = soundings.front();
  for (std::size_t k = 1; k < soundings.size(); ++k) {
    out.value += soundings[k].value;
    out.error = std::hypot(out.error, soundings[k].error);
    out.slope += soundings[k].slope;
    out.curvature += soundings[k].curvature;
    out.gradients += soundings[k].gradients;
    out.failed += soundings[k].failed;
  }
  const double n = double(soundings.size());
  out.value /= n;
  out.error /= n;
  out.slope /= n;
  out.curvature /= n;
  return out;
}

namespace {

/// Of gradients, one per column; `alone` is the noise of a single one.
GainEstimate gain_of_columns(const Matrix& gradients, double alone) {
  // With ḡ the mean of n gradients, |ḡ|² = gain + noise/n and the mean of |gᵢ|² = gain + noise.
  const double n = double(gradients.cols());
  const double squares = 0.5 * gradients.squaredNorm() / n;
  const double of_mean = 0.5 * gradients.rowwise().mean().squaredNorm();
  const double noise = n > 1.0 ? (squares - of_mean) * n / (n - 1.0) : alone;
  return {squares - noise, noise};
}

/// The share of the mean gradient that is no noise.
double sure_share(const Matrix& gradients, double alone) {
  const GainEstimate e = gain_of_columns(gradients, alone);
  const double whole = e.gain + e.noise / double(gradients.cols());
  return whole > 0.0 ? std::clamp(e.gain / whole, 0.0, 1.0) : 1.0;
}

}  // namespace

GainEstimate gain_of(const std::vector<Sounding>& soundings) {
  Matrix g(soundings.front().gradient().size(), Index(soundings.size()));
  for (std::size_t k = 0; k < soundings.size(); ++k) g.col(Index(k)) = soundings[k].gradient();
  return gain_of_columns(g, soundings.front().noise());
}

namespace {

/// The gradients of soundings, one per column: for the mean, for the curvature that is in the span of the shapes, in an
/// orthonormal basis of it, and for the rest. The noises are those of a single one.
struct Parts {
  Matrix slope, alike, rest, basis;
  double slope_noise, alike_noise, rest_noise;
};
Parts parts_of(const std::vector<Sounding>& soundings, const Vector& shapes) {
  const Sounding& first = soundings.front();
  const Index d = first.slope.size(), n = Index(soundings.size()), size = svec_size(d);
  const Index count = shapes.size() / size;
  require(shapes.size() == count * size && count < size, "shapes are ", shapes.size(),
          " numbers, but must be some matrices of order ", d);
  Matrix like(size, 1 + count);
  like.col(0) = svec(Matrix::Identity(d, d));
  for (Index k = 0; k < count; ++k)
    like.col(1 + k) =
        svec(first.root.transpose() * smat(shapes.segment(k * size, size), d) * first.root);
  Parts out;
  out.basis = thin_qr(like).Q;
  out.slope.resize(d, n);
  out.rest.resize(size, n);
  for (Index i = 0; i < n; ++i) {
    const Sounding& s = soundings[std::size_t(i)];
    out.slope.col(i) = s.slope;
    out.rest.col(i) = svec(s.curvature - Matrix::Identity(d, d)) * (0.5 * std::numbers::sqrt2);
  }
  out.alike = out.basis.transpose() * out.rest;
  out.rest -= out.basis * out.alike;
  const double noise = first.noise(), of_curvature = noise / (1.0 + slope_noise(double(d)));
  out.slope_noise = noise - of_curvature;
  out.alike_noise = of_curvature * double(1 + count) / double(size);
  out.rest_noise = of_curvature - out.alike_noise;
  return out;
}

}  // namespace

Sounding without_noise(const std::vector<Sounding>& soundings, const Vector& shapes) {
  const Parts p = parts_of(soundings, shapes);
  const Index d = p.slope.rows();
  Sounding out = mean(soundings);
  out.slope *= sure_share(p.slope, p.slope_noise);
  const Vector change = sure_share(p.alike, p.alike_noise) * (p.basis * p.alike.rowwise().mean()) +
                        sure_share(p.rest, p.rest_noise) * p.rest.rowwise().mean();
  out.curvature = Matrix::Identity(d, d) + smat(change, d) * std::numbers::sqrt2;
  return out;
}

double unlike_share(const Sounding& sounding, const Vector& shapes) {
  const Parts p = parts_of({sounding}, shapes);
  const double alike = std::max(0.0, gain_of_columns(p.alike, p.alike_noise).gain),
               rest = std::max(0.0, gain_of_columns(p.rest, p.rest_noise).gain);
  return alike + rest > 0.0 ? rest / (alike + rest) : 0.0;
}

Vector chi_radii(Index degrees, const Vector& uniforms) {
  // The distribution function by Simpson's rule on a fine grid: exact to nine digits, which no noise can see.
  const double k = double(degrees), mode = std::sqrt(std::max(k - 1.0, 0.0));
  const double low = std::max(0.0, mode - 9.0), high = mode + 9.0;
  constexpr Index cells = 4096;
  const double h = (high - low) / double(cells);
  const auto density = [&](double r) {
    if (r <= 0.0) return degrees == 1 ? 1.0 : 0.0;
    const double at_mode = mode > 0.0 ? (k - 1.0) * std::log(mode) - 0.5 * mode * mode : 0.0;
    return std::exp((k - 1.0) * std::log(r) - 0.5 * r * r - at_mode);
  };
  Vector sums(cells + 1);
  sums(0) = 0.0;
  for (Index i = 0; i < cells; ++i) {
    const double r = low + h * double(i);
    sums(i + 1) = sums(i) + h / 6.0 * (density(r) + 4.0 * density(r + 0.5 * h) + density(r + h));
  }
  const Index count = uniforms.size();
  Vector out(count);
  for (Index j = 0; j < count; ++j) {
    const double wanted = sums(cells) * (double(j) + uniforms(j)) / double(count);
    const auto above = std::upper_bound(sums.begin(), sums.end(), wanted);
    const Index i = std::clamp<Index>(above - sums.begin() - 1, 0, cells - 1);
    out(j) = low + h * (double(i) + (wanted - sums(i)) / std::max(sums(i + 1) - sums(i), 1e-300));
  }
  return out;
}

}  // namespace fisherman
