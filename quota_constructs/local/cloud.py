"""`LocalCloud`: the local cloud as a child process."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quota_constructs.local.arns import DEFAULT_ACCOUNT, DEFAULT_REGION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

START_SECONDS = 60
STOP_SECONDS = 15


class LocalCloudError(Exception):
    """The local cloud did not start, or is not running."""


class LocalCloud:
    """Starts a local cloud on loopback and stops it at the end of a `with` block.

    Args:
        port: port on 127.0.0.1; a free one unless given.
        batch_only: only the Batch API, without CloudFormation, Lambda and the rest.
        speed: how many seconds of its clock pass in a second; 0 stands still until `/_quota/advance`.
        delays: `short` for a person who waits, `realistic` for those of the service.
        region: the Region of the clients that use `environment`.
        enforce_iam: refuse what the caller's policies do not allow, Lambdas' roles included. The clients that use
            `environment` may do everything. A CDK app needs the `CliCredentialsStackSynthesizer` then.
        arguments: further ones of `python -m quota_constructs.local`, for example `["--set", "stop_seconds=20"]`.

    Raises:
        LocalCloudError: on entering the block: it did not start; the message is what it said.

    Examples:
        with LocalCloud() as cloud:
            subprocess.run(["cdk", "deploy"], env=os.environ | cloud.environment(), check=True)
    """

    def __init__(
        self,
        port: int = 0,
        *,
        batch_only: bool = False,
        speed: float = 1.0,
        delays: str = "short",
        region: str = DEFAULT_REGION,
        enforce_iam: bool = False,
        arguments: Sequence[str] = (),
    ) -> None:
        self._arguments = ["--port", str(port), "--speed", str(speed), "--delays", delays]
        if batch_only:
            self._arguments.append("--batch-only")
        if enforce_iam:
            self._arguments.append("--enforce-iam")
        self._arguments += arguments
        # The account's number as access key stands for its root user; any other key would need a user.
        self._access_key = DEFAULT_ACCOUNT if enforce_iam else "local"
        self._process: subprocess.Popen[str] | None = None
        self._folder: Path | None = None
        self.region = region
        self.endpoint_url = ""

    def __enter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="quota-cloud-"))
        try:
            self.endpoint_url = self._start(self._folder / "errors.txt")
        except BaseException:  # an interrupt as well: nothing may stay behind
            self.stop()
            raise
        return self

    def _start(self, errors: Path) -> str:
        """Start the server; gives its URL when it is ready."""
        with errors.open("w") as stream:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "quota_constructs.local", "--orphaned", str(errors.parent), *self._arguments],
                stdin=subprocess.PIPE,  # when this process dies, it is closed, and the server stops and cleans up
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
                env=os.environ | {"TMPDIR": str(errors.parent)},
                start_new_session=True,  # Ctrl-C in the terminal is ours to pass on
            )
        stdout = self._process.stdout
        assert stdout is not None
        readable, _, _ = select.select([stdout], [], [], START_SECONDS)
        line = stdout.readline().strip() if readable else f"nothing in {START_SECONDS} seconds"
        if line.startswith("ready "):
            return line.split()[1]
        self._process.kill()
        self._process.wait()
        raise LocalCloudError(f"the local cloud did not start: {errors.read_text().strip() or line}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """Process id of the server while it runs."""
        return self._process.pid if self._process is not None else None

    def stop(self) -> None:
        """Stop it and remove what it left; harmless if it does not run."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def environment(self) -> dict[str, str]:
        """Variables for a client of the local cloud: boto3, the AWS CLI, `cdk`, the SageMaker SDK.

        Credentials are dummies, so that nothing can reach a real account.

        Raises:
            LocalCloudError: it is not running.
        """
        if self._folder is None:
            raise LocalCloudError("the local cloud is not running; ask for its environment inside the `with` block")
        return {
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_ACCESS_KEY_ID": self._access_key,
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_HOME": str(self._folder / "cdk"),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_DEFAULT_ACCOUNT": DEFAULT_ACCOUNT,
            "CDK_DEFAULT_REGION": self.region,
        }

    def client(self, service: str) -> Any:  # noqa: ANN401 - a boto3 client
        """A boto3 client of the local cloud, for example `client("cloudformation")`."""
        from quota_constructs.local.sessions import local_client

        return local_client(service, self.endpoint_url, region=self.region, account=self._access_key)
