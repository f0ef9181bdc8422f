# Sourced by the scripts beside it: quiet steps, and failures that say what to do.
# shellcheck shell=bash

program=${0##*/}
log_dir=build/log
log_lines=+1 # How much of a failed step's log is shown, as tail counts: all of it.
step_name=

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# step NAME HINT COMMAND...: runs COMMAND with its output in a log, shown only on
# failure. HINT then tells the user what to do.
step() {
  step_name=$1 step_hint=$2 step_log=${1//:/}
  step_log=$log_dir/${step_log// /-}.log
  shift 2
  mkdir -p "$log_dir"
  echo "== $step_name"
  # A plain subshell, not an if or ||, which would switch off -e inside COMMAND.
  ("$@") >"$step_log" 2>&1
  step_name=
}

report_failed_step() {
  local code=$?
  [[ $step_name ]] || return 0
  if ((code == 130)); then
    echo "$program: interrupted in step '$step_name'"
    return
  fi
  tail -n "$log_lines" "$step_log"
  echo "$program: step '$step_name' failed: exit code $code, log in $step_log"
  echo "what to do: $step_hint"
} >&2
trap report_failed_step EXIT
trap 'exit 130' INT TERM

# die PROBLEM HINT
die() {
  printf '%s\n' "$program: $1" "what to do: $2" >&2
  exit 2
}

# rerunnable NAME COMMAND...: a step whose hint is the command itself.
rerunnable() {
  local command
  printf -v command ' %q' "${@:2}"
  step "$1" "fix what the output above names, then run:$command" "${@:2}"
}

# show_progress LOG: says how far ninja is, by the counter that it writes to LOG: in
# one line on a terminal, else in a line every half minute.
show_progress() {
  local begin=$SECONDS next=$((SECONDS + 30)) counter total left
  while sleep 1; do
    counter=$(tail -c 4000 "$1" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -1 | tr -d '[]') ||
      continue
    total=${counter#*/} counter=${counter%/*}
    ((counter > 0)) || continue # Ninja begins at 0 where it runs CMake first.
    left=$(((total - counter) * (SECONDS - begin) / counter))
    if ((left > 90)); then left="$(((left + 30) / 60)) min"; else left="$left s"; fi
    if [[ -t 1 ]]; then
      printf '\r   %s of %s, about %s left\e[K' "$counter" "$total" "$left"
    elif ((SECONDS >= next)); then
      echo "   $counter of $total, about $left left"
      next=$((SECONDS + 30))
    fi
  done
}

# Runs in step's subshell: the progress ends with it, however it ends.
run_ninja() {
  show_progress "$step_log" >&"$terminal" 2>&1 &
  progress=$!
  trap 'kill "$progress"; [[ ! -t $terminal ]] || printf "\r\e[K" >&"$terminal"' EXIT
  cmake --build --preset "$@"
}

# build PRESET [BUILD-OPTION...]
build() {
  rerunnable "$1: configure" cmake --preset "$1"
  exec {terminal}>&1
  step "$1: build" "fix what the output above names, then run: cmake --build --preset $*" \
    run_ninja "$@"
}
