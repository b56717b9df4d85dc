# SPDX-License-Identifier: Apache-2.0
"""What the machine's virtio-gpu shows, for the programs in it: they can't see it from inside.

A program writes `screenshot` and a newline to the third serial line, and gets back a line with
the number of bytes that follow: a picture (PPM) as QEMU sees it, deflated; or `error` and why.
"""
import json
import pathlib
import shutil
import socket
import tempfile
import threading
import time
import zlib

ANSWER_S = 30  # QEMU's time for an answer, and for making its sockets


class Screen:
    def __init__(self):
        # Not below the build folder: the name of a socket may be 107 bytes long.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="krafla-lab-"))
        self.line, self.control = self.folder / "line", self.folder / "control"
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def arguments(self):
        """QEMU's, for the serial line and for being asked."""
        return ["-chardev", f"socket,id=screen,path={self.line},server=on,wait=off",
                "-device", "pci-serial,chardev=screen", "-qmp", f"unix:{self.control},server=on,wait=off"]

    def start(self):
        self.thread.start()

    def end(self):
        """After QEMU's end, which ends the thread."""
        self.thread.join(ANSWER_S)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _serve(self):
        try:
            with _connect(self.line) as line, _connect(self.control) as control:
                answers = control.makefile("r")
                answers.readline()  # its greeting
                _ask(control, answers, "qmp_capabilities")
                for request in line.makefile("r", newline="\n"):
                    if request.strip() == "screenshot":
                        line.sendall(self._take(control, answers))
        except OSError:
            pass  # the machine has ended

    def _take(self, control, answers):
        path = self.folder / "picture.ppm"
        error = _ask(control, answers, "screendump", filename=str(path))
        if error:
            return f"error {error}\n".encode()
        data = zlib.compress(path.read_bytes(), 1)
        return f"{len(data)}\n".encode() + data


def _connect(path):
    end = time.monotonic() + ANSWER_S
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
            return connection
        except OSError:
            connection.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def _ask(control, answers, command, **arguments):
    """None, or QEMU's own words for why not. Events that come in between are nothing to us."""
    control.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
    for text in answers:
        answer = json.loads(text)
        if "return" in answer:
            return None
        if "error" in answer:
            return answer["error"]["desc"]
    return "QEMU has ended"
