#!/usr/bin/env Rscript
# R's reduced-rank multinomial regression on a CSV file with the classes in `label`:
#     rrvglm.R FILE RANK
# Prints the total negative log-likelihood and the seconds, or how it failed. Skips, with exit code 77,
# where VGAM is missing (Debian: r-cran-vgam).
arguments <- commandArgs(trailingOnly = TRUE)
if (!suppressPackageStartupMessages(require(VGAM, quietly = TRUE))) {
  message("skipped: the package VGAM is missing")
  quit(status = 77)
}
data <- read.csv(arguments[1])
data$label <- factor(data$label)
began <- proc.time()[3]
result <- try(suppressWarnings(
  rrvglm(label ~ ., multinomial(), data = data, Rank = as.integer(arguments[2]))), silent = TRUE)
seconds <- proc.time()[3] - began
if (inherits(result, "try-error")) {
  cat(sprintf("rrvglm rank %s failed after %.1f s: %s", arguments[2], seconds, result))
} else {
  cat(sprintf("rrvglm rank %s: total NLL %.2f in %.1f s\n", arguments[2], -logLik(result), seconds))
}
