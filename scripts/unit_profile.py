"""The system calls that a unit of systemd allows, as a seccomp profile for a container: see scripts/test-image.

systemd is not there to start the unit in a test, and its filters are what a browser may fail at. The settings that are
turned into rules are SystemCallFilter, SystemCallErrorNumber, RestrictNamespaces and RestrictAddressFamilies.
"""

import errno
import re
import socket
import subprocess
import sys
from pathlib import Path

# The flags of clone, unshare and setns for the kinds of namespaces, as in linux/sched.h.
NAMESPACES = {
    "mnt": 0x00020000, "cgroup": 0x02000000, "uts": 0x04000000, "ipc": 0x08000000, "user": 0x10000000, "pid": 0x20000000,
    "net": 0x40000000,
}
# System calls that are allowed by their arguments.
FILTERED = {"clone", "clone3", "unshare", "setns", "socket"}
# More kinds of sockets than there are, AF_MAX in linux/socket.h.
MOST_FAMILIES = 48


def setting(unit, name):
    """The value of a setting of the unit."""
    found = re.search(rf"^{name}=(.*)$", unit, re.MULTILINE)
    return found[1].split() if found else []


def system_calls(name):
    """The system calls of a group, which may hold groups."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    members = [line.strip() for line in listed.stdout.splitlines()[1:]]
    return set().union(*(system_calls(member) for member in members if member and not member.startswith("#")))


def rule(name, position, mask, value, error=None):
    """Allows a system call, or answers with an error, if the bits of an argument under a mask have a value."""
    args = [{"index": position, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}]
    if error is None:
        return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": args}
    return {"names": [name], "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": args}


def unit_profile(path):
    """The profile for a unit."""
    unit = Path(path).read_text()
    allowed = set().union(*map(system_calls, setting(unit, "SystemCallFilter")))
    # Also what systemd itself needs to start a program.
    allowed |= {"execve", "exit", "exit_group", "rt_sigreturn", "sigreturn", "restart_syscall"}
    refused = "SCMP_ACT_ERRNO" if setting(unit, "SystemCallErrorNumber") else "SCMP_ACT_KILL_PROCESS"
    namespaces, families = setting(unit, "RestrictNamespaces"), setting(unit, "RestrictAddressFamilies")
    if not allowed or not namespaces or not families:
        sys.exit(f"test-image: {path} has no longer all of the filters that the test reads")
    forbidden = [flag for kind, flag in NAMESPACES.items() if kind not in namespaces]
    known = [int(getattr(socket, family)) for family in families]
    rules = [{"names": sorted(allowed - FILTERED), "action": "SCMP_ACT_ALLOW"}]
    # The flags of clone3 are in memory, where no filter sees them.
    rules.append({"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS})
    for name, position in [("clone", 0), ("unshare", 0), ("setns", 1)]:
        rules.append(rule(name, position, sum(forbidden), 0))
        rules += [rule(name, position, flag, flag, errno.EPERM) for flag in forbidden]
    for family in range(MOST_FAMILIES):
        rules.append(rule("socket", 0, 0xFFFFFFFF, family, None if family in known else errno.EAFNOSUPPORT))
    return {"defaultAction": refused, "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"], "syscalls": rules}
