// Test scores of children on the mother's schooling, IQ and their product.
data {
  int<lower=0> N;
  vector[N] kid_score;
  vector[N] mom_hs;
  vector[N] mom_iq;
}
transformed data {
  matrix[N, 3] X;
  X[ : , 1] = mom_hs;
  X[ : , 2] = mom_iq;
  X[ : , 3] = mom_hs .* mom_iq;
}
parameters {
  vector[4] beta;
  real<lower=0> sigma;
}
model {
  sigma ~ cauchy(0, 2.5);
  kid_score ~ normal_id_glm(X, beta[1], beta[2 : 4], sigma);
}
