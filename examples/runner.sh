#!/bin/sh
# An agent whose context cannot overflow, on a file, with the model that you name. It is resumed where it was interrupted.
#
#   MODEL=openai:gpt-5-mini sh examples/runner.sh "What if the power fails?"
set -eu

cd "$(dirname "$0")/samples"
spillway run "$1 Read handbook.md." --model "${MODEL:-openai:gpt-5-mini}"
