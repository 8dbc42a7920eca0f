// Test scores of children on the mother's schooling and IQ, both centred at their means, and their product.
data {
  int<lower=0> N;
  vector[N] kid_score;
  vector[N] mom_hs;
  vector[N] mom_iq;
}
transformed data {
  vector[N] hs = mom_hs - mean(mom_hs);
  vector[N] iq = mom_iq - mean(mom_iq);
  matrix[N, 3] X;
  X[ : , 1] = hs;
  X[ : , 2] = iq;
  X[ : , 3] = hs .* iq;
}
parameters {
  vector[4] beta;
  real<lower=0> sigma;
}
model {
  kid_score ~ normal_id_glm(X, beta[1], beta[2 : 4], sigma);
}
