// Test scores of children on how much the mother worked, in four groups of which the first is the baseline.
data {
  int<lower=0> N;
  vector[N] kid_score;
  array[N] int<lower=1, upper=4> mom_work;
}
transformed data {
  matrix[N, 3] X;
  for (n in 1 : N) {
    for (k in 1 : 3) {
      X[n, k] = mom_work[n] == k + 1;
    }
  }
}
parameters {
  vector[4] beta;
  real<lower=0> sigma;
}
model {
  kid_score ~ normal_id_glm(X, beta[1], beta[2 : 4], sigma);
}
