"""The metrics of a queue, by the names and the one dimension the service publishes."""

import pytest
from aws_cdk import Duration
from aws_cdk.aws_cloudwatch import Alarm
from constructs_support import QUEUE_ARN, new_queue, new_stack, only, resources_of

from quota_constructs import QuotaManagedQueue

SUMS = ("jobs_submitted", "jobs_moved_to_runnable", "jobs_moved_to_scheduled", "jobs_moved_to_running",
        "jobs_moved_to_succeeded", "jobs_moved_to_failed", "jobs_preempted", "jobs_terminated")  # fmt: skip
AVERAGES = ("job_submitted_to_first_scheduled_duration", "job_attempt_runnable_to_scheduled_duration",
            "job_attempt_scheduled_to_starting_duration", "job_attempt_execution_duration")  # fmt: skip


@pytest.mark.parametrize("name", [*SUMS, *AVERAGES])
def test_a_metric_is_the_services_own(name):
    queue = QuotaManagedQueue.from_job_queue_arn(new_stack(), "Queue", QUEUE_ARN)
    metric = getattr(queue, f"metric_{name}")()
    assert metric.namespace == "AWS/Batch"
    assert metric.metric_name == name.title().replace("_", "")
    assert metric.dimensions == {"JobQueueName": "training"}
    assert metric.statistic == ("Sum" if name in SUMS else "Average")


def test_a_metric_of_a_declared_queue_makes_an_alarm():
    stack = new_stack()
    queue = new_queue(stack)
    metric = queue.metric("JobsPreempted", statistic="Maximum", period=Duration.hours(1))
    Alarm(stack, "Alarm", metric=metric, threshold=1, evaluation_periods=1)
    alarm = only(resources_of(stack, "AWS::CloudWatch::Alarm"))["Properties"]
    (name,) = resources_of(stack, "AWS::Batch::JobQueue")
    assert (alarm["MetricName"], alarm["Statistic"], alarm["Period"]) == ("JobsPreempted", "Maximum", 3600)
    assert alarm["Dimensions"] == [
        {"Name": "JobQueueName", "Value": {"Fn::Select": [1, {"Fn::Split": ["/", {"Ref": name}]}]}}
    ]
