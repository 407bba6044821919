library(testthat)
library(tlpo)

test_check("tlpo")
