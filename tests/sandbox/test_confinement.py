"""What a bot's process cannot do, at every level that confines it: each of these was tried from inside."""

import os
import socket
import subprocess
import sys

import pytest
from inmates import inmate_of
from processes import LONG

from kibitz.sandbox import control_groups, landlock
from kibitz.sandbox.levels import SandboxLevel
from kibitz.sandbox.policy import python_paths

CONFINED = [SandboxLevel.BWRAP, SandboxLevel.LANDLOCK]
OPEN_ERRORS = ("FileNotFoundError", "PermissionError")
NUMBERS_OF_X86 = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86-64"
)


# ------------------------------------------------------------------ files


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/hostname", "/var/lib/dpkg/status", "/proc/1/environ"])
def test_files_outside_the_policy_cannot_be_read(confined, path):
    assert confined(f"open({path!r}).read()") in OPEN_ERRORS


def test_other_peoples_files_and_the_home_directory_cannot_be_read(confined, secret):
    assert confined(f"open({str(secret)!r}).read()") in OPEN_ERRORS
    assert confined(f"os.listdir({str(secret.parent)!r})") in OPEN_ERRORS
    if landlock.version():  # without it, the folders around a Python in a home directory can be seen, without the rest
        assert confined(f"os.listdir({os.path.expanduser('~')!r})") in OPEN_ERRORS
        if os.getcwd() not in python_paths():  # PYTHONPATH may name it
            assert confined("os.listdir('.')") in OPEN_ERRORS


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", ".", "/", "/var/tmp", "/dev", "/usr"])
def test_nothing_can_be_written_anywhere(confined, folder):
    refused = (*OPEN_ERRORS, "OSError")  # the last one: a read-only file system
    assert confined(f"open({folder!r} + '/kibitz-test', 'w')") in refused
    assert confined(f"os.mkdir({folder!r} + '/kibitz-test')") in refused
    assert confined(f"os.symlink('anything', {folder!r} + '/kibitz-test')") in refused


def test_devices_work(confined):
    assert confined("open('/dev/null', 'w').write('x')") == 1
    assert confined("len(open('/dev/urandom', 'rb').read(4))") == 4


MARKS = {
    "mode": "os.chmod({file}, 0o600)",
    "mode, as a new call": "call('syscall', 452, -100, {file}.encode(), 0o600, 0)",
    "time": "os.utime({file}, (1, 1))",
    "owner": "os.chown({file}, os.getuid(), os.getgid())",
    "attribute": "os.setxattr({file}, 'user.kibitz', b'1')",
    "flag": "__import__('fcntl').ioctl(os.open({file}, 0), 0x40086602, bytes([64, 0, 0, 0, 0, 0, 0, 0]))",
    "size": "os.truncate({file}, 0)",
    "page cache": "os.posix_fadvise(os.open({file}, 0), 0, 0, os.POSIX_FADV_DONTNEED)",
    "is in the page cache": "os.preadv(os.open({file}, 0), [bytearray(1)], 0, os.RWF_NOWAIT)",
}


@pytest.mark.parametrize("level", CONFINED)
def test_no_marks_can_be_left_on_files_that_can_be_read(level, tmp_path):
    file = tmp_path / "bot.txt"
    file.write_text("bot")
    before = file.stat()
    with inmate_of(level, readable=[tmp_path]) as inmate:
        assert inmate(f"open({str(file)!r}).read()") == "bot"
        for mark, attempt in MARKS.items():
            assert inmate(attempt.format(file=repr(str(file)))) in ("PermissionError", "EPERM"), mark
        for device in ("/dev/null", "/dev/zero"):
            assert inmate(f"os.utime({device!r})") == "PermissionError"
    after = file.stat()
    assert (before.st_mode, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_mode,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )


def test_reading_a_file_in_bubblewrap_does_not_even_change_the_time_of_its_last_use(tmp_path):
    file = tmp_path / "bot.txt"
    file.write_text("bot")
    os.utime(file, (1, file.stat().st_mtime))
    with inmate_of(SandboxLevel.BWRAP, readable=[tmp_path]) as inmate:
        assert inmate(f"open({str(file)!r}).read()") == "bot"
    assert file.stat().st_atime == 1


@pytest.mark.parametrize("level", CONFINED)
def test_hidden_files_and_folders_in_a_readable_one_cannot_be_read_or_used(level, tmp_path, secret):
    bots, log = tmp_path / "bots", tmp_path / "bots" / "log"
    log.mkdir(parents=True)
    (bots / "helpers").mkdir()
    for path in (bots / "own.py", bots / "helpers" / "own.py", bots / "opponent.py", log / "games"):
        path.write_text(path.stem)
    (bots / "link").symlink_to(log)
    (bots / "away").symlink_to(secret)
    (bots / "home").symlink_to(tmp_path)
    with inmate_of(level, readable=[bots], hidden=(str(log), str(bots / "opponent.py"))) as inmate:

        def read(path):
            return inmate(f"open({str(path)!r}).read()")

        assert read(bots / "own.py") == read(bots / "helpers" / "own.py") == "own"
        for path in ("log/games", "link/games", "away", "home/secret.txt", "home/bots/log/games"):
            assert read(bots / path) in OPEN_ERRORS
        assert read(bots / "opponent.py") in (*OPEN_ERRORS, "")
        assert inmate(f"os.mkdir({str(log / 'new')!r})") in (*OPEN_ERRORS, "OSError")


@pytest.mark.parametrize("level", CONFINED)
def test_there_is_one_folder_to_write_to_in_a_warm_up(level, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    with inmate_of(level, writable=str(cache)) as inmate:
        inmate(f"open({str(cache / 'code')!r}, 'w').write('compiled')")
        assert inmate(f"open({str(tmp_path / 'elsewhere')!r}, 'w')") in (*OPEN_ERRORS, "OSError")
    assert (cache / "code").read_text() == "compiled"
    with inmate_of(level, readable=[cache]) as inmate:
        assert inmate(f"open({str(cache / 'code')!r}).read()") == "compiled"
        assert inmate(f"open({str(cache / 'code')!r}, 'a')") in (*OPEN_ERRORS, "OSError")


# ------------------------------------------------------------------ the network, and other programs


def test_there_is_no_network_not_even_on_this_machine(confined):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert confined(f"__import__('socket').create_connection(('127.0.0.1', {port}))") == "PermissionError"
    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"):
        assert confined(f"__import__('socket').socket(__import__('socket').{family})") == "PermissionError"


def test_servers_behind_unix_sockets_are_out_of_reach(confined, tmp_path):
    for address in (str(tmp_path / "socket"), f"\0kibitz-test-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
            server.bind(address)
            for kind in (2, 3):  # of a pair, each end could be sent to anybody
                pair = f"__import__('socket').socketpair(1, {kind})[0].sendto(b'x', {address!r})"
                assert confined(pair) == "PermissionError"
    assert confined("[end.close() for end in __import__('socket').socketpair()]") == [None, None]


def test_memory_that_outlives_a_process_is_impossible(confined):
    assert confined("call('shmget', 12345, 4096, 0o1600)") == "EPERM"
    assert confined("call('semget', 12345, 1, 0o1600)") == "EPERM"
    assert confined("call('msgget', 12345, 0o1600)") == "EPERM"
    assert confined("ctypes.CDLL('librt.so.1', use_errno=True).shm_open(b'/kibitz-test', 0o102, 0o600)") == -1
    assert confined("call('mq_open', '/kibitz-test', 0o102, 0o600, None)") == "EPERM"


@NUMBERS_OF_X86
def test_system_calls_that_are_no_functions_of_the_c_library_are_closed_as_well(confined):
    assert confined("call('syscall', 248, b'user', b'kibitz', b'x', 1, -5)") == "EPERM"  # add_key
    assert confined("call('syscall', 250, 0, -5, 0)") == "EPERM"  # keyctl
    assert confined("call('syscall', 251, 1, os.getppid(), 3 << 13)") == "EPERM"  # ioprio_set
    assert confined("call('syscall', 425, 1, 0)") == "EPERM"  # io_uring_setup
    assert confined("call('syscall', 435, 0, 0)") == "ENOSYS"  # clone3, whose flags no filter can read
    assert confined("call('syscall', 451, -1, 0, 0, 0)") == "EPERM"  # cachestat


@NUMBERS_OF_X86
def test_the_upper_half_of_an_argument_does_not_get_past_the_filter(confined):
    """The kernel ignores it in arguments that are ints, so the filter must, too."""
    for number, *arguments in ((157, 1 << 32 | 1, 0), (72, 0, 1 << 32 | 5, 0)):  # PR_SET_PDEATHSIG; F_GETLK
        words = ", ".join(f"ctypes.c_long({argument})" for argument in arguments)
        assert confined(f"call('syscall', ctypes.c_long({number}), {words})") == "EPERM"


def test_locks_lock_nothing_so_that_no_two_bots_can_talk(confined):
    file = sys.executable
    for lock in ("flock", "lockf"):
        assert confined(f"__import__('fcntl').{lock}(os.open({file!r}, 0), 1 | 4)") is None
    probe = f"import fcntl, os; fcntl.flock(os.open({file!r}, 0), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    subprocess.run([sys.executable, "-I", "-S", "-c", probe], check=True, timeout=LONG)


# ------------------------------------------------------------------ other processes


def test_it_has_nothing_of_our_environment(inmate):
    assert set(inmate("dict(os.environ)")) <= {"PATH", "LC_CTYPE", "PWD", "SHLVL", "_", "OLDPWD"}


def test_it_inherits_no_open_file(inmate):
    assert inmate("sorted(map(int, os.listdir('/proc/self/fd')))[:-1]") == [0, 1, 2]


def test_the_memory_and_files_of_other_processes_are_out_of_reach(confined):
    for pid in (f"{os.getpid()}", "{os.getppid()}"):
        for name in ("environ", "mem", "maps", "cmdline", "fd/0"):
            assert confined(f"open(f'/proc/{pid}/{name}', 'rb').read(1)") in OPEN_ERRORS
    assert confined("call('ptrace', 16, os.getppid(), 0, 0)") == "EPERM"  # PTRACE_ATTACH
    assert confined("call('process_vm_readv', os.getppid(), 0, 0, 0, 0, 0)") == "EPERM"


def test_other_processes_cannot_be_seen_in_bubblewrap(confined):
    if confined.level is not SandboxLevel.BWRAP:
        pytest.skip("not promised")
    assert confined("os.getppid()") == 1
    assert confined(f"os.path.exists('/proc/{os.getpid()}')") is False


def test_neither_the_zygote_nor_the_tournament_can_be_sent_signals(confined):
    if confined.level is SandboxLevel.LANDLOCK and landlock.version() < landlock.HIDES_SIGNALS:
        pytest.skip("not promised by this kernel")
    for signal in (0, 2, 9, 19):
        assert confined(f"os.kill(os.getppid(), {signal})") == "PermissionError"
    assert confined(f"os.kill({os.getpid()}, 0)") in ("PermissionError", "ProcessLookupError")


def test_the_priority_and_limits_of_the_zygote_cannot_be_changed(confined):
    """Every later game would inherit them: a memory."""
    assert confined("os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)") == "PermissionError"
    assert confined("os.setpriority(os.PRIO_USER, os.getuid(), 19)") == "PermissionError"
    assert confined("os.sched_setaffinity(os.getppid(), {0})") == "PermissionError"
    limits = "__import__('resource').prlimit(os.getppid(), __import__('resource').RLIMIT_NOFILE"
    assert confined(f"{limits})") == "PermissionError"
    assert confined(f"{limits}, (5, 5))") == "PermissionError"


# ------------------------------------------------------------------ bounds


@pytest.mark.parametrize("name", ["RLIMIT_DATA", "RLIMIT_CPU", "RLIMIT_CORE", "RLIMIT_NOFILE", "RLIMIT_FSIZE"])
def test_no_limit_can_be_raised(confined, name):
    soft, hard = confined(f"__import__('resource').getrlimit(__import__('resource').{name})")
    assert soft == hard != -1
    raised = f"__import__('resource').setrlimit(__import__('resource').{name}, ({hard + 1},) * 2)"
    assert confined(raised) == "ValueError"


def test_root_is_nobody_special_inside(confined):
    rights = confined("[line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapPrm', 'CapEff')]")
    assert rights == ["0" * 16] * 2
    assert confined("os.setresuid(*[os.getuid() + 1] * 3)") in ("PermissionError", "OSError")


@pytest.mark.parametrize("level", list(SandboxLevel))
def test_memory_is_bounded(level):
    with inmate_of(level, memory=200_000_000) as inmate:
        assert inmate("len(bytearray(10**8))") == 10**8
        assert inmate("len(bytearray(3 * 10**8))") == "MemoryError"
        if level is not SandboxLevel.NONE:
            assert inmate("__import__('mmap').mmap(-1, 3 * 10**8)") == "PermissionError"
            assert inmate("os.ftruncate(os.memfd_create('x'), 3 * 10**8)") == "OSError"


def test_it_ends_with_the_zygote_whatever_it_does(confined):
    assert confined("call('prctl', 1, 0, 0, 0, 0)") == "EPERM"  # PR_SET_PDEATHSIG


def test_it_can_start_threads(confined):
    assert confined("__import__('concurrent.futures').futures.ThreadPoolExecutor(4).submit(len, 'abc').result()") == 3


def test_namespaces_cannot_be_created(confined):
    assert confined("call('unshare', 0x10000000)") == "EPERM"


def test_it_starts_no_process_with_landlock_alone(confined):
    if confined.level is not SandboxLevel.LANDLOCK:
        pytest.skip("not promised")
    assert confined("os.fork()") == "PermissionError"
    assert confined("__import__('subprocess').run(['true'])") == "PermissionError"
    assert confined("call('vfork')") == "EPERM"


@pytest.mark.skipif(os.geteuid() == 0 and not control_groups.parents(), reason="nobody counts the processes of root")
def test_the_number_of_processes_is_bounded_in_bubblewrap():
    bomb = """
def bomb(started=0):
    while True:
        try:
            if os.fork() == 0:
                __import__("signal").pause()
        except BlockingIOError:
            return started
        started += 1
"""
    with inmate_of(SandboxLevel.BWRAP, processes=20) as inmate:
        inmate(bomb)
        assert 5 <= inmate("bomb()") <= 20 + 8
