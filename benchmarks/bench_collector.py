"""What reading a queue costs in parallel, against the same calls one after the other.

    python benchmarks/bench_collector.py

The endpoint is a process on loopback that answers each call after 10 ms; the queue has 20 shares and 10,000 jobs, of
which 2,000 are described. Fails if listing takes more than 0.30 of the time it takes call by call, or describing more
than 0.10. Call by call, 400 descriptions are measured and counted five times.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from quota_live.clients import clients
from quota_live.collect import Collected, describe, read_lists
from quota_live.rate import RateBudget
from quota_live.read_options import ReadOptions
from quota_live.reader import Reader

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MOST_LISTING = 0.30
MOST_DESCRIBING = 0.10
LATENCY_SECONDS = 0.010
SHARES = 20
WAITING, RUNNING = 400, 100
DESCRIBED = 2000
DESCRIBED_IN_TURN = 400
ROUNDS = 3
G5 = "ml.g5.xlarge"
ARN = "arn:aws:batch:eu-west-1:000000000000:job-queue/queue"


def job(share: str, status: str, number: int) -> dict[str, Any]:
    """An entry of ListServiceJobs."""
    times = {"scheduledAt": 1_780_000_000_000, "startedAt": 1_780_000_000_000} if status == "RUNNING" else {}
    job_id = f"{share}-{status}-{number}"
    return {
        "jobId": job_id,
        "jobArn": f"arn:aws:batch:eu-west-1:000000000000:service-job/{job_id}",
        "jobName": f"job-{number}",
        "status": status,
        "serviceJobType": "SAGEMAKER_TRAINING",
        "quotaShareName": share,
        "createdAt": 1_780_000_000_000 + number,
        "capacityUsage": [{"capacityUnit": G5, "quantity": 1.0}],
        **times,
    }


class Endpoint:
    """Answers of a queue that stands still."""

    def __init__(self) -> None:
        limits = [{"capacityUnit": G5, "maxCapacity": 100}]
        shares = [f"share-{number}" for number in range(SHARES)]
        self._jobs = {
            (share, status): [job(share, status, number) for number in range(count)]
            for share in shares
            for status, count in (("RUNNABLE", WAITING), ("RUNNING", RUNNING))
        }
        self._fixed = {
            "describejobqueues": {
                "jobQueues": [
                    {
                        "jobQueueArn": ARN,
                        "jobQueueName": "queue",
                        "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "gpus"}],
                    }
                ]
            },
            "describeserviceenvironments": {"serviceEnvironments": [{"capacityLimits": limits}]},
            "listquotashares": {
                "quotaShares": [
                    {
                        "quotaShareName": share,
                        "capacityLimits": limits,
                        "resourceSharingConfiguration": {"strategy": "LEND"},
                        "preemptionConfiguration": {"inSharePreemption": "ENABLED"},
                        "state": "ENABLED",
                        "status": "VALID",
                    }
                    for share in shares
                ]
            },
            "getjobqueuesnapshot": {},
        }

    def answer(self, operation: str, members: dict[str, Any]) -> dict[str, Any]:
        """Answer one call."""
        if operation in self._fixed:
            return self._fixed[operation]
        if operation == "describeservicejob":
            share, status, number = members["jobId"].rsplit("-", 2)
            payload = json.dumps(
                {"ResourceConfig": {"InstanceType": G5, "InstanceCount": 1}, "Environment": {"A": "b" * 500}}
            )
            more = {"schedulingPriority": 1, "tags": {"owner": "ann"}, "serviceRequestPayload": payload}
            return {**job(share, status, int(number)), **more}
        ((share,), status) = (members["filters"][0]["values"], members["jobStatus"])
        jobs = self._jobs.get((share, status), [])
        begin = int(members.get("nextToken", "0"))
        end = begin + members["maxResults"]
        more = {"nextToken": str(end)} if end < len(jobs) else {}
        return {"jobSummaryList": jobs[begin:end], **more}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it is closed."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = next(
                    int(line.partition(":")[2])
                    for line in head.split("\r\n")
                    if line.lower().startswith("content-length")
                )
                members = json.loads(await reader.readexactly(length) or b"{}")
                await asyncio.sleep(LATENCY_SECONDS)
                operation = head.split(" ", 2)[1].rpartition("/")[2]
                body = json.dumps(self.answer(operation, members)).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
                )
                writer.write(body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def endpoint(port: Connection) -> None:
    """Run the endpoint and tell its port."""

    async def run() -> None:
        server = await asyncio.start_server(Endpoint().serve, "127.0.0.1", 0, backlog=256)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def timed(reader: Reader, listed: Collected | None, count: int) -> float:
    """Time listing, or describing so many of the jobs that are listed."""
    begun = time.perf_counter()
    if listed is None:
        found = read_lists(reader, ARN)
        assert len(found.state.jobs) == SHARES * (WAITING + RUNNING)
    else:
        wanted = [each.id for each in listed.state.jobs][:count]
        assert len(describe(reader, listed, wanted).tags) == count
    return time.perf_counter() - begun


def main() -> int:
    """Measure, print, judge."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=endpoint, args=(there,), daemon=True)
    server.start()
    try:
        account = clients("eu-west-1", endpoint_url=f"http://127.0.0.1:{here.recv()}")
        parallel = Reader.of(account, ReadOptions())
        in_turn = Reader(account.batch, threads=1, budget=RateBudget(1e9, 1))
        listed = read_lists(parallel, ARN)
        listing, describing = [], []
        for _ in range(ROUNDS):
            listing.append(timed(parallel, None, 0) / timed(in_turn, None, 0))
            one_by_one = timed(in_turn, listed, DESCRIBED_IN_TURN) * DESCRIBED / DESCRIBED_IN_TURN
            describing.append(timed(parallel, listed, DESCRIBED) / one_by_one)
    finally:
        server.terminate()
        server.join()
    lists, descriptions = statistics.median(listing), statistics.median(describing)
    print(f"listing {SHARES * (WAITING + RUNNING)} jobs   {lists:6.3f} of call by call, at most {MOST_LISTING:.2f}")
    print(f"describing {DESCRIBED} jobs {descriptions:6.3f} of call by call, at most {MOST_DESCRIBING:.2f}")
    return int(lists > MOST_LISTING or descriptions > MOST_DESCRIBING)


if __name__ == "__main__":
    sys.exit(main())
