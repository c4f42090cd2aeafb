#!/bin/sh
# Makes one Redis Cluster of the servers named as arguments, half of them masters, and waits until all agree.
# It is safe to run again: restarted containers may have new addresses and meet again.
set -eu

# Waits up to a minute for a command to succeed.
await() {
  tries=120
  until "$@"; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ]; then
      echo "Gave up waiting for: $*" >&2
      exit 1
    fi
    sleep 0.5
  done
}

address() { getent hosts "$1" | awk 'NR == 1 {print $1}' | grep .; }

answers() { redis-cli -h "$1" ping | grep -q PONG; }

info() { redis-cli -h "$1" cluster info | tr -d '\r' | grep -qx "$2"; }

# Redis identifies cluster nodes by address, not by name.
addresses=
for name in "$@"; do
  await address "$name" >/dev/null
  addresses="$addresses $(address "$name")"
done
# shellcheck disable=SC2086 # a list
set -- $addresses

for node in "$@"; do
  await answers "$node"
done

if info "$1" cluster_slots_assigned:16384; then
  for node in "$@"; do
    redis-cli -h "$1" cluster meet "$node" 6379 >/dev/null
  done
else
  redis-cli --cluster create $(printf '%s:6379 ' "$@") --cluster-replicas 1 --cluster-yes
fi

for node in "$@"; do
  await info "$node" cluster_state:ok
  await info "$node" "cluster_known_nodes:$#"
done
echo "The cluster of $# nodes is up"
