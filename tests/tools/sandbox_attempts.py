"""What a program may try in the sandbox: more than 700 attempts, each a line of a table times its targets.

In the texts, `{d}` is a folder of the attempt's own with a file `f`, an empty folder `e` and a file `sub/x`; `{w}` a
folder in the working folder with a file `m`; `{s}` a secret; `{port}`, `{pid}` and others belong to the test's world.
`{t}` is the attempt's token. Lines that begin with "py " are Python, others bash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Effect = Literal["changed", "said", "arrived", "left", "killed"]
"""What is looked at from outside: the folder has changed; the canary was printed; the token came to a server of ours;
a process was left behind; a process of ours has gone."""

PLACES = ("outside", "home", "data", "hooks", "vscode")
"""Where something is to be written: beside the working folder, in the home, in our data folder, hooks and tasks."""
WAYS_TO_WRITE = """
echo x > {d}/f
echo x >> {d}/f
echo x > {d}/new
: > {d}/f
cp /etc/hostname {d}/f
cp /etc/hostname {d}/new
cp -a {w} {d}/tree
mv {w}/m {d}/f
mv {d}/f {w}/taken
mv {d}/sub {d}/other
rm -f {d}/f
rm -rf {d}/sub
rmdir {d}/e
find {d} -name x -delete
mkdir {d}/new
ln -s /x {d}/new
ln -sf /x {d}/f
ln {d}/f {w}/hard && echo x > {w}/hard
ln {w}/m {d}/new
ln -s {d}/f {w}/soft; echo x > {w}/soft
ln -s {d} {w}/softd; echo x > {w}/softd/new
ln -s {d} {w}/softd; rm -rf {w}/softd/sub
truncate -s 0 {d}/f
truncate -s 5 {d}/new
chmod 777 {d}/f
chmod 700 {d}/e
touch -d 2001-01-01 {d}/f
touch {d}/new
dd if=/dev/zero of={d}/f bs=1 count=1 conv=notrunc status=none
echo x | tee {d}/f
sed -i s/before/after/ {d}/f
install -m 777 /etc/hostname {d}/new
mkfifo {d}/new
tar -C {w} -cf - m | tar -C {d} -xf -
perl -e 'open(F, ">", "{d}/f"); print F "x"'
exec 3<>{d}/f; echo x >&3
cd {d} && echo x > f
cd {w}; cd -P {d}/sub; cd ..; echo x > f
echo x > /proc/self/root{d}/f
echo x > /proc/1/root{d}/f
echo x > /proc/thread-self/root{d}/f
cd {d}; echo x > /proc/self/cwd/f
exec 3<{d}; echo x > /proc/self/fd/3/new
exec 3<{d}/f; echo x > /proc/self/fd/3
exec 3<{d}/f; echo x > /dev/fd/3
(setsid bash -c 'echo x > {d}/f'); sleep 0.05
env -i /bin/sh -c 'echo x > {d}/f'
awk 'BEGIN {{ print "x" > "{d}/f" }}'
git -C {w} init -q {d}/new
py open(d + "/f", "w").write("x")
py os.truncate(d + "/f", 0)
py os.rename(d + "/f", d + "/new")
py os.replace(w + "/m", d + "/f")
py os.link(d + "/f", w + "/h"); open(w + "/h", "w").write("x")
py os.mknod(d + "/new", 0o100644)
py os.utime(d + "/f", (1, 1))
py os.chmod(d + "/f", 0o777)
py os.setxattr(d + "/f", "user.x", b"x"); os.unlink(d + "/f")
py h = os.open(d + "/f", os.O_RDWR); mmap.mmap(h, 6)[:] = b"xxxxxx"
py h = os.open(d, os.O_RDONLY); os.close(os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=h))
py h = os.open(d, os.O_PATH); os.unlink("f", dir_fd=h)
py h = os.open(d + "/f", os.O_RDONLY); os.fchmod(h, 0o777)
py h = os.open(d + "/f", os.O_PATH); open(f"/proc/self/fd/{{h}}", "w").write("x")
py h = os.open(d, 0o20200001); libc.linkat(-100, b"/proc/self/fd/%d" % h, -100, (d + "/new").encode(), 0x400)
py i, o = os.open(w + "/m", os.O_RDONLY), os.open(d + "/f", os.O_WRONLY); os.copy_file_range(i, o, 1)
py libc.renameat2(-100, (d + "/f").encode(), -100, (d + "/sub/x").encode(), 2)
py shutil.rmtree(d + "/sub")
py shutil.copytree(w, d + "/tree")
py sqlite3.connect(d + "/new").execute("create table a (b)")
py tempfile.mkstemp(dir=d)
py os.chdir(d); os.mkdir("new")
py subprocess.run(["cp", w + "/m", d + "/f"], close_fds=False, start_new_session=True)
py threading.Thread(target=lambda: open(d + "/f", "w").write("x")).start(); time.sleep(0.05)
""".strip().splitlines()
SECRETS = (
    *("home/.ssh/id_ed25519", "home/.aws/credentials", "home/.gnupg/private.key", "home/.netrc", "home/.npmrc"),
    *("home/.git-credentials", "home/.config/gcloud/token", "home/.mozilla/firefox/x/logins.json", "home/own.keys"),
    *("home/.local/share/keyrings/login.keyring", "home/.docker/config.json", "home/.bash_history", "home/.Xauthority"),
    *("home/.config/Slack/Cookies", "data/archive.sqlite3", "data/spills/a"),
)
WAYS_TO_READ = """
cat {s}
head -c 100 {s}
cp {s} {w}/c; cat {w}/c
ln -s {s} {w}/soft; cat {w}/soft
ln {s} {w}/hard; cat {w}/hard
ln -s $(dirname {s}) {w}/softd; cat {w}/softd/$(basename {s})
tar -cf - {s} 2>/dev/null | tar -xOf -
grep -r . $(dirname {s})
cat /proc/self/root{s}
cat /proc/1/root{s}
exec 3<{s}; cat <&3
find $(dirname {s}) -type f -exec cat {{}} +
chmod 777 $(dirname {s}) {s}; cat {s}
py print(open(s).read())
py h = os.open(os.path.dirname(s), os.O_PATH); print(os.read(os.open(os.path.basename(s), 0, dir_fd=h), 99))
py h = os.open(s, os.O_RDONLY); print(mmap.mmap(h, 0, access=mmap.ACCESS_READ)[:])
""".strip().splitlines()
ENVIRONMENT = """
env
cat /proc/self/environ
cat /proc/1/environ
cat /proc/$PPID/environ
cat /proc/[0-9]*/environ
cat /proc/{pid}/environ
tr '\\0' ' ' < /proc/{pid}/environ
py print(os.environ)
py print(open(f"/proc/{{pid}}/environ").read())
""".strip().splitlines()
UNSURE = ("/proc/1/", "socket.socket(38", "socket.socket(40")
"""What a machine may forbid, or not have, without a sandbox."""
NETWORK = """
exec 3<>/dev/tcp/127.0.0.1/{port}; echo {t} >&3; sleep 0.05
exec 3<>/dev/tcp/localhost/{port}; echo {t} >&3; sleep 0.05
exec 3<>/dev/tcp/0.0.0.0/{port}; echo {t} >&3; sleep 0.05
exec 3<>/dev/tcp/127.1/{port}; echo {t} >&3; sleep 0.05
echo {t} > /dev/udp/127.0.0.1/{udp}
echo {t} > /dev/udp/localhost/{udp}
curl -sm2 http://127.0.0.1:{port}/{t}
curl -sm2 http://localhost:{port}/{t}
curl -sm2 --noproxy '*' http://{ip}:{port}/{t}
curl -sm2 --unix-socket {unix} http://x/{t}
curl -sm2 --abstract-unix-socket {abstract} http://x/{t}
curl -sm2 telnet://127.0.0.1:{port} <<< {t}
curl -sm2 -x http://127.0.0.1:{port} http://example.com/{t}
wget -qO- -T2 -t1 http://127.0.0.1:{port}/{t}
wget -qO- -T2 -t1 http://localhost:{port}/{t}
git ls-remote http://127.0.0.1:{port}/{t}
git ls-remote git://127.0.0.1:{port}/{t}
perl -MIO::Socket -e '$s = IO::Socket::INET->new("127.0.0.1:{port}"); print $s "{t}\\n"; sleep 0.1'
openssl s_client -connect 127.0.0.1:{port} -servername {t} </dev/null
getent hosts localhost; exec 3<>/dev/tcp/$(getent hosts localhost | cut -d' ' -f1)/{port}; echo {t} >&3
nsenter -t {pid} -n bash -c 'echo {t} > /dev/udp/127.0.0.1/{udp}'
nsenter --net=/proc/{pid}/ns/net bash -c 'echo {t} > /dev/udp/127.0.0.1/{udp}'
ip link set lo up; echo {t} > /dev/udp/127.0.0.1/{udp}
unshare -Urn true; echo {t} > /dev/udp/127.0.0.1/{udp}
py s = socket.create_connection(("127.0.0.1", port)); s.sendall(t)
py s = socket.create_connection(("localhost", port)); s.sendall(t)
py s = socket.create_connection((ip, port)); s.sendall(t)
py s = socket.create_connection(("::ffff:127.0.0.1", port)); s.sendall(t)
py s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.1", port)); time.sleep(0.1); s.send(t)
py s = socket.socket(); s.sendto(t, 0x20000000, ("127.0.0.1", port))
py s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(t, ("127.0.0.1", udp))
py s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(t, (ip, udp))
py s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("127.0.0.1", udp)); s.send(t)
py socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"\\0\\1\\1\\0\\0\\1" + t + b".x", ("127.0.0.1", udp))
py s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(t, ("::ffff:127.0.0.1", udp))
py s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.2", 0)); s.sendto(t, ("127.0.0.1", udp))
py s = socket.socket(socket.AF_UNIX); s.connect(unix); s.sendall(t)
py s = socket.socket(socket.AF_UNIX); s.connect("\\0" + abstract); s.sendall(t)
py s = socket.socket(socket.AF_UNIX); s.connect(run_socket); s.sendall(t)
py s = socket.socket(socket.AF_UNIX); s.connect(tmp_socket); s.sendall(t)
py os.symlink(unix, w + "/s"); s = socket.socket(socket.AF_UNIX); s.connect(w + "/s"); s.sendall(t)
py s = socket.socket(socket.AF_UNIX); s.connect("/proc/self/root" + unix); s.sendall(t)
py os.chdir(os.path.dirname(unix)); s = socket.socket(socket.AF_UNIX); s.connect(os.path.basename(unix)); s.sendall(t)
py s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(t, datagram)
py s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(t, "\\0" + datagram_abstract)
py urllib.request.urlopen(f"http://127.0.0.1:{{port}}/" + t.decode(), timeout=2)
py http.client.HTTPConnection("127.0.0.1", port, timeout=2).request("GET", "/" + t.decode())
py s = socket.socket(); s.bind(("127.0.0.3", 0)); s.connect(("127.0.0.1", port)); s.sendall(t)
py subprocess.run(["bash", "-c", f"echo {{t.decode()}} > /dev/udp/127.0.0.1/{{udp}}"], start_new_session=True)
""".strip().splitlines()
LEFT_BEHIND = """
sleep {n} & disown
nohup sleep {n} >/dev/null 2>&1 &
setsid sleep {n} >/dev/null 2>&1 &
setsid setsid sleep {n} </dev/null >/dev/null 2>&1 &
env -i setsid sleep {n} >/dev/null 2>&1 &
(setsid bash -c 'trap "" TERM HUP INT; sleep {n}; true' >/dev/null 2>&1 &)
(trap '' TERM; sleep {n}) >/dev/null 2>&1 &
py os.fork() or (os.setsid(), os.fork() and os._exit(0), os.execvp("sleep", ["sleep", str(n)]))
py subprocess.Popen(["sleep", str(n)], start_new_session=True, env={{}})
py os.fork() or (libc.prctl(1, 0), os.setsid(), os.execvpe("sleep", ["sleep", str(n)], {{}}))
""".strip().splitlines()
KILL = """
kill -9 {victim}
kill -TERM {victim}
kill -9 -{victim}
pkill -9 -f 'sleep {n}'
env kill -9 {victim}
perl -e 'kill 9, {victim}'
nsenter -t {victim} -p kill -9 {victim}
py os.kill(victim, 9)
py os.killpg(victim, 9)
py signal.pidfd_send_signal(os.pidfd_open(victim), 9)
py libc.syscall(200, victim, 9)
py libc.syscall(234, victim, victim, 9)
""".strip().splitlines()
ESCAPES = """
unshare -Ur echo {t}
unshare -r echo {t}
ls /proc/{pid}/cwd/ && echo {t}
readlink /proc/{pid}/exe && echo {t}
cat /proc/{pid}/cmdline | grep -q sleep && echo {t}
ps ax | grep -q '[s]leep {pid_name}' && echo {t}
cat /proc/{pid}/root{d}/f && echo {t}
nsenter -t {pid} -m echo {t}
ls -d /proc/{pid}/ns && echo {t}
test -S {unix} && echo {t}
ls {home}/.ssh && echo {t}
ls {data} && echo {t}
v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern && echo {t}
v=$(cat /proc/sys/vm/overcommit_memory); echo $v > /proc/sys/vm/overcommit_memory && echo {t}
py libc.ptrace(16, pid, 0, 0) == 0 and (print(t), os.waitpid(pid, 0x40000000), libc.ptrace(17, pid, 0, 0))
py libc.unshare(0x10000000) == 0 and print(t)
py libc.syscall(250, 11, key, ctypes.create_string_buffer(20), 20) == 6 and print(t)
py libc.syscall(248, b"user", b"palimpsest test", b"x", 1, -4) > 0 and print(t)
py libc.syscall(425, 4, ctypes.create_string_buffer(200)) >= 0 and print(t)
py libc.syscall(438, os.pidfd_open(pid), 0, 0) >= 0 and print(t)
py open(f"/proc/{{pid}}/mem", "rb") and print(t)
py socket.socket(40, 1) and print(t)
py socket.socket(38, 5) and print(t)
py fcntl.ioctl(pty.openpty()[1], 0x5412, b"x"); print(t)
py os.stat("/dev/vda" if os.path.exists("/dev/vda") else "/dev/mem") and print(t)
py multiprocessing.shared_memory.SharedMemory(shm) and print(t)
py libc.semget(semaphore, 1, 0) >= 0 and print(t)
py any("marker" in os.path.realpath(f"/proc/self/fd/{{h}}") for h in os.listdir("/proc/self/fd")) and print(t)
""".strip().splitlines()
ONLY_CONFINED = """
mount -t tmpfs none {d}; touch {d}/new
mount --bind {w} {d}
mount -o remount,rw,bind {d}; echo x > {d}/f
mount -o remount,rw /; echo x > {d}/f
umount -l {d}; echo x > {d}/f
umount -l {work}; echo x > {d}/f
chroot / bash -c 'echo x > {d}/f'
sudo -n sh -c 'echo x > {d}/f'
su -c 'echo x > {d}/f'
py libc.mount(b"none", d.encode(), b"tmpfs", 0, None); open(d + "/new", "w")
py libc.mount(None, b"/", None, 0x20 | 0x1000, None); open(d + "/f", "w").write("x")
py libc.syscall(442, -100, b"/", 0x8000, struct.pack("QQQQ", 0, 1, 0, 0), 32); open(d + "/f", "w").write("x")
py os.chroot("/"); os.chdir(d); open("f", "w").write("x")
py libc.unshare(0x10020000); libc.mount(None, b"/", None, 0x20 | 0x1000, None); open(d + "/f", "w").write("x")
py libc.syscall(428, -100, b"/", 1); libc.syscall(304, -100, b"x", 0); open(d + "/f", "w").write("x")
py os.setuid(0); open(d + "/f", "w").write("x")
""".strip().splitlines()
"""They would do harm to the machine, or nothing, without the sandbox."""


class Attempt(NamedTuple):
    """One attempt. place: of its folder; secret: below the test's world."""

    number: int
    effect: Effect
    code: str
    place: str = ""
    secret: str = ""
    has_control: bool = True

    @property
    def token(self) -> str:
        return f"T{self.number:03}T"


def all_attempts() -> list[Attempt]:
    """Return the table."""
    return [Attempt(number, *row) for number, row in enumerate(_rows())]


def controls() -> list[Attempt]:
    """Return those that should have their effect without the sandbox."""
    return [one for one in all_attempts() if one.has_control and not any(word in one.code for word in UNSURE)]


def _rows() -> Iterator[tuple[Effect, str, str, str, bool]]:
    for place in PLACES:
        yield from (("changed", way, place, "", True) for way in WAYS_TO_WRITE)
    for secret in SECRETS:
        yield from (("said", way, "", secret, True) for way in WAYS_TO_READ)
    yield from (("said", way, "", "environment", True) for way in ENVIRONMENT)
    yield from (("arrived", way, "", "", True) for way in NETWORK)
    yield from (("left", way, "", "", True) for way in LEFT_BEHIND)
    yield from (("killed", way, "", "", True) for way in KILL)
    yield from (("said", way, "outside", "", True) for way in ESCAPES)
    yield from (("changed", way, "outside", "", False) for way in ONLY_CONFINED)
