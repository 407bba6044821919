# Concordance, survival curves, log-rank test and Cox regression by survival:
# Rscript survival.R input.json output.json
library(survival)

cox <- function(times, X, ties) {
  precise <- coxph.control(eps = 1e-14, toler.chol = 1e-15, iter.max = 100)
  fit <- coxph(times ~ X, ties = ties, control = precise)
  list(coefficients = unname(coef(fit)), log_likelihood = fit$loglik[2], fit = fit)
}

refer <- function(case) {
  times <- Surv(case$time, case$event)
  marker <- case$X[, 1]
  harrell <- concordance(times ~ marker, reverse = TRUE)
  uno <- concordance(times ~ marker, reverse = TRUE, timewt = "n/G2")
  # The time as a number, censored or not; and patients with two rows each.
  number <- concordance(case$time ~ marker)
  patient <- (seq_along(marker) - 1) %/% 2
  pairs <- concordance(times ~ marker, reverse = TRUE, cluster = patient)
  curve <- survfit(times ~ 1, conf.type = "log-log")
  half <- quantile(curve, 0.5)
  # Events come first: who is censored at the time of an event was still at risk.
  place <- match(paste(case$time, !case$event), unique(paste(case$time, !case$event)[order(case$time, !case$event)]))
  reverse <- survfit(Surv(place, !case$event) ~ 1)
  place_of <- match(reverse$time, place)
  follow_up <- survfit(Surv(case$time, !case$event) ~ 1)
  test <- survdiff(times ~ case$group)
  efron <- cox(times, case$X, "efron")
  breslow <- cox(times, case$X, "breslow")
  hazard <- basehaz(breslow$fit, centered = TRUE)
  list(
    concordance = unname(harrell$concordance),
    variance = unname(c(harrell$var)),
    counts = unname(harrell$count),
    uno = unname(uno$concordance),
    number = list(concordance = unname(number$concordance), variance = unname(c(number$var))),
    clustered_variance = unname(c(pairs$var)),
    curve = list(
      time = curve$time, at_risk = curve$n.risk, events = curve$n.event, survival = curve$surv,
      standard_error = curve$surv * curve$std.err, low = curve$lower, high = curve$upper
    ),
    median = c(half$quantile, half$lower, half$upper),
    reverse = list(time = case$time[place_of], is_event = case$event[place_of], survival = reverse$surv),
    median_follow_up = unname(quantile(follow_up, 0.5)$quantile),
    log_rank = list(
      observed = test$obs, expected = test$exp, chi_square = test$chisq,
      degrees_of_freedom = length(test$n) - 1
    ),
    efron = efron[1:2],
    breslow = c(breslow[1:2], list(time = hazard$time, hazard = hazard$hazard))
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
cases <- jsonlite::fromJSON(arguments[1])
found <- list(
  made_with = list(R = as.character(getRversion()), survival = as.character(packageVersion("survival"))),
  cases = lapply(cases, refer)
)
jsonlite::write_json(found, arguments[2], digits = NA, auto_unbox = TRUE, na = "null")
