"""The server process: it says when it is ready, stops when it is told to, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from local_support import REGION, OverHttp, Queue, control, http_client

from quota_constructs.local import LocalCloud
from quota_constructs.local.cloud import LocalCloudError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Server:
    """`python -m quota_constructs.local` with a temporary folder of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "quota_constructs.local", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(folder)},
        )

    def ready(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self, number: int | None = None) -> tuple[int, str, str]:
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    yield temporary
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("arguments", [["--batch-only"], []], ids=["batch only", "local cloud"])
def test_a_signal_stops_it_cleanly(folder: Path, number: int, arguments: list[str]) -> None:
    server = Server(folder, "--port", "0", *arguments)
    line = server.ready()
    assert line.startswith("ready http://127.0.0.1:")
    url = line.removeprefix("ready ")
    health = control(url, "GET", "health")
    assert (health["status"], health["region"]) == ("ready", REGION)
    assert server.end(number) == (0, "", "")


@pytest.mark.parametrize("arguments", [["--batch-only"], []], ids=["batch only", "local cloud"])
def test_a_taken_port_is_one_line(folder: Path, arguments: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = Server(folder, "--port", str(port), *arguments).end()
    want = f"port {port} on 127.0.0.1 cannot be used: Address already in use; choose another with --port\n"
    assert (code, out, err) == (2, "", want)


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["--speed", "-1"], "speed must be a number above 0, got -1.0"),
        (["--port", "70000"], "port must be from 0 to 65535, got 70000"),
        (["--faults", "nowhere.json"], "nowhere.json"),
        (["--port", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_usage_is_exit_2(folder: Path, arguments: list[str], want: str) -> None:
    code, out, err = Server(folder, "--batch-only", "--port", "0", *arguments).end()
    assert (code, out) == (2, "")
    assert want in err
    assert "Traceback" not in err


def test_it_listens_on_loopback_only(batch_server: LocalCloud) -> None:
    port = int(batch_server.endpoint_url.rpartition(":")[2])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
    assert listening == {f"0100007F:{port:04X}"}


def test_fails_to_tell_its_environment_when_it_does_not_run() -> None:
    with pytest.raises(LocalCloudError, match="is not running; ask for its environment inside the `with` block"):
        LocalCloud().environment()


def test_the_clock_runs_at_the_speed_asked_for_while_nobody_calls() -> None:
    with LocalCloud(batch_only=True, speed=100_000) as cloud:
        face = OverHttp(cloud.endpoint_url)
        before = control(cloud.endpoint_url, "GET", "health", account=face.account)["now"]
        after = control(cloud.endpoint_url, "GET", "health", account=face.account)["now"]
        assert after > before


def test_accounts_and_regions_know_nothing_of_each_other(batch_server: LocalCloud) -> None:
    one, two = OverHttp(batch_server.endpoint_url), OverHttp(batch_server.endpoint_url)
    queue = Queue(one)
    assert one.account in queue.arn
    assert two.client.describe_job_queues()["jobQueues"] == []
    Queue(two)
    assert two.account in two.client.describe_job_queues()["jobQueues"][0]["jobQueueArn"]


def test_an_unsigned_request_and_any_other_key_are_the_default_account(batch_server: LocalCloud) -> None:
    client = http_client(batch_server.endpoint_url, "somebody")
    made = client.create_scheduling_policy(name="of-somebody")
    assert made["arn"] == f"arn:aws:batch:{REGION}:000000000000:scheduling-policy/of-somebody"


@pytest.mark.parametrize(
    ("name", "members", "want"),
    [
        ("advance", {}, "seconds must be a number of at least 0, got None"),
        ("advance", {"seconds": -1}, "seconds must be a number of at least 0, got -1"),
        ("faults", {"rules": [{"fault": "fire"}]}, "rules[0]: fault must be"),
        ("scarcity", {"instanceType": 1}, "instanceType must be a string, got 1"),
        ("scarcity", {"instanceType": "x", "available": -1}, "available must be a whole number of at least 0, or null"),
    ],
)
def test_control_endpoints_say_what_is_wrong(
    batch_server: LocalCloud, name: str, members: dict[str, Any], want: str
) -> None:
    from urllib.error import HTTPError

    with pytest.raises(HTTPError) as caught:
        control(batch_server.endpoint_url, "POST", name, members)
    with caught.value as answer:
        assert (answer.code, want in json.loads(answer.read())["message"]) == (400, True)


def test_a_fault_file_is_in_force_from_the_start(tmp_path: Path, folder: Path) -> None:
    rules = tmp_path / "faults.json"
    rules.write_text(json.dumps({"rules": [{"fault": "server_error", "operation": "ListSchedulingPolicies"}]}))
    server = Server(folder, "--port", "0", "--batch-only", "--faults", str(rules))
    client = http_client(server.ready().split()[1], "x", retries={"total_max_attempts": 1})
    with pytest.raises(client.exceptions.ServerException):
        client.list_scheduling_policies()
    client.describe_job_queues()
    server.end(signal.SIGTERM)


def test_local_cloud_tells_why_it_did_not_start() -> None:
    with LocalCloud(batch_only=True) as first:
        port = int(first.endpoint_url.rpartition(":")[2])
        with pytest.raises(LocalCloudError, match=f"port {port} on 127.0.0.1 cannot be used"), LocalCloud(port):
            pass


def test_the_environment_of_a_client_has_no_real_credentials() -> None:
    with LocalCloud(batch_only=True, region="us-east-1") as cloud:
        environment = cloud.environment()
        assert environment["AWS_ENDPOINT_URL"] == cloud.endpoint_url
        assert (environment["AWS_ACCESS_KEY_ID"], environment["AWS_REGION"]) == ("local", "us-east-1")
        assert cloud.client("batch").describe_job_queues()["jobQueues"] == []
        pid = cloud.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_stops_and_cleans_up_when_the_process_that_started_it_dies(tmp_path: Path) -> None:
    code = (
        "import os, signal\nfrom quota_constructs.local import LocalCloud\n"
        "cloud = LocalCloud(batch_only=True)\ncloud.__enter__()\nprint(cloud.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"TMPDIR": str(tmp_path)}
    )
    server = Path(f"/proc/{int(done.stdout)}")
    deadline = time.monotonic() + 20
    while server.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not server.exists()
    assert list(tmp_path.iterdir()) == []


def test_single_delays_and_assumptions_can_be_set() -> None:
    arguments = ["--set", "status_seconds=100", "--set", "submit_rate=1", "--knob", "head_blocking=backfill"]
    with LocalCloud(batch_only=True, speed=0, arguments=arguments) as cloud:
        face = OverHttp(cloud.endpoint_url)
        face.client.create_service_environment(
            serviceEnvironmentName="e",
            serviceEnvironmentType="SAGEMAKER_TRAINING",
            capacityLimits=[{"capacityUnit": "ml.g5.xlarge", "maxCapacity": 1}],
        )
        face.advance(99)
        assert face.client.describe_service_environments()["serviceEnvironments"][0]["status"] == "CREATING"
        face.advance(1)
        assert face.client.describe_service_environments()["serviceEnvironments"][0]["status"] == "VALID"


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["--set", "speed=1"], "unknown setting 'speed'; there are status_seconds"),
        (["--set", "submit_rate=many"], "submit_rate must be a whole number, got 'many'"),
        (["--set", "stop_seconds=-1"], "stop_seconds must be at least 0, got -1.0"),
        (["--knob", "head_blockin=x"], "head_blocking"),
    ],
)
def test_wrong_settings_are_exit_2(folder: Path, arguments: list[str], want: str) -> None:
    code, out, err = Server(folder, "--batch-only", "--port", "0", *arguments).end()
    assert (code, out, want in err, "Traceback" in err) == (2, "", True, False)
