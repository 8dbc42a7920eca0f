// Numbers with normal errors.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  vector[N] y;
}
transformed data {
  real middle = mean(y);
  real spread = sqrt(mean((y - middle)^2));
}
parameters {
  real alpha;
  vector[P] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(middle, 10 * spread);
  beta ~ normal(0, sqrt(10) * spread);
  sigma ~ student_t(3, 0, 2.5 * spread);
  target += log2();  // sigma is positive
  y ~ normal_id_glm(X, alpha, beta, sigma);
}
