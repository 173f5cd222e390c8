#!/bin/bash
# curl, one connection for ten pushes, ten at a time, as README.md says.
set -u
for ((first = 0; first < COUNT; first += 10)); do
  left=()
  for ((number = first; number < first + 10 && number < COUNT; number++)); do left+=("$number"); done
  for ((attempt = 0; attempt < 400 && ${#left[@]} > 0; attempt++)); do
    words=()
    for number in "${left[@]}"; do
      [ ${#words[@]} -eq 0 ] || words+=(--next)
      words+=(--silent --http2 --cacert "$CA" --header "authorization: bearer $BEARER" --header "apns-topic: $TOPIC"
        --data "{\"aps\":{\"alert\":\"$number\"}}" --write-out "$number %{http_code} %{errormsg}\n" --output /dev/null "$URL")
    done
    again=()
    while read -r number status reason; do
      if [ "$status" = 000 ]; then
        echo "$number failed: $reason"
        again+=("$number")
      else
        echo "$number $status"
      fi
    done < <(curl --parallel --parallel-max 10 "${words[@]}")
    left=("${again[@]}")
    [ ${#left[@]} -eq 0 ] || sleep 0.05
  done
done
