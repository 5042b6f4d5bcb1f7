"""Builds and runs the image of the Dockerfile without Docker: see scripts/test-image."""

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from unit_profile import unit_profile

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# Where the image `rust` has what rustup installs.
RUST = {"RUSTUP_HOME": "/usr/local/rustup", "CARGO_HOME": "/usr/local/cargo"}
PAGE = Path("fixtures/site/article/index.html")
SENTENCE = "A car ferry that carried three generations of islanders is being rebuilt as a floating workshop"
# Longest wait for the service to be healthy and to end, in seconds; compose.yaml waits as long for the end.
PATIENCE_S = 40

# Runs a command in a root: `$1` is the root, `$2` the folder of the toolchain on this machine or nothing, the rest the command.
ENTER = """
root=$1 rustup=$2 cargo=$3; shift 3
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind /etc/apt "$root/etc/apt"
if [ -n "$rustup" ]; then
    mkdir -p "$root/usr/local/rustup" "$root/usr/local/cargo/bin" "$root/usr/local/cargo/registry"
    mount --bind "$rustup" "$root/usr/local/rustup"
    mount --bind "$cargo/bin" "$root/usr/local/cargo/bin"
    mount --bind "$cargo/registry" "$root/usr/local/cargo/registry"
fi
exec chroot "$root" "$@"
"""

# Sends a request from inside the network of the container: the arguments are address and token, standard input the page.
REQUEST = """
import sys, urllib.error, urllib.request
headers = {"Content-Type": "text/html"}
if sys.argv[2]:
    headers["Authorization"] = "Bearer " + sys.argv[2]
request = urllib.request.Request(sys.argv[1], data=sys.stdin.buffer.read(), headers=headers)
try:
    answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=100)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status)
print(answer.read().decode())
"""

# What Docker hides and protects of /proc and /sys.
MASKED = ["acpi", "asound", "kcore", "keys", "latency_stats", "sched_debug", "scsi", "timer_list", "timer_stats"]
READ_ONLY = ["bus", "fs", "irq", "sys", "sysrq-trigger"]


def say(text):
    print(f"test-image: {text}", file=sys.stderr, flush=True)


def check(what, condition, seen=""):
    if not condition:
        sys.exit(f"test-image: {what} failed: {seen}")
    say(what)


def run(command, **options):
    """Runs a program that must succeed."""
    if subprocess.run(command, **options).returncode != 0:
        sys.exit(f"test-image: this failed: {shlex.join(map(str, command))}")


class Stage:
    """A stage of the Dockerfile: what it starts from, its steps in order, and how its result is run."""

    def __init__(self, base, name):
        self.base, self.name = base, name
        self.steps = []
        self.config = {"ENTRYPOINT": [], "CMD": [], "USER": "0:0"}
        self.arguments, self.environment = {}, {}


def words(rest):
    """The command of an instruction: a list as it is, or a line for the shell."""
    return json.loads(rest) if rest.startswith("[") else ["/bin/sh", "-c", rest]


def read_dockerfile(text):
    """The stages of a Dockerfile. An instruction that is not known here ends the test."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    stages = []
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        instruction, rest = line.split(None, 1)
        stage = stages[-1] if stages else None
        match instruction:
            case "FROM":
                base, name = re.fullmatch(r"(\S+)(?: AS (\S+))?", rest).groups()
                stages.append(Stage(base, name))
            case "RUN" | "COPY" | "WORKDIR":
                stage.steps.append((instruction, rest))
            case "ARG":
                name, value = rest.split("=", 1)
                stage.arguments[name] = value
            case "ENV":
                stage.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
            case "ENTRYPOINT" | "CMD":
                stage.config[instruction] = words(rest)
            case "HEALTHCHECK":
                stage.config[instruction] = words(re.fullmatch(r"(?:--\S+ )*CMD (.*)", rest)[1])
            case "USER" | "STOPSIGNAL" | "EXPOSE":
                stage.config[instruction] = rest
            case _:
                sys.exit(f"test-image: the instruction {instruction} of the Dockerfile is not known; add it to the test")
    return stages


def sent_to_docker(path):
    """Whether .dockerignore lets a path of the project into the build: it leaves out all but what it names."""
    first, *others = [line for line in Path(".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    if first != "*" or not all(line.startswith("!") for line in others):
        sys.exit("test-image: .dockerignore has lines of a new kind; teach the test to read them")
    return any(f"!{path}/".startswith(f"{line}/") for line in others)


class Builder:
    """Carries out the steps of stages in folders of a work folder."""

    def __init__(self, work):
        self.work = work
        self.roots = {}

    def base(self, image):
        """A new Debian system like that of an image, made once."""
        suite = re.fullmatch(r"(?:debian:|rust:\S+?-slim-)([a-z]+)(?:-slim)?", image)
        if not suite:
            sys.exit(f"test-image: the image {image} is not known; teach the test to make one like it")
        folder = self.work / f"base-{suite[1]}"
        if not (folder / "done").exists():
            say(f"making a Debian system ({suite[1]})")
            shutil.rmtree(folder, ignore_errors=True)
            mirrors = subprocess.run(["apt-cache", "policy"], capture_output=True, text=True, check=True).stdout
            mirror = next(url for url in re.findall(r"https?://\S+", mirrors) if "security" not in url)
            with open(self.work / "debootstrap.log", "w") as log:
                run(["debootstrap", "--variant=minbase", suite[1], folder, mirror], stdout=log, stderr=log)
            (folder / "done").touch()
        return folder

    def build(self, stage, folder, arguments):
        """Carries out a stage, and returns the folder with its result."""
        root = self.work / folder
        run(["cp", "--archive", "--reflink=auto", self.base(stage.base), root])
        (root / "done").unlink()
        # The network of this machine: names, and certificates that are only known here.
        for path in ["etc/resolv.conf", "etc/hosts", "etc/ssl/certs", "usr/local/share/ca-certificates"]:
            source = Path("/") / path
            if source.is_dir():
                shutil.copytree(source, root / path, symlinks=False, dirs_exist_ok=True, ignore_dangling_symlinks=True)
            elif source.exists():
                shutil.copyfile(source, root / path)
        has_rust = stage.base.startswith("rust:")
        environment = {"PATH": PATH, "HOME": "/root", **stage.environment, **stage.arguments, **arguments}
        if has_rust:
            environment |= RUST | {"PATH": f"{RUST['CARGO_HOME']}/bin:{PATH}", "SSL_CERT_FILE": CERTIFICATES}
        place = "/"
        for instruction, rest in stage.steps:
            say(f"{instruction} {rest if len(rest) < 90 else rest[:90] + ' ...'}")
            match instruction:
                case "WORKDIR":
                    place = rest
                    (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
                case "COPY":
                    self.copy(rest, root, place)
                case "RUN":
                    self.step(root, environment, place, rest, has_rust)
        self.roots[stage.name] = root
        return root

    def step(self, root, environment, place, line, has_rust):
        """Runs a line of the shell in a root."""
        home = Path.home()
        rustup = os.environ.get("RUSTUP_HOME", home / ".rustup") if has_rust else ""
        cargo = os.environ.get("CARGO_HOME", home / ".cargo")
        variables = [f"{name}={value}" for name, value in environment.items()]
        inside = ["env", "-i", *variables, "/bin/sh", "-c", f"cd {shlex.quote(place)} && {line}"]
        began = time.monotonic()
        with open(self.work / "steps.log", "a") as log:
            command = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", ENTER, "_", root, rustup, cargo]
            result = subprocess.run([*command, *inside], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        seen = (self.work / "steps.log").read_text(errors="replace").splitlines()[-30:]
        check(f"the step took {time.monotonic() - began:.0f} s", result.returncode == 0, "\n".join(seen))

    def copy(self, rest, root, place):
        """Copies files of the project, or of an earlier stage, as root's."""
        *sources, target = rest.split()
        stage = sources.pop(0).removeprefix("--from=") if sources[0].startswith("--from=") else None
        into = root / os.path.join(place, target).lstrip("/")
        for name in sources:
            if stage is None and not sent_to_docker(name):
                sys.exit(f"test-image: .dockerignore leaves {name} out, which the Dockerfile copies")
            source = self.roots[stage] / name.lstrip("/") if stage else Path(name)
            if source.is_dir():
                shutil.copytree(source, into, dirs_exist_ok=True)
                continue
            is_folder = target.endswith("/") or target == "."
            (into if is_folder else into.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(source, into / source.name if is_folder else into)


def compose_limits():
    """The limits of compose.yaml."""
    text = Path("compose.yaml").read_text()
    patterns = {
        "read_only": r"read_only: (true)", "tmpfs": r"- (/tmp:\S+)", "shm": r"shm_size: (\d+)m", "caps": r"cap_drop: (\[ALL\])",
        "privileges": r"- no-new-privileges:(true)", "seccomp": r"- seccomp:(\S+)", "memory": r"mem_limit: (\d+)g",
        "pids": r"pids_limit: (\d+)",
    }
    found = {name: re.search(rf"^ +{pattern}$", text, re.MULTILINE) for name, pattern in patterns.items()}
    check("compose.yaml has all limits", all(found.values()), [name for name, value in found.items() if not value])
    return {name: value[1] for name, value in found.items()}


def mount(target, kind, options, source=None):
    return {"destination": target, "type": kind, "source": source or kind, "options": options}


def docker_profile(path):
    """A seccomp profile of Docker, as the runtime reads it."""
    profile = json.loads(Path(path).read_text())
    for rule in profile["syscalls"]:
        rule.pop("comment", None)
    return profile


def oci_config(stage, root, token, limits, seccomp):
    """How the runtime starts the image: as Docker would with compose.yaml."""
    user, group = map(int, stage.config["USER"].split(":"))
    environment = {"PATH": PATH, **stage.environment, "VCLEAN_TOKEN": token}
    hard = ["nosuid", "nodev", "noexec"]
    folder, options = limits["tmpfs"].split(":")
    linux = {
        "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")],
        "maskedPaths": [f"/proc/{name}" for name in MASKED] + ["/sys/firmware"],
        "readonlyPaths": [f"/proc/{name}" for name in READ_ONLY],
        "resources": {"memory": {"limit": int(limits["memory"]) << 30}, "pids": {"limit": int(limits["pids"])}},
    }
    if seccomp:
        linux["seccomp"] = seccomp
    return {
        "ociVersion": "1.0.2",
        "hostname": "vclean",
        "root": {"path": str(root), "readonly": True},
        "process": {
            "args": stage.config["ENTRYPOINT"] + stage.config["CMD"],
            "cwd": "/",
            "env": [f"{name}={value}" for name, value in environment.items()],
            "user": {"uid": user, "gid": group},
            "capabilities": {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable", "ambient")},
            "noNewPrivileges": True,
            "terminal": False,
        },
        "mounts": [
            mount("/proc", "proc", hard),
            mount("/dev", "tmpfs", ["nosuid", "strictatime", "mode=755", "size=65536k"]),
            mount("/dev/pts", "devpts", ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]),
            mount("/dev/shm", "tmpfs", [*hard, "mode=1777", f"size={limits['shm']}m"], "shm"),
            mount("/sys", "sysfs", [*hard, "ro"]),
            mount(folder, "tmpfs", [*hard, *options.split(",")]),
        ],
        "linux": linux,
    }


class Container:
    """A running image."""

    def __init__(self, runtime, work, stage, token, config):
        self.runtime = [runtime, "--root", str(work / "state")]
        self.name, self.stage, self.token = f"vclean-{os.getpid()}", stage, token
        bundle = work / "bundle"
        bundle.mkdir(exist_ok=True)
        (bundle / "config.json").write_text(json.dumps(config, indent=2))
        self.log = work / "service.log"
        with open(self.log, "w") as log:
            command = [*self.runtime, "run", "--bundle", bundle, self.name]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def execute(self, *command, options=()):
        """Runs a command in the container: its exit code and what it prints."""
        whole = [*self.runtime, "exec", *options, self.name, *command]
        result = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def clean(self, query, token):
        """Sends the page to the service: the status of the answer, and the answer."""
        state = subprocess.run([*self.runtime, "state", self.name], capture_output=True, text=True, check=True)
        inside = ["nsenter", "--target", str(json.loads(state.stdout)["pid"]), "--net", sys.executable, "-c", REQUEST]
        url = f"http://127.0.0.1:{self.stage.config['EXPOSE']}/v1/clean?{query}"
        result = subprocess.run([*inside, url, token], input=PAGE.read_bytes(), capture_output=True)
        if result.returncode != 0:
            sys.exit(f"test-image: no answer: {result.stderr.decode()}\n{self.log.read_text()}")
        status, answer = result.stdout.decode().split("\n", 1)
        return int(status), json.loads(answer)

    def wait_until_healthy(self):
        began = time.monotonic()
        while True:
            code, text = self.execute(*self.stage.config["HEALTHCHECK"])
            seconds = time.monotonic() - began
            if code == 0:
                return check(f"the health check succeeds after {seconds:.1f} s", True)
            if seconds > PATIENCE_S or self.process.poll() is not None:
                check("the health check", False, f"{text}\n{self.log.read_text()}")
            time.sleep(0.1)

    def end(self):
        """Stops the service as Docker would; returns its exit code."""
        signal = self.stage.config["STOPSIGNAL"]
        run([*self.runtime, "kill", self.name, signal])
        return self.process.wait(PATIENCE_S)

    def remove(self):
        """Ends what a failed test has left running."""
        if self.process.poll() is None:
            subprocess.run([*self.runtime, "delete", "--force", self.name], capture_output=True)


def check_service(container, has_browser):
    """What must hold of the running image."""
    container.wait_until_healthy()
    status, answer = container.clean("engine=none", "")
    check("without the token, a page is refused", status == 401, answer)
    for engine in ["none", "builtin"] + ["chromium"] * has_browser:
        began = time.monotonic()
        status, answer = container.clean(f"engine={engine}&formats=text", container.token)
        text = str(answer.get("output"))
        is_good = status == 200 and SENTENCE in text and "Winter storage" not in text
        check(f"engine {engine} cleans a page in {time.monotonic() - began:.1f} s", is_good, f"{status} {answer}")
    if has_browser:
        code, text = container.execute("vclean", "doctor")
        check("the browser runs in its sandbox", "sandbox: on" in text, text)
        rights = ["--user", "0", "--cap", "CAP_SYS_ADMIN"]
        code, text = container.execute("mount", "-t", "tmpfs", "none", "/tmp", options=rights)
        check("the seccomp profile forbids mount even with the right to it", code != 0, text)
    else:
        status, answer = container.clean("engine=chromium", container.token)
        check("Chromium is not there, and a request for it is answered so", status == 501, f"{status} {answer}")
    code, text = container.execute("id", "-u")
    check("the service runs as user 10001", text.strip() == "10001", text)
    code, text = container.execute("touch", "/usr/local/bin/x", options=["--user", "0"])
    check("not even root can write to the root", code != 0 and "Read-only file system" in text, text)
    code, text = container.execute("touch", "/tmp/x")
    check("/tmp can be written", code == 0, text)
    code = container.end()
    check("SIGTERM ends the service with 0", code == 0, f"{code}\n{container.log.read_text()}")


def main():
    work, runtime = Path(sys.argv[1]).resolve(), sys.argv[2]
    *earlier, last = read_dockerfile(Path("Dockerfile").read_text())
    builder = Builder(work)
    (work / "steps.log").unlink(missing_ok=True)
    for stage in earlier:
        builder.build(stage, stage.name, {})
    limits = compose_limits()
    docker = ("the profile of compose.yaml", docker_profile(limits["seccomp"]))
    unit = ("the filters of the unit for systemd", unit_profile("packaging/vclean.service"))
    # Without a browser, Docker's own profile applies, which is not to be had here.
    for browser, profiles in [(last.arguments["BROWSER"], [docker, unit]), ("none", [("no profile", None)])]:
        say(f"the image with BROWSER={browser}")
        root = builder.build(last, f"image-{browser}", {"BROWSER": browser})
        for name, seccomp in profiles:
            say(f"running it with {name}")
            token = secrets.token_hex(24)
            container = Container(runtime, work, last, token, oci_config(last, root, token, limits, seccomp))
            try:
                check_service(container, browser != "none")
            finally:
                container.remove()
        shutil.rmtree(root)
    say("all good")


main()
