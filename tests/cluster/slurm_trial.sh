#!/usr/bin/env bash
# The scripts of docs/cluster.md under a Slurm of two hosts on this machine, by hand: slurm_trial.sh PROGRAM WORK_FOLDER
#
# The fit's script gives the bits of one process: left alone; stopped by its own --signal and submitted again; cancelled;
# preempted; and after one of its machines was lost. The same for the script of `tune`, stopped once. Takes about five minutes
# on an idle machine, because Slurm looks at the time limits of jobs twice a minute. Needs root, Open MPI, and Debian's
#
#   apt-get install --no-install-recommends slurmctld slurmd slurm-client munge
set -euo pipefail
. "$(dirname "$0")/hosts.sh"
need slurmctld slurmctld
need slurmd slurmd
need slurm-client sbatch srun scontrol scancel sinfo
need munge munged
(($# == 2)) || { echo "slurm_trial.sh PROGRAM WORK_FOLDER" >&2 && exit 1; }
apart "$0" "$@"
page=$(realpath "$(dirname "$0")/../../docs/cluster.md")
. "$(dirname "$0")/../cli/common.sh"
work=$PWD
mkdir bin
ln -s "$program" bin/fisherman
export PATH=$work/bin:$PATH SLURM_CONF=$work/slurm.conf
export OMPI_MCA_mpi_yield_when_idle=1 # the hosts share the cores of this machine

# Slurm. Preempted jobs are queued again, and a machine is lost if it is silent for ten seconds.
make_hosts 2
mkdir "$hosts/state"
head -c 1024 /dev/urandom >"$hosts/key"
chmod 600 "$hosts/key"
cat >slurm.conf <<END
ClusterName=trial
SlurmctldHost=head($network.254)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$hosts/munge
CredType=cred/munge
StateSaveLocation=$hosts/state
SlurmdSpoolDir=$hosts/spool-%n
TmpFS=$hosts/tmp-%n
SlurmctldPidFile=$hosts/slurmctld.pid
SlurmdPidFile=$hosts/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
NodeName=n1 NodeAddr=$network.1 CPUs=4
NodeName=n2 NodeAddr=$network.2 CPUs=4
PartitionName=usual Nodes=ALL Default=YES PriorityTier=1
PartitionName=urgent Nodes=ALL PriorityTier=2
END
munged --force --foreground --socket "$hosts/munge" --key-file "$hosts/key" --pid-file "$hosts/munged.pid" \
  --log-file "$work/munged.log" --seed-file "$hosts/munged.seed" >munged.out 2>&1 &
await 20 "munge runs" test -S "$hosts/munge"
slurmctld -D >/dev/null 2>&1 &
slurmd_on() {
  mkdir "$hosts/spool-$1"
  on "$1" slurmd -D >/dev/null 2>&1 &
}
slurmd_on n1
slurmd_on n2
idle() { [[ $(sinfo --noheader --states=idle --format=%D) == 2 ]]; }
await 60 "two idle hosts ($work/slurm*.log)" idle

# script NAME TASKS SED…: NAME.sh, the script of that name on the page, for two machines with as many tasks each.
script() {
  sed -n "/^    #!\/bin\/bash/,/^\$/p" "$page" | sed 's/^    //' | awk -v RS= -v name="--job-name=$1" 'index($0, name)' |
    sed -e "s/^#SBATCH --nodes=.*/#SBATCH --nodes=2 --ntasks-per-node=$2 --cpus-per-task=1/" \
      -e 's/^#SBATCH --time=.*/#SBATCH --time=00:03:00/' "${@:3}" >"$1.sh"
  grep -q '^srun ' "$1.sh" && grep -q 'signal=TERM@120' "$1.sh" || fail "$page has no script $1 that can be adapted"
}
submit() { job=$(sbatch --parsable "$@"); }
state() { scontrol --oneliner show job "$job" | sed 's/.* JobState=\([A-Z_]*\) .*/\1/'; }
ended() { [[ $(state) =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }
waits() { [[ $(state) == PENDING ]]; }
# ends STATE CODE: how the job comes to its end.
ends() {
  await 300 "job $job ends" ended
  [[ $(state) == "$1" ]] && scontrol --oneliner show job "$job" | grep -q " ExitCode=$2 " ||
    fail "job $job: $(scontrol --oneliner show job "$job" | grep -o '\(JobState\|Reason\|ExitCode\)=[^ ]*' | xargs), not $1 $2
$(cat slurm-"$job".out)"
}
# again_and_again SCRIPT: submitted until it is not stopped by its signal. `times` counts.
again_and_again() {
  for ((times = 1; times < 10; ++times)); do
    submit "$1"
    await 300 "job $job ends" ended
    [[ $(state) == FAILED ]] || break
  done
  ends COMPLETED 0:0
}
# Slurm starts a job that it has queued again after two minutes.
at_once() {
  await 60 "job $job waits" waits
  await 60 "two idle hosts" idle
  scontrol update JobId="$job" StartTime=now
}
# a_fit ITERATIONS [TASKS]: fisherman.sh of so many iterations, without a run of before.
a_fit() {
  options=(--data rows.csv --method ifngd --batch 20 --eval-every 50 --tolerance 1e-300 --iterations "$1")
  script fisherman "${2:-1}" -e "s/fit regression --data rows.csv/fit logistic ${options[*]}/"
  rm -rf run
}
alone() {
  rm -rf alone
  fisherman fit logistic "${options[@]}" --out alone --quiet >/dev/null || [[ $? == 3 ]] || fail "one process"
}

make_data 4000 8 x1
mv data.csv rows.csv

a_fit 300 2
submit fisherman.sh
ends COMPLETED 0:0
alone
same_bits run alone
rm run/checkpoint
submit fisherman.sh
ends COMPLETED 0:0
same_bits run alone
echo "four ranks on two hosts, and again without a checkpoint: the bits of one process"

# 90 seconds' worth, of which the signal leaves a minute at most.
a_fit 2000
submit fisherman.sh
ends COMPLETED 0:0
a_fit "$(awk -v s="$(sed -n 's/.*"seconds": \([0-9.e+-]*\).*/\1/p' run/result.json)" 'BEGIN { print int(2000 * 90 / s) }')"
submit fisherman.sh
ends FAILED 3:0
at_work run 10 || fail "no checkpoint at the signal"
has slurm-"$job".out "Interrupted before converging. Resume the run to continue."
again_and_again fisherman.sh
alone
same_bits run alone
echo "stopped by --signal, submitted $times times more: the bits of one process"

a_fit 20000
alone
submit fisherman.sh
await 60 "job $job is at work" at_work run 2000
scancel "$job"
ends CANCELLED 0:15
await 60 "two idle hosts" idle
submit fisherman.sh
await 60 "job $job is at work" at_work run 5000
submit --partition=urgent --nodes=2 --exclusive --wrap true
urgent=$job job=$((job - 1))
at_once
ends COMPLETED 0:0
same_bits run alone
scontrol --oneliner show job "$job" | grep -q ' Restarts=1 ' || fail "job $job was not preempted by $urgent"
echo "cancelled and submitted again, then preempted: the bits of one process"

rm -rf run
submit fisherman.sh
await 60 "job $job is at work" at_work run 2000
power_off n2
await 60 "job $job waits" waits
start_host 2
slurmd_on n2
at_once
ends COMPLETED 0:0
same_bits run alone
echo "a machine lost: Slurm queued the job again, and it went on to the bits of one process"

trials() { cut -d, -f1,3-5,7- "$1/trials.csv" | sort; } # but for attempts and seconds
script tune 1 -e 's/--iterations 500 --random 100/--iterations 1000 --random 6/'
submit tune.sh
await 60 "a trial is at work" test -s tuned/trials/1/trace.csv
scancel --signal=TERM "$job" # to the step, as --signal does
ends FAILED 3:0
again_and_again tune.sh
fisherman tune logistic --data rows.csv --method ifngd --iterations 1000 --random 6 --out alone-tuned --quiet >/dev/null
cmp tuned/best.json alone-tuned/best.json || fail "tune: another best setting"
cmp <(trials tuned) <(trials alone-tuned) || fail "tune: other trials"
echo "tune, stopped and submitted again: the trials of one process"
