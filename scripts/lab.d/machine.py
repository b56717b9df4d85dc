# SPDX-License-Identifier: Apache-2.0
"""Runs the lab's machine and reads what its init says.

The machine has three serial lines: the kernel's console, which goes to a file, the results,
of which each line begins with what it is: `@` init's own, `>` a program's output, `!` the
kernel log during a program; and one on which programs ask for what is on the screen
(screen.py).
"""
import collections
import os
import re
import selectors
import shutil
import subprocess
import time

from common import LabError

QEMU = "qemu-system-x86_64"
BOOT_S = 180       # until init speaks: an emulated processor on a busy machine
GRACE_S = 60       # on top of a program's own limit, which init keeps
ENDS_S = 5         # from the end of QEMU's output to its own
CONSOLE_LINES = 70
COMMAND_LINE = ("console=ttyS0 quiet loglevel=4 panic=-1 log_buf_len=4M rdinit=/init "
                "sysctl.kernel.hung_task_timeout_secs=30 "
                "sysctl.vm.mmap_rnd_bits=28")  # ThreadSanitizer of clang 14 knows no wider layout
# What the kernel says when something is wrong with it or with a module.
KERNEL_TROUBLE = re.compile(
    r"WARNING: |\bBUG: |\bOops: |refcount_t: |general protection|blocked for more than|Kernel panic|"
    r"possible (?:recursive|circular) locking|bad unlock balance|INFO: (?:trying to register|lockdep)|"
    r"suspicious RCU usage|UBSAN: |KASAN: |list_(?:add|del) corruption|detected stall")


class Result:
    """What one program of the list did."""

    def __init__(self, name):
        self.name = name
        self.cases = []    # (True passed, False failed, None skipped; what it is)
        self.output = []
        self.kernel = []
        self.exit = None   # in words; None while it runs
        self.seconds = 0.0

    def fail(self, what):
        self.cases.append((False, what))

    def count(self, verdict):
        return sum(case[0] is verdict for case in self.cases)


def qemu(kernel, initrd, console, memory, disk, screen=None):
    if not shutil.which(QEMU):
        raise LabError(f"{QEMU} is missing: scripts/install-packages lab installs it")
    # A lab that is killed can't end its machines: the kernel does.
    command = ["setpriv", "--pdeathsig", "KILL", "--", QEMU, "-accel", "tcg,thread=multi", "-cpu", "max",
               "-smp", str(min(4, max(2, os.cpu_count() or 1))), "-m", str(memory),
               "-kernel", str(kernel), "-initrd", str(initrd), "-append", COMMAND_LINE,
               "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none", "-no-reboot", "-device",
               "virtio-gpu-pci", "-chardev", f"file,id=console,path={console}", "-serial", "chardev:console",
               "-chardev", "stdio,id=results,signal=off", "-serial", "chardev:results", "-monitor", "none"]
    if screen:
        command += screen.arguments()
    if disk:
        command += ["-drive", f"if=virtio,format=raw,readonly=on,file={disk}"]
    return command


class Machine:
    """One machine as its serial line shows it; `run_all` brings it what comes."""

    def __init__(self, command, console, limits, report, screen=None):
        self.console = console
        self.screen = screen
        self.limits = limits    # seconds by name of the list
        self.report = report    # called with each finished Result
        self.result = None      # of the program that runs
        self.last = "starting the kernel"
        self.finished = False
        self.troubles = []      # of init itself, and of the kernel outside of programs
        self.kernel_release = None
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        if screen:
            screen.start()
        self.strays = collections.deque(maxlen=20)  # what QEMU itself says
        self.pending = b""      # the line that is coming
        self.deadline = time.monotonic() + BOOT_S

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if self.screen:
            self.screen.end()

    def read(self):
        """Takes what there is, which must be something. False: there won't be more."""
        data = os.read(self.process.stdout.fileno(), 65536)
        *lines, self.pending = (self.pending + data).split(b"\n")
        for line in lines:
            self._handle(line.decode(errors="replace").rstrip("\r"))
            if line.startswith(b"@"):
                limit = self.limits[self.result.name] if self.result else 0
                self.deadline = time.monotonic() + limit + GRACE_S
        if not data and not self.finished:
            self._died(f"the machine ended before its time ({self._how_qemu_ended()})")
        return bool(data)

    def _how_qemu_ended(self):
        try:
            code = self.process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            return "QEMU still runs, without its serial line"
        return f"QEMU was ended by signal {-code}" if code < 0 else f"QEMU ended with {code}"

    def give_up(self):
        self._died("no sign of life within the time limit")

    def _died(self, why):
        self.finished = True
        console = self.console.read_text(errors="replace") if self.console.exists() else ""
        end = "\n".join(console.splitlines()[-CONSOLE_LINES:] + list(self.strays))
        self.troubles.append(f"{why}; last: {self.last}; the console's end:\n{end}")
        if self.result:
            self._finish(f"{why}")

    def _handle(self, line):
        kind, text = line[:1], line[1:]
        if kind == "@":
            self._handle_init(*text.partition(" ")[::2])
        elif kind == ">" and self.result:
            self.result.output.append(text)
        elif kind == "!" and KERNEL_TROUBLE.search(text):
            (self.result.kernel if self.result else self.troubles).append(text)
        elif kind not in ">!":
            self.strays.append(line)

    def _handle_init(self, word, rest):
        self.last = f"{word} {rest}".strip()
        if word == "begin":
            self.result = Result(rest)
        elif word == "end":
            milliseconds, self.last = rest.split(" ", 1)
            self.result.seconds = int(milliseconds) / 1000
            self._finish(self.last)
        elif word == "kernel":
            self.kernel_release = rest
        elif word == "error":
            self.troubles.append(rest)
        elif word == "done":
            self.finished = True

    def _finish(self, how):
        result, self.result = self.result, None
        result.exit = how
        read_cases(result)
        if result.kernel:
            result.fail("the kernel log has nothing to complain about")
        self.report(result)


CASE = re.compile(r"^(not )?ok\b\s*\d*\s*(?:- )?(.*)$")
SKIP = re.compile(r"#\s*SKIP\b", re.I)


def read_cases(result):
    """The TAP in a program's output; what ended badly without saying so is a failed case of its
    own."""
    for line in result.output:
        match = CASE.match(line)
        if match:
            verdict = None if SKIP.search(line) else not match[1]
            result.cases.append((verdict, match[2]))
    if result.exit != "exit 0" and not result.count(False):
        result.fail(f"ends well (it ended with: {result.exit})")
    elif not result.cases:
        result.fail("has a case to run")


def run_all(machines):
    """Brings each machine what its serial line says, until all have ended or stay silent for too
    long."""
    with selectors.DefaultSelector() as selector:
        for machine in machines:
            selector.register(machine.process.stdout, selectors.EVENT_READ, machine)
        while selector.get_map():
            running = [key.data for key in selector.get_map().values()]
            first = min(machine.deadline for machine in running)
            ready = selector.select(max(0, first - time.monotonic()))
            ended = [key.data for key, _ in ready if not key.data.read()]
            late = [machine for machine in running
                    if machine not in ended and machine.deadline <= time.monotonic()]
            for machine in late:
                machine.give_up()
            for machine in (*ended, *late):
                selector.unregister(machine.process.stdout)
