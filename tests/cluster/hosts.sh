# Hosts on this machine, for the trials of this folder: namespaces with a name, an address and processes of their own, on a
# bridge. Source it, and call `apart "$0" "$@"` first: it starts the script again in namespaces of its own, which end with the
# script, however that ends, with all that was started and set up in them.

skip() {
  echo "Skipped: $*"
  exit 77
}
# need PACKAGE COMMAND…
need() {
  local tool
  for tool in "${@:2}"; do
    command -v "$tool" >/dev/null || skip "there is no $tool here; Debian has it in $1."
  done
}
apart() {
  [[ -z ${hosts-} || $$ != 1 ]] || return 0
  ((EUID == 0)) || skip "only root makes namespaces."
  need util-linux unshare nsenter setpriv mount
  need iproute2 ip
  need procps pgrep ps
  local spaces=(unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc) code=0
  "${spaces[@]}" true 2>/dev/null || skip "namespaces cannot be made here."
  hosts=$(mktemp -d) # a short name, as sockets need it
  export hosts
  setpriv --pdeathsig KILL "${spaces[@]}" "$@" &
  trap "kill -9 $!; wait 2>/dev/null; rm -rf $hosts; exit 143" HUP INT TERM
  wait $! || code=$?
  rm -rf "$hosts"
  exit $code
}

network=10.77.0
# make_hosts COUNT: n1, n2, … at 10.77.0.1, .2, …; the script itself is the host `head`, at .254.
make_hosts() {
  local i
  trap 'exit 143' TERM INT HUP
  hostname head
  export TMPDIR=$hosts/tmp-head
  mkdir "$TMPDIR"
  ip link set lo up
  ip link add bridge type bridge 2>/dev/null || skip "the kernel has no bridges."
  ip address add $network.254/24 dev bridge
  ip link set bridge up
  {
    echo "127.0.0.1 localhost"
    echo "$network.254 head"
    for ((i = 1; i <= $1; ++i)); do echo "$network.$i n$i"; done
  } >"$hosts/names"
  mount --bind "$hosts/names" /etc/hosts
  for ((i = 1; i <= $1; ++i)); do start_host $i; done
}
# start_host NUMBER. With its first process, which waits for orphans, all others of the host end.
start_host() {
  local name=n$1 outer
  rm -f "$hosts/$name"
  mkdir -p "$hosts/tmp-$name"
  unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc \
    bash -c 'hostname "$1"; : >"$2"; while :; do sleep 1000 & wait; done' host "$name" "$hosts/$name.up" 2>/dev/null &
  outer=$!
  disown $outer
  until [[ -e $hosts/$name.up ]]; do
    kill -0 $outer 2>/dev/null || fail "the host $name does not start"
    sleep 0.01
  done
  rm "$hosts/$name.up"
  pgrep -P $outer >"$hosts/$name"
  ip link add "to-$name" type veth peer name eth0 netns "$(<"$hosts/$name")"
  ip link set "to-$name" master bridge up
  on "$name" ip link set lo up
  on "$name" ip address add "$network.$1/24" dev eth0
  on "$name" ip link set eth0 up
}
# on HOST COMMAND…
on() { TMPDIR=$hosts/tmp-$1 nsenter --target "$(<"$hosts/$1")" --net --uts --ipc --mount --pid --wd="$PWD" -- "${@:2}"; }
# pull_cable HOST, plug_cable HOST
pull_cable() { ip link set "to-$1" down; }
plug_cable() { ip link set "to-$1" up; }
# power_off HOST: its processes end, nobody hears of it, and what was on its disks is gone. (Slurm 22.05 does not start the same step
# again where a dead one has left its files.)
power_off() {
  pull_cable "$1"
  kill -9 "$(<"$hosts/$1")"
  while [[ -e /proc/$(<"$hosts/$1") ]]; do sleep 0.01; done
  ip link delete "to-$1" 2>/dev/null || true
  rm -rf "$hosts/tmp-$1" "$hosts/spool-$1"
}
# await SECONDS WHAT COMMAND…: until the command succeeds.
await() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "after a while, still not: $what"
    sleep 0.1
  done
}
# at_work FOLDER ITERATIONS: the run in it has as many behind it.
at_work() { [[ -e $1/checkpoint && -s $1/trace.csv && $(wc -l <"$1/trace.csv") -gt $2 ]]; }
# same_bits RUN OTHER
same_bits() {
  local file
  for file in model.json result.json; do
    cmp <(grep -v '"seconds"\|"threads"' "$1/$file") <(grep -v '"seconds"\|"threads"' "$2/$file") || fail "$file of $1 and $2 differ"
  done
}
