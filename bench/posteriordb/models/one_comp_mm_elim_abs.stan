// One compartment: absorption from the gut, elimination after Michaelis and Menten.
functions {
  vector change(real t, vector C, real k_a, real K_m, real V_m, real D, real V) {
    real dose = t > 0 ? D * k_a * exp(-k_a * t) / V : 0;
    return [dose - V_m / V * C[1] / (K_m + C[1])]';
  }
}
data {
  real t0;
  real<lower=0> D;
  real<lower=0> V;
  int<lower=1> N_t;
  array[N_t] real times;
  vector<lower=0>[N_t] C_hat;
}
parameters {
  real<lower=0> k_a;
  real<lower=0> K_m;
  real<lower=0> V_m;
  real<lower=0> sigma;
}
model {
  array[N_t] vector[1] C = ode_bdf(change, [0]', t0, times, k_a, K_m, V_m, D, V);
  k_a ~ cauchy(0, 1);
  K_m ~ cauchy(0, 1);
  V_m ~ cauchy(0, 1);
  sigma ~ cauchy(0, 1);
  C_hat ~ lognormal(log(C[ : , 1]), sigma);
}
