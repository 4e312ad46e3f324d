"""Runs a command in a pseudo-terminal, takes the steps given as JSON on stdin, and prints their results as JSON.

Node.js opens no pseudo-terminal without a native module. Steps:
  until TEXT     waits for the text in the bytes printed since the last "type"; milliseconds since the start
  elapsed TEXT   the same; milliseconds since the last "type"
  type TEXT      types it; null
  echoes COUNT   types a letter COUNT times; a list of the milliseconds until each is printed
  rest SECONDS   reads for that long; null
  cpu SECONDS    processor milliseconds of the process in that time
  memory         resident megabytes
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

LIMIT_S = 60
KEY_GAP_S = 0.03


class Terminal:
    def __init__(self, spec):
        self.fd, inner = pty.openpty()
        size = struct.pack("HHHH", spec["rows"], spec["columns"], 0, 0)
        fcntl.ioctl(inner, termios.TIOCSWINSZ, size)
        self.started = self.typed = time.monotonic()
        self.child = subprocess.Popen(
            spec["command"], stdin=inner, stdout=inner, stderr=inner, cwd=spec["cwd"], start_new_session=True
        )
        os.close(inner)
        self.seen = b""

    def read(self, seconds):
        if select.select([self.fd], [], [], max(0, seconds))[0]:
            self.seen += os.read(self.fd, 65536)

    def wait_for(self, text, since):
        wanted = text.encode()
        end = time.monotonic() + LIMIT_S
        while wanted not in self.seen:
            if time.monotonic() > end:
                raise TimeoutError(f"{text!r} was not printed. The end of what was: {self.seen[-600:]!r}")
            self.read(0.5)
        return (time.monotonic() - since) * 1000

    def until(self, text):
        return self.wait_for(text, self.started)

    def elapsed(self, text):
        return self.wait_for(text, self.typed)

    def type(self, text):
        self.seen = b""
        self.typed = time.monotonic()
        os.write(self.fd, text.encode())

    def echoes(self, count):
        times = []
        for number in range(1, count + 1):
            self.type("Q")
            times.append(self.elapsed("Q" * number))
            self.rest(KEY_GAP_S)
        return times

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(end - time.monotonic())

    def cpu(self, seconds):
        before = self.ticks()
        self.rest(seconds)
        return (self.ticks() - before) * 1000 / os.sysconf("SC_CLK_TCK")

    def ticks(self):
        with open(f"/proc/{self.child.pid}/stat") as file:
            return sum(int(field) for field in file.read().rsplit(") ", 1)[1].split()[11:13])

    def memory(self):
        with open(f"/proc/{self.child.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

    def leave(self):
        """The compile cache is written only by a process that exits by itself."""
        for _ in range(3):
            if self.child.poll() is None:
                os.write(self.fd, b"\x03")
                self.rest_or_end(0.3)
        end = time.monotonic() + 10
        while self.child.poll() is None and time.monotonic() < end:
            self.rest_or_end(0.05)
        if self.child.poll() is None:
            self.child.kill()
            raise TimeoutError("The command did not end after Ctrl-C.")

    def rest_or_end(self, seconds):
        try:
            self.rest(seconds)
        except OSError:
            self.child.wait(10)


spec = json.load(sys.stdin)
terminal = Terminal(spec)
try:
    results = [getattr(terminal, name)(*words) for name, *words in spec["steps"]]
    terminal.leave()
except TimeoutError:
    raise
except OSError as error:
    sys.exit(f"The command ended early ({error}). The end of what it printed: {terminal.seen[-600:]!r}")
finally:
    if terminal.child.poll() is None:
        terminal.child.kill()
print(json.dumps(results))
