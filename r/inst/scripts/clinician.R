library(tlpo)
patients <- read.csv("patients.csv")             # one row per patient
t <- tlpo(outcome ~ age + crp + log(psa), patients, positive = "yes")
t                                                # AUC with its interval
confint(t, level = 0.9)
coords(t, 0.9, input = "specificity")            # sensitivity at specificity 0.9
pdf("roc.pdf")
plot(t)                                          # ROC curve with limits
dev.off()
tlpo_report(t, "report.html")                    # everything, to attach to the paper
