#!/usr/bin/env python3
"""A network switch whose frames arrive some time after they were sent: slow_switch.py SECONDS PID…

Each PID is a process of a host (hosts.sh), which gets the interface slow0. It prints `ready` when they are there, and runs until
it is killed. The kernel's own, tc's netem, is not in every kernel.
"""
import ctypes
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

TUNSETIFF, IFF_TAP, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0002, 0x1000, 0x40000000
setns = ctypes.CDLL(None, use_errno=True).setns


def enter(namespace):
    if setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


delay = float(sys.argv[1])
home = os.open("/proc/self/ns/net", os.O_RDONLY)
ports = []
for pid in sys.argv[2:]:
    enter(os.open(f"/proc/{pid}/ns/net", os.O_RDONLY))
    port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", b"slow0", IFF_TAP | IFF_NO_PI))
    ports.append(port)
    enter(home)
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))  # before the ranks, which never sleep
except OSError:
    pass
print("ready", flush=True)

where = {}  # address -> port
waiting = deque()  # (when, from, frame)
while True:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, source, frame = waiting.popleft()
        known = where.get(frame[:6])
        for port in [known] if known is not None else [p for p in ports if p != source]:
            try:
                os.write(port, frame)
            except OSError:
                pass  # it is down, or full: lost, as on a wire
    ready, _, _ = select.select(ports, [], [], max(0.0, waiting[0][0] - time.monotonic()) if waiting else None)
    for port in ready:
        frame = os.read(port, 65536)
        where[frame[6:12]] = port
        waiting.append((time.monotonic() + delay, port, frame))
