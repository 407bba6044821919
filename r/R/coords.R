#' Sensitivity and specificity along the curve
#'
#' As `pROC::coords()`; with pROC loaded, its `coords()` takes these results too.
#'
#' Nothing is interpolated: at a given specificity you get the largest sensitivity that a threshold
#' with at least this specificity attains, which is what can be had in practice. Intervals of
#' the sensitivity are in [summary.tlpo()].
#'
#' @param roc A result of [tlpo()] or [tlpo_run()] of two classes; anything else is passed to
#'   `pROC::coords()`.
#' @param x `"all"` for every point of the curve, `"best"` for the one with the largest sum of
#'   sensitivity and specificity (Youden), or numbers.
#' @param input What the numbers are: `"specificity"`, `"sensitivity"` or `"threshold"`.
#' @param ret The columns to return, out of `"threshold"`, `"specificity"` and `"sensitivity"`.
#' @param ... A rate or a threshold by name, instead of `x` and `input`: `specificity = 0.9`. Anything
#'   else is refused.
#' @return A data frame. A threshold `w` calls a row positive that has more than `w` wins. Where many
#'   games tie, ranking by wins would be biased: the curve is then that of the pooled predictions
#'   (`result$curve_kind`), and so are its thresholds.
#' @examplesIf has_tlpo()
#' result <- tlpo(am ~ hp + qsec, mtcars, cores = 1)
#' coords(result, c(0.8, 0.9), input = "specificity")
#' coords(result, sensitivity = 0.9)
#' coords(result, "best")
#' @export
coords <- function(roc, ...) UseMethod("coords")

#' @export
coords.default <- function(roc, ...) {
  require_package("pROC")
  pROC::coords(roc, ...)
}

#' @rdname coords
#' @export
#' @rawNamespace S3method(pROC::coords, tlpo)
coords.tlpo <- function(roc, x = "all", input = "specificity",
                        ret = c("threshold", "specificity", "sensitivity"), ...) {
  require_kind(roc, "classes", "Coordinates")
  points <- curve_points(roc)
  named <- list(...)
  if (length(named)) {
    is_known <- length(named) == 1L && any(names(named) == names(points))
    if (!is_known || !missing(x) || !missing(input)) refuse_coords(named)
    x <- named[[1L]]
    input <- names(named)
  }
  for (one in ret) require_choice(one, names(points), "ret")
  chosen <- if (identical(x, "all")) {
    seq_len(nrow(points))
  } else if (identical(x, "best")) {
    which.max(points$sensitivity + points$specificity)
  } else {
    require_choice(input, names(points), "input")
    if (!is.numeric(x) || anyNA(x)) {
      refuse(
        "x must be \"all\", \"best\" or numbers.", sprintf("You passed x = %s.", shown(x)),
        "For example, coords(result, 0.9, input = \"specificity\")."
      )
    }
    vapply(x, point_at, 1L, points = points, input = input)
  }
  result <- points[chosen, ret, drop = FALSE]
  row.names(result) <- NULL
  result
}

refuse_coords <- function(named) {
  names <- names(named) %||% rep("", length(named))
  values <- vapply(named, shown, "")
  refuse(
    "coords() takes x and input, or one specificity, sensitivity or threshold by name.",
    sprintf(
      "You also passed %s.",
      paste0(ifelse(nzchar(names), paste0(names, " = "), ""), values, collapse = ", ")
    ),
    "For example, coords(result, specificity = 0.9)."
  )
}

curve_points <- function(roc) {
  data.frame(
    threshold = roc$curve$thresholds, specificity = 1 - roc$curve$fpr, sensitivity = roc$curve$tpr
  )
}

# The point with the largest value of the other rate among those that have at least the given one.
point_at <- function(value, points, input) {
  tolerance <- 1e-12
  if (input != "threshold") {
    require_rate(value, input)
    other <- setdiff(c("specificity", "sensitivity"), input)
    enough <- which(points[[input]] >= value - tolerance)
    best <- enough[points[[other]][enough] == max(points[[other]][enough])]
    return(best[[which.max(points[[input]][best])]])
  }
  # The curve changes only at numbers of wins that occur.
  above <- which(points$threshold <= value)
  above[[1L]]
}

require_rate <- function(value, name) {
  if (value >= 0 && value <= 1) return(invisible())
  refuse(
    sprintf("A %s lies between 0 and 1.", name), sprintf("You passed %s.", shown(value)),
    "For 90 %, pass 0.9."
  )
}
