# From the analysis that the command writes to an object of R.

read_analysis <- function(json) {
  analysis <- jsonlite::fromJSON(json, simplifyDataFrame = TRUE, simplifyMatrix = FALSE)
  model <- jsonlite::fromJSON(json, simplifyVector = FALSE)$models[[1L]]
  kind <- c(run = "classes", ordered = "ordered", survival = "survival", classes = "several")
  kind <- unname(kind[analysis$kind])
  result <- list(
    kind = kind,
    auc = estimate_of(model, kind),
    interval = model$interval[c("low", "high", "level", "method")],
    scores = numbers(model$scores),
    model = model$name,
    n = analysis$n_units,
    n_games = model$n_games,
    consistency = model$consistency,
    remarks = as.character(unlist(analysis$warnings)),
    analysis = analysis,
    json = json
  )
  if (kind == "classes") {
    result$tlpo_auc <- model$auc$tlpo
    result$curve <- curve_of(model$curve)
    result$curve_kind <- model$curve$kind
    result$band <- as.data.frame(lapply(model$band[c("fpr", "low", "high")], numbers))
    result$is_positive <- unlist(analysis$is_positive)
    result$labels <- c(analysis$negative, analysis$positive)
    result$sensitivity <- as.data.frame(
      model$sensitivity_at[[1L]][c("specificity", "sensitivity", "low", "high")]
    )
    result$operating_points <- points_of(model$operating_points)
  }
  if (kind == "survival") {
    result$uno <- model$uno
    result$at <- lapply(model$at, function(one) {
      list(
        time = one$time, auc = one$auc, low = one$interval$low, high = one$interval$high,
        fpr = numbers(one$fpr), tpr = numbers(one$tpr)
      )
    })
  }
  if (kind == "several") result$pairs <- do.call(rbind, lapply(model$pairs, as.data.frame))
  structure(result, class = "tlpo")
}

estimate_of <- function(model, kind) {
  switch(kind,
    classes = model$auc$lpo,
    several = model$auc,
    model$concordance
  )
}

# Numbers of a list; infinite ones are written as text, missing ones as null.
numbers <- function(values) {
  vapply(values, function(one) {
    if (is.null(one)) return(NA_real_)
    if (is.character(one)) return(c(Infinity = Inf, `-Infinity` = -Inf, `NaN` = NaN)[[one]])
    as.numeric(one)
  }, numeric(1L))
}

curve_of <- function(curve) {
  data.frame(
    fpr = numbers(curve$fpr), tpr = numbers(curve$tpr), thresholds = numbers(curve$thresholds)
  )
}

points_of <- function(points) {
  columns <- c(
    "point", "threshold", "sensitivity", "sensitivity_low", "sensitivity_high", "specificity",
    "specificity_low", "specificity_high", "ppv", "npv"
  )
  rows <- lapply(points, function(one) {
    as.data.frame(lapply(one[columns], function(x) {
      if (is.null(x)) NA else if (x %in% c("Infinity", "-Infinity")) numbers(list(x)) else x
    }))
  })
  do.call(rbind, rows)
}

measure_of <- function(x) {
  switch(x$kind, classes = "AUC", several = "AUC (M)", "C")
}
