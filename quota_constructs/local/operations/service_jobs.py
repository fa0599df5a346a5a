"""Service jobs: submit, describe, change their priority, terminate.

Source: API Reference, SubmitServiceJob and the operations beside it; user guide, submitting jobs to a quota share,
service job retry strategies, service quotas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quota_constructs.local.arns import quota_share_arn
from quota_constructs.local.configuration_rules import check_job_request
from quota_constructs.local.errors import ClientException
from quota_constructs.local.operations.registry import operation
from quota_constructs.local.paging import check_count
from quota_constructs.local.payload import read_payload
from quota_constructs.local.records import Attempt, JobQueue, Members, ServiceJob

if TYPE_CHECKING:
    from quota_constructs.local.service import Service

MAX_PAYLOAD_BYTES = 10 * 1024
MOST_PRIORITY = 9999
MOST_TERMINATED = 50


@operation("SubmitServiceJob")
def submit(service: Service, request: Members) -> Members:
    """Take in a service job."""
    service.submissions.check(service.timing.now())
    problems = list(_request_problems(request))
    if problems:
        raise ClientException("; ".join(problems))
    check_job_request(request)
    queue = service.store.queue(request["jobQueue"])
    _check_queue(service, queue)
    _check_share(service, queue, request)
    token = request.get("clientToken")
    if token is not None and token in service.store.client_tokens:
        raise ClientException(
            f"clientToken {token} was already used for service job {service.store.client_tokens[token]}"
        )
    job = _new_job(service, queue, request)
    if token is not None:
        service.store.client_tokens[token] = job.id
    service.jobs.submit(job)
    return {"jobArn": job.arn, "jobName": job.name, "jobId": job.id}


@operation("DescribeServiceJob")
def describe(service: Service, request: Members) -> Members:
    """Describe a job by id or ARN."""
    return job_detail(service.store.job(request["jobId"]))


def job_detail(job: ServiceJob) -> Members:
    """Everything DescribeServiceJob gives."""
    detail = job_members(job)
    detail["jobQueue"] = job.queue_arn
    if job.attempts:
        detail["attempts"] = [attempt_members(attempt) for attempt in job.attempts]
    if job.priority is not None:
        detail["schedulingPriority"] = job.priority
    if job.preempted_count:
        detail["preemptionSummary"] = preemption_summary(job)
    detail |= job.request
    detail["serviceRequestPayload"] = job.payload
    return detail | ({"tags": job.tags} if job.tags else {})


@operation("UpdateServiceJob")
def update(service: Service, request: Members) -> Members:
    """Change a job's scheduling priority; it counts at once, for waiting and for dispatched jobs."""
    job = service.store.job(request["jobId"])
    priority = request["schedulingPriority"]
    if problem := _range_problem("schedulingPriority", priority, 0, MOST_PRIORITY):
        raise ClientException(problem)
    service.store.jobs.set_priority(job, priority)
    service.log.add("priority", job.id, priority=priority, queue=job.queue_arn, share=job.share)
    service.heads.note(job.queue_arn, job.share)
    service.scheduler.wake(job.queue_arn)
    return {"jobArn": job.arn, "jobName": job.name, "jobId": job.id}


@operation("TerminateServiceJob")
def terminate(service: Service, request: Members) -> Members:
    """End a job; nothing happens to one that has ended."""
    service.jobs.terminate(service.store.job(request["jobId"]), request["reason"])
    return {}


@operation("TerminateServiceJobs")
def terminate_many(service: Service, request: Members) -> Members:
    """End up to 50 jobs; ids that are not known count as successful."""
    ids = request["jobs"]
    check_count("jobs", ids, MOST_TERMINATED)
    for job_id in ids:
        job = service.store.jobs.get(job_id)
        if job is not None:
            service.jobs.terminate(job, request["reason"])
    return {"successful": ids, "errors": []}


def job_members(job: ServiceJob) -> Members:
    """The members that DescribeServiceJob and ListServiceJobs have in common."""
    members: Members = {
        "jobArn": job.arn,
        "jobId": job.id,
        "jobName": job.name,
        "serviceJobType": job.type,
        "status": job.status,
        "createdAt": job.created_at,
        "quotaShareName": job.share,
        "capacityUsage": [{"capacityUnit": unit, "quantity": float(count)} for unit, count in job.uses.items()],
    }
    optional = {
        "statusReason": job.status_reason,
        "scheduledAt": job.scheduled_at,
        "startedAt": job.started_at,
        "stoppedAt": job.stopped_at,
        "isTerminated": job.is_terminated or None,
    }
    members |= {name: value for name, value in optional.items() if value is not None}
    if job.latest is not None:
        members["latestAttempt"] = {"serviceResourceId": _resource_id(job.latest)}
    return members


def attempt_members(attempt: Attempt) -> Members:
    """One attempt, or one preempted attempt, as DescribeServiceJob gives it."""
    optional = {
        "startedAt": attempt.started_at,
        "stoppedAt": attempt.stopped_at,
        "statusReason": attempt.status_reason,
    }
    return {
        "serviceResourceId": _resource_id(attempt),
        **{name: value for name, value in optional.items() if value is not None},
    }


def preemption_summary(job: ServiceJob) -> Members:
    """How often a job was preempted, and its last preempted attempts, the newest first."""
    recent = [attempt_members(attempt) for attempt in job.preempted]
    return {"preemptedAttemptCount": job.preempted_count, **({"recentPreemptedAttempts": recent} if recent else {})}


def _resource_id(attempt: Attempt) -> Members:
    return {"name": "TrainingJobArn", "value": attempt.training_job_arn}


def _request_problems(request: Members) -> list[str]:
    retry = request.get("retryStrategy", {})
    rules = retry.get("evaluateOnExit", [])
    size = len(request["serviceRequestPayload"].encode())
    timeout = request.get("timeoutConfig", {}).get("attemptDurationSeconds")
    problems = [
        _range_problem("timeoutConfig.attemptDurationSeconds", timeout, 1, None),
    ]
    if size > MAX_PAYLOAD_BYTES:
        problems.append(f"serviceRequestPayload is {size} bytes long, at most {MAX_PAYLOAD_BYTES} are allowed")
    if len(rules) > 5:
        problems.append(f"retryStrategy.evaluateOnExit may have at most 5 entries, got {len(rules)}")
    for index, rule in enumerate(rules):
        pattern = rule.get("onStatusReason", "")
        if len(pattern) > 512 or not pattern.isprintable():
            where = f"retryStrategy.evaluateOnExit[{index}].onStatusReason"
            problems.append(f"{where} may have at most 512 printable characters, got {len(pattern)}")
    return [problem for problem in problems if problem]


def _range_problem(member: str, value: int | None, least: int, most: int | None) -> str | None:
    if value is None or (value >= least and (most is None or value <= most)):
        return None
    allowed = f"at least {least}" if most is None else f"from {least} to {most}"
    return f"{member} must be {allowed}, got {value}"


def _check_queue(service: Service, queue: JobQueue) -> None:
    if not service.store.has_quota_shares(queue):
        raise ClientException(
            f"job queue {queue.name} has no quota shares; the local Batch runs jobs of quota management queues only"
        )
    if queue.state != "ENABLED":
        raise ClientException(f"job queue {queue.name} is DISABLED and takes no new jobs")
    if queue.status not in ("VALID", "UPDATING"):
        raise ClientException(f"job queue {queue.name} must be VALID, its status is {queue.status}")
    environment = service.store.environment_of(queue)
    if environment is None or environment.state != "ENABLED":
        raise ClientException(f"the service environment of job queue {queue.name} is not ENABLED")


def _check_share(service: Service, queue: JobQueue, request: Members) -> None:
    if "shareIdentifier" in request:
        raise ClientException("shareIdentifier is for fair-share queues; a quota management queue needs quotaShareName")
    if "quotaShareName" not in request:
        raise ClientException(f"quotaShareName is missing; job queue {queue.name} has quota shares")
    name = request["quotaShareName"]
    share = service.store.shares.get(quota_share_arn(queue.arn, name))
    if share is None:
        raise ClientException(f"quota share {name} does not exist in job queue {queue.name}")
    if share.state != "ENABLED":
        raise ClientException(f"quota share {name} is DISABLED and takes no new jobs")
    if share.status not in ("VALID", "UPDATING"):
        raise ClientException(f"quota share {name} must be VALID, its status is {share.status}")


def _new_job(service: Service, queue: JobQueue, request: Members) -> ServiceJob:
    timeout = request.get("timeoutConfig", {}).get("attemptDurationSeconds")
    payload = read_payload(request["serviceRequestPayload"], timeout, service.timing.settings.run_seconds)
    retry = request.get("retryStrategy", {})
    number = len(service.store.jobs.all)
    job_id = service.ids.job(number)
    return ServiceJob(
        number=number,
        id=job_id,
        arn=service.store.arns.batch("service-job", job_id),
        name=request["jobName"],
        type=request["serviceJobType"],
        queue_arn=queue.arn,
        share=request["quotaShareName"],
        training_name=payload.name,
        payload=request["serviceRequestPayload"],
        uses=payload.uses,
        run_seconds=payload.run_seconds,
        failure=payload.failure,
        is_refused=payload.is_refused,
        priority=request.get("schedulingPriority"),
        retries_before_termination=request.get("preemptionConfiguration", {}).get("preemptionRetriesBeforeTermination"),
        attempts_allowed=retry.get("attempts", 1),
        evaluate_on_exit=retry.get("evaluateOnExit", []),
        request={
            name: request[name]
            for name in ("retryStrategy", "timeoutConfig", "preemptionConfiguration")
            if name in request
        },
        tags=request.get("tags", {}),
        created_at=service.timing.now(),
    )
