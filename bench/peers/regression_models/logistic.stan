// y is 1 with probability 1/(1 + exp(-eta)).
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[P] beta;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, sqrt(10));
  y ~ bernoulli_logit_glm(X, alpha, beta);
}
