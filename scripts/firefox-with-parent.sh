#!/bin/sh
# Starts the Firefox at PAY_FIREFOX, and ends it when the parent process is gone: unlike a Chromium,
# a Firefox does not notice that its driver has ended.
parent=$PPID
"$PAY_FIREFOX" "$@" &
firefox=$!
trap 'kill -TERM "$firefox"' TERM INT HUP
(
  while kill -0 "$parent" 2>/dev/null && kill -0 "$firefox" 2>/dev/null; do sleep 1; done
  kill -KILL "$firefox" 2>/dev/null
) &
wait "$firefox"
