// Positive numbers with mean m = exp(eta) and variance m^2/shape.
data {
  int<lower=1> N, P;
  matrix[N, P] X;  // standardised columns
  vector<lower=0>[N] y;
}
transformed data {
  real middle = log(mean(y));
}
parameters {
  real alpha;
  vector[P] beta;
  real<lower=0> shape;
}
model {
  alpha ~ normal(middle, 10);
  beta ~ normal(0, sqrt(10));
  shape ~ lognormal(0, 2);
  y ~ gamma(shape, shape * exp(-(alpha + X * beta)));
}
