// What both forms of the multinomial regression are made of.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

/// Probabilities, with the last class, whose logit is 0, appended; and log Σ exp η. No logit is too large.
Matrix softmax(const Matrix& eta, Vector* log_total = nullptr);

/// X − 11ᵀX/K for (K−1)×m: what the last class, whose row is zero, makes of taking off the mean.
Matrix less_mean(const Matrix& X);

}  // namespace fisherman
