library(tlpo)
patients <- read.csv("patients.csv")             # one row per patient
result <- tlpo(outcome ~ age + crp + log(psa), patients, positive = "yes")
result                                           # AUC with its interval
confint(result, level = 0.9)
coords(result, 0.9, input = "specificity")       # sensitivity at specificity 0.9
pdf("roc.pdf")
plot(result)                                     # ROC curve with limits
dev.off()
tlpo_report(result, "report.html")               # everything, to attach to the paper
