// Numbers with errors of Student's t with nu degrees of freedom, times sigma.
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
  real<lower=0> nu;
}
model {
  alpha ~ normal(middle, 10 * spread);
  beta ~ normal(0, sqrt(10) * spread);
  sigma ~ student_t(3, 0, 2.5 * spread);
  target += log2();  // sigma is positive
  nu ~ gamma(2, 0.1);
  y ~ student_t(nu, alpha + X * beta, sigma);
}
