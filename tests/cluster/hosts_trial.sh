#!/usr/bin/env bash
# Ranks on three hosts with addresses of their own (hosts.sh), by hand: hosts_trial.sh PROGRAM WORK_FOLDER [MPIRUN [latency]]
#
# A fit has the bits of one process. It has them as well after a rank of another host was killed, after a host's cable was pulled,
# and after a host lost its power: each ends the job, and other hosts go on. In the end it prints what latency costs (`latency`: that
# alone): seconds per iteration over a network whose frames take so long (slow_switch.py), and how many of these times an iteration
# waits for. That wants an idle machine. Needs root, Open MPI and python3; takes about three minutes.
set -euo pipefail
. "$(dirname "$0")/hosts.sh"
(($# >= 2 && $# <= 4)) || { echo "hosts_trial.sh PROGRAM WORK_FOLDER [MPIRUN [latency]]" >&2 && exit 1; }
mpirun=${3:-mpirun}
need openmpi-bin "$mpirun"
need python3 python3
"$mpirun" --version 2>/dev/null | grep -q "Open MPI" || skip "$mpirun is not Open MPI's, whose options this uses."
apart "$0" "$@"
switch=$(realpath "$(dirname "$0")/slow_switch.py")
. "$(dirname "$0")/../cli/common.sh"
make_hosts 3
make_data 4000 8 x1
cat >enter <<END
#!/bin/bash
# enter HOST COMMAND…: what ssh is to mpirun
host=\$1
shift
TMPDIR=$hosts/tmp-\$host exec nsenter --target "\$(<$hosts/\$host)" --net --uts --ipc --mount --pid -- /bin/sh -c "\$*"
END
chmod +x enter
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=$PWD/enter OMPI_MCA_mpi_yield_when_idle=1 # the hosts share the cores of this machine
export OMPI_MCA_btl=tcp,self
# A host that is silent for 11 s is lost; Open MPI's own choice is 8 minutes.
export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=2 OMPI_MCA_oob_tcp_keepalive_probes=3

fit=(fit logistic --data data.csv --method ifngd --batch 20 --eval-every 50 --tolerance 1e-300 --iterations 6000 --quiet)
# on_hosts HOSTS OPTION…
on_hosts() { "$mpirun" --host "$1" "$program" "${@:2}"; }
starts() { on_hosts "$1" "${fit[@]}" --out "$2" >"$2.txt" 2>&1 & }
resumes() { on_hosts "$1" "${fit[@]}" --out "$2" --resume >"$2.txt" 2>&1 || fail "$(<"$2.txt")"; }
# ends NAME: the job in the background ends, not well, and soon; so do the ranks of the hosts that are there.
ends() {
  local job=$! code=0 began=$SECONDS
  await 60 "mpirun ends" eval "! kill -0 $job"
  wait $job || code=$?
  ((code != 0)) || fail "$1: the job ended well: $(<"$1.txt")"
  await 60 "no rank is left" eval "! pgrep -f -- '--out $1( |\$)'"
  [[ -e $1/checkpoint ]] || fail "$1: no checkpoint"
  echo "$1: the job ended after $((SECONDS - began)) s, at iteration $(tail -n 1 "$1/trace.csv" | cut -d, -f1), with code $code"
}

deaths() {
  "$program" "${fit[@]}" --out alone >/dev/null
  for these in n1,n2 n1,n2,n3; do
    rm -rf several
    on_hosts $these "${fit[@]}" --out several >several.txt 2>&1 || fail "$(<several.txt)"
    same_bits several alone
  done
  echo "two and three hosts: the bits of one process"

  starts n1,n2,n3 killed
  await 60 "it is at work" at_work killed 1000
  on n2 pkill -9 -f -- "--out killed"
  ends killed
  resumes n2,n3 killed
  same_bits killed alone

  starts n1,n2,n3 cut
  await 60 "it is at work" at_work cut 1000
  pull_cable n2
  ends cut
  resumes n1,n3 cut
  same_bits cut alone
  plug_cable n2

  starts n2,n3 unpowered
  await 60 "it is at work" at_work unpowered 1000
  power_off n2 # the first rank's, which writes
  ends unpowered
  start_host 2
  resumes n1,n2,n3 unpowered
  same_bits unpowered alone
  echo "each resumed by other hosts: the bits of one process"
}
[[ ${4-} == latency ]] || deaths

# Latency. `round_trip`: of one byte there and back, in seconds, the median of 1000.
cat >echo.py <<'END'
import socket, statistics, sys, time
if sys.argv[1] == "serve":
    server = socket.create_server(("", 7777))
    open(sys.argv[2], "w").close()
    other, _ = server.accept()
    other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while byte := other.recv(1):
        other.sendall(byte)
else:
    other = socket.create_connection((sys.argv[2], 7777))
    other.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    for _ in range(1000):
        began = time.monotonic()
        other.sendall(b".")
        other.recv(1)
        times.append(time.monotonic() - began)
    print(statistics.median(times))
END
round_trip() {
  rm -f serves
  on n2 python3 echo.py serve serves &
  await 20 "the echo" test -e serves
  on n1 python3 echo.py ask "$1.2"
  wait $!
}
slow=10.78.0
latency() {
  local delay=$1 pids=() pid i trip
  for i in 1 2 3; do pids+=("$(<"$hosts/n$i")"); done
  rm -f switch.txt
  python3 "$switch" "$delay" "${pids[@]}" >switch.txt 2>&1 &
  pid=$!
  await 20 "the switch" grep -q ready switch.txt
  for i in 1 2 3; do
    on n$i ip address add $slow.$i/24 dev slow0
    on n$i ip link set slow0 up
  done
  trip=$(round_trip $slow)
  for these in n1,n2 n1,n2,n3; do
    for method in "ngd" "ifngd --batch 20 --eval-every 50"; do
      rm -rf timed
      on_hosts $these fit logistic --data data.csv --method $method --tolerance 1e-300 --iterations 300 --no-report --out timed >timed.txt 2>&1 ||
        [[ $? == 3 ]] || fail "$(<timed.txt)"
      echo "$delay,$trip,${these//[^n]/},${method%% *},$(field timed/result.json iterations),$(field timed/result.json seconds),$(grep -o 'sent [0-9]* messages' timed.txt | cut -d' ' -f2)"
    done
  done
  kill $pid
  wait $pid 2>/dev/null || true
}
[[ -e /dev/net/tun ]] || { echo "no latency: the kernel has no tun" && exit 0; }
export OMPI_MCA_btl_tcp_if_include=$slow.0/24
for delay in 0 0.0005 0.002; do latency $delay; done >latency.csv
echo "load of the machine: $(cut -d' ' -f1 /proc/loadavg)"
awk -F, '
  BEGIN { print "method  hosts  a frame takes, ms  an iteration, ms  messages in it  frames it waits for" }
  {
    fit = $3 $4; frame = $2 / 2; iteration = $6 / $5
    printf "%-7s %5d %18.3f %17.3f %15.1f", $4, length($3), 1000 * frame, 1000 * iteration, $7 / $5
    if ($1 == 0) { frame_at_once[fit] = frame; iteration_at_once[fit] = iteration }
    else printf " %20.1f", (iteration - iteration_at_once[fit]) / (frame - frame_at_once[fit])
    print ""
  }' latency.csv
