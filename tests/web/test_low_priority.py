"""Processes that take second place."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os
from pathlib import Path
from kibitz.web.low_priority import take_low_priority
before = os.nice(0)
take_low_priority(3)
print(os.nice(0) - before)
print(next(line.split()[-1] for line in Path("/proc/self/sched").read_text().splitlines() if "slice" in line))
"""
VERSION = tuple(map(int, re.findall(r"\d+", platform.release())[:2])) if sys.platform == "linux" else (0, 0)


@pytest.mark.skipif(VERSION < (6, 12) or not Path("/proc/self/sched").exists(), reason="needs Linux 6.12")
@pytest.mark.skipif(os.nice(0) > 16, reason="the tests themselves have the lowest priority")
def test_a_process_can_be_interrupted_by_all_others():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "100000000"]
