// Test scores of children on whether the mother finished high school.
data {
  int<lower=0> N;
  vector[N] kid_score;
  vector[N] mom_hs;
}
transformed data {
  matrix[N, 1] X = to_matrix(mom_hs);
}
parameters {
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  sigma ~ cauchy(0, 2.5);
  kid_score ~ normal_id_glm(X, beta[1], beta[2 : 2], sigma);
}
