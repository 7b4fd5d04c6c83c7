"""A program in a sandbox that does, in Python, whatever a test tells it: a bot could do the same."""

import contextlib
import json
import sys

import pytest
from processes import LONG

from kibitz.sandbox.levels import SandboxLevel, why_not
from kibitz.sandbox.policy import Policy, python_paths
from kibitz.sandbox.warden import Warden

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
OBEDIENT = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    '''A function of the C library; its result, or the name of its error.'''
    result = getattr(libc, name)(*(one.encode() if isinstance(one, str) else one for one in arguments))
    return result if result != -1 else __import__("errno").errorcode[ctypes.get_errno()]

names = {"ctypes": ctypes, "os": os, "sys": sys, "call": call}
for line in sys.stdin:
    try:
        answer = {"value": eval(json.loads(line), names)}
    except SyntaxError:
        try:
            answer = {"value": exec(json.loads(line), names)}
        except BaseException as error:
            answer = {"error": type(error).__name__}
    except BaseException as error:
        answer = {"error": type(error).__name__}
    print(json.dumps(answer, default=repr), flush=True)
"""
COMMAND = (sys.executable, "-I", "-S", "-c", OBEDIENT)


class Inmate:
    """One process of the obedient program."""

    def __init__(self, channel, level):
        self.channel, self.level = channel, level

    def __call__(self, code):
        """Run a piece of Python there; the value of an expression, or the name of what it raised."""
        self.channel.send(json.dumps(code).encode() + b"\n", LONG)
        answer = json.loads(self.channel.receive(LONG))
        return answer.get("value", answer.get("error"))


def skip_unless_given(level):
    if why := why_not(SandboxLevel(level)):
        pytest.skip(f"this machine cannot give the sandbox {level}: {why}")


def warden_of(level, command=COMMAND, heard=lambda words: None, readable=(), **policy):
    """A warden for a program."""
    skip_unless_given(level)
    policy = Policy((*python_paths(), *map(str, readable)), **policy)
    return Warden(policy, SandboxLevel(level), ENVIRONMENT, command=command, heard=heard)


@contextlib.contextmanager
def inmate_of(level, **options):
    """A process in a sandbox of its own."""
    warden = warden_of(level, **options)
    try:
        yield Inmate(warden.start(), level)
    finally:
        warden.close()
