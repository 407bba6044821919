library(testthat)
library(tlpo)

results <- as.data.frame(test_check("tlpo"))
# A process that ends early leaves no trace of its file.
silent <- setdiff(list.files("testthat", "^test-"), results$file)
if (length(silent)) stop("No results of ", toString(silent))
