# Full-rank ADVI of rstan, stopped at several moments: Rscript advi.R MODEL DATA PRIOR_SD SEED FOLDER
# Writes FOLDER/<moment>.csv (mean, then covariance, a row a line) and prints "moment seconds iterations".
suppressMessages(library(rstan))
# Debian keeps the headers of Boost and Eigen outside of R's packages.
if (!file.exists(rstan_options("boost_lib"))) rstan_options(boost_lib = "/usr/include")
if (!file.exists(rstan_options("eigen_lib"))) rstan_options(eigen_lib = "/usr/include/eigen3")
args <- commandArgs(trailingOnly = TRUE)
table <- read.csv(args[2], check.names = FALSE)
labels <- table[[ncol(table)]]
x <- as.matrix(table[-ncol(table)])
x <- sweep(x, 2, colMeans(x))
x <- sweep(x, 2, pmax(sqrt(colMeans(x^2)), 1e-300), "/")
data <- list(n = nrow(x), d = ncol(x), x = x, y = as.integer(labels == max(labels)),
             prior_sd = as.numeric(args[3]))
compiled <- file.path(args[5], "logistic.rds")
if (!file.exists(compiled)) saveRDS(stan_model(args[1]), compiled)
model <- readRDS(compiled)

fit <- function(iterations, tolerance, draws) {
  said <- capture.output(
    seconds <- system.time(
      result <- vb(model, data = data, algorithm = "fullrank", init = 0, seed = as.integer(args[4]),
                   iter = iterations, tol_rel_obj = tolerance, output_samples = draws,
                   importance_resampling = FALSE))[["elapsed"]])
  steps <- as.integer(sub("^Chain 1: +([0-9]+) +-?[0-9].*", "\\1",
                          grep("^Chain 1: +[0-9]+ +-?[0-9]+\\.", said, value = TRUE)))
  list(result = result, seconds = seconds, steps = if (length(steps)) max(steps) else iterations)
}

# Timed with a few draws, then again, with the same seed, for 100,000 draws: rstan gives a Gaussian's
# covariance by draws only, and so many cost d(d+3)/4/100000 nats.
moment <- function(name, iterations, tolerance) {
  timed <- suppressWarnings(fit(iterations, tolerance, 10))
  drawn <- suppressWarnings(fit(iterations, tolerance, 100000))
  beta <- as.matrix(drawn$result)[, 1:data$d]
  write.table(format(rbind(colMeans(beta), cov(beta)), digits = 17), quote = FALSE, sep = ",",
              file.path(args[5], paste0(name, ".csv")), row.names = FALSE, col.names = FALSE)
  cat(name, timed$seconds, timed$steps, "\n")
}
invisible(suppressWarnings(fit(1, 1e-9, 10)))  # R's own first time
moment("first", 1, 1e-9)  # its step size is chosen and one step taken: the earliest that it has anything
moment("stop", 10000, 0.01)   # rstan's defaults
moment("long", 50000, 1e-9)   # as long as anybody would wait
