#!/bin/sh
# Reads a file in a script: a bounded reply as JSON, then the passage that answers a question.
#
#   sh examples/cli-script.sh examples/samples/handbook.md "what if the power fails"
set -eu

source=$1
question=$2

# One object per line. The exit status is 1 if neither text nor bytes could be had, and 2 for wrong usage.
ref=$(spillway fetch "$source" --max-chars 200 --json | sed -n 's/.*"artifact_ref":"\(af_[0-9a-f]*\)".*/\1/p')
spillway read "$ref" --query "$question"
