// Adam (Kingma and Ba 2015) in the coordinates of a frame: what users would otherwise take, for
// comparison. It learns from gradients alone, so it is no estimate of Fisher information and none of the
// laws of fisher.hpp hold; on a manifold its moments are carried by the frame, as in Riemannian Adam.
#pragma once

#include <string>

#include "fisherman/core/archive.hpp"
#include "fisherman/fisher/fisher.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

struct AdamOptions {
  double first = 0.9;     // weight of the past in the mean gradient
  double second = 0.999;  // and in the mean squared gradient
  double epsilon = 1e-8;

  void check() const {
    require(first >= 0.0 && first < 1.0, "Adam's first weight is ", first,
            ", but must lie between 0 and 1");
    require(second >= 0.0 && second < 1.0, "Adam's second weight is ", second,
            ", but must lie between 0 and 1");
    require(epsilon > 0.0, "Adam's epsilon is ", epsilon, ", but must be positive");
  }
};

class Adam {
 public:
  static std::string type_name() { return "adam"; }
  explicit Adam(Index dimension, AdamOptions options = {})
      : options_(options), mean_(Vector::Zero(dimension)), square_(Vector::Zero(dimension)) {
    options.check();
  }

  Index dimension() const { return mean_.size(); }
  /// Its direction comes from past gradients too and may go uphill by the present one.
  static constexpr bool has_momentum() { return true; }
  void absorb(const ConstMatrixRef&) {}
  template <class Model, class Frame, class Draws>
  void learn(Model&, const Frame&, const Draws&) {}
  Vector solve(const ConstVectorRef& g) {
    require_size(g, dimension(), "a gradient");
    ++count_;
    mean_ = options_.first * mean_ + (1.0 - options_.first) * g;
    square_ = options_.second * square_ + (1.0 - options_.second) * g.cwiseAbs2();
    const double k = double(count_);
    const double mean_scale = 1.0 / (1.0 - std::pow(options_.first, k));
    const double square_scale = 1.0 / (1.0 - std::pow(options_.second, k));
    return mean_scale * mean_.array() /
           ((square_scale * square_.array()).sqrt() + options_.epsilon);
  }
  /// Carried by the frame or not at all.
  void save(Writer& out) const {
    out.put(count_);
    out.put(mean_);
    out.put(square_);
  }
  void load(Reader& in) {
    const auto count = in.get_count();
    const Vector mean = in.get_vector(), square = in.get_vector();
    Reader::expect(mean.size() == dimension() && square.size() == dimension() && mean.allFinite() &&
                   square.allFinite() && (square.array() >= 0.0).all());
    count_ = count, mean_ = mean, square_ = square;
  }

 private:
  AdamOptions options_;
  std::int64_t count_ = 0;
  Vector mean_, square_;
};

}  // namespace fisherman
