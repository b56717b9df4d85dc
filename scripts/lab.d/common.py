# SPDX-License-Identifier: Apache-2.0
"""What the parts of scripts/lab share: errors with their exit code, and steps that leave no
halves."""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_PACKAGES = 3
OLD_S = 7 * 24 * 3600


class LabError(Exception):
    """What stopped the lab: one message that says what to do, and the exit code."""
    code = EXIT_FAILED


class UsageError(LabError):
    code = EXIT_USAGE


class NoPackages(LabError):
    """Debian's packages can't be had: nothing was tested, and nothing is wrong with Krafla."""
    code = EXIT_NO_PACKAGES


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


def run(command, what, **options):
    """Runs a command whose output matters only when it fails; its standard output is returned."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              **options)
    except FileNotFoundError as error:
        raise LabError(f"{what}: {error.filename} is missing; scripts/install-packages build lab installs it")
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-25:])
        raise LabError(f"{what} failed ({command[0]} exits with {done.returncode}):\n{tail}")
    return done.stdout


def pipeline(*commands, what):
    """Runs `a | b | c`; each has to succeed."""
    running, source = [], None
    for command in commands:
        last = command is commands[-1]
        process = subprocess.Popen(command, stdin=source or subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL if last else subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        if source:
            source.close()
        source = process.stdout
        running.append(process)
    errors = [process.communicate()[1] if process is running[-1] else process.stderr.read()
              for process in reversed(running)]
    if any(process.wait() for process in running):
        raise LabError(f"{what} failed:\n" + b"".join(errors).decode(errors="replace")[-2000:])


@contextlib.contextmanager
def whole(path):
    """Gives a folder to fill, which becomes `path` only when the body ends without an error."""
    partial = path.with_name(path.name + f".partial-{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        shutil.rmtree(path, ignore_errors=True)
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextlib.contextmanager
def locked(folder):
    """Several labs may share a cache, and by accident a build folder: one at a time changes it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another lab that uses {folder}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def used(path):
    """Marks what this run uses; `forget_old` removes what no run has used for a week."""
    os.utime(path)
    return path


def forget_old(folder):
    """What no run has used for a week, and what killed runs began. Under the folder's lock: nobody
    is at it."""
    for path in (*folder.glob("*.partial-*"), *folder.glob("packages/*.partial-*")):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.iterdir():
        if path.name == "lock" or time.time() - path.stat().st_mtime < OLD_S:
            continue
        if path.name.startswith(("kernel-", "peers-", "modules-", "packages-", "image-", "mesa-")):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


def digest(*parts):
    """A short name for content: paths are read, folders with all in them, strings are taken."""
    total = hashlib.sha256()
    for part in parts:
        if not isinstance(part, pathlib.Path):
            total.update(repr(part).encode())
            continue
        files = sorted(p for p in part.rglob("*") if p.is_file()) if part.is_dir() else [part]
        for file in files:
            total.update(str(file.relative_to(part.parent)).encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]
