#!/usr/bin/env bash
# Compare all pairs of patients by networks that are trained in eight shares.
# On a cluster the loop is a job array:
#   sbatch --array=1-8 --wrap 'python network.py patients.csv games.csv $SLURM_ARRAY_TASK_ID 8'
set -eu
tlpo games draw patients.csv --target tumour --out games.csv
for share in 1 2 3 4 5 6 7 8; do
    python network.py patients.csv games.csv "$share" 8 &
done
wait
head -n 1 share-1.csv > played.csv
for share in share-*.csv; do tail -n +2 "$share"; done >> played.csv
tlpo games score played.csv --table patients.csv --target tumour --scale log-odds --name network --html report.html
