"""CloudWatch metrics of a job queue: the service counts by queue, never by share.

Source: AWS Batch User Guide, "Using CloudWatch Metrics with AWS Batch".
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aws_cdk import Duration
    from aws_cdk.aws_cloudwatch import Metric

_NAMESPACE = "AWS/Batch"


class QueueMetrics:
    """The metrics of a queue, for the constructs that have one."""

    @property
    def job_queue_name(self) -> str:
        """Name of the job queue."""
        raise NotImplementedError

    def metric(
        self,
        metric_name: str,
        *,
        statistic: str = "Sum",
        period: "Duration | None" = None,
        label: str | None = None,
    ) -> "Metric":
        """Give one of the queue's metrics by its official name.

        Args:
            metric_name: For example `JobsSubmitted`.
            statistic: What to take of the values in a period. By default their sum.
            period: By default five minutes.
            label: How graphs call it. By default by its name.
        """
        from aws_cdk.aws_cloudwatch import Metric

        return Metric(
            namespace=_NAMESPACE,
            metric_name=metric_name,
            dimensions_map={"JobQueueName": self.job_queue_name},
            statistic=statistic,
            period=period,
            label=label,
        )

    def metric_jobs_submitted(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that were submitted, a sum."""
        return self.metric("JobsSubmitted", period=period)

    def metric_jobs_moved_to_runnable(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that began to wait for capacity, a sum."""
        return self.metric("JobsMovedToRunnable", period=period)

    def metric_jobs_moved_to_scheduled(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that were given capacity, for the first time or after a preemption, a sum."""
        return self.metric("JobsMovedToScheduled", period=period)

    def metric_jobs_moved_to_running(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that began to run, a sum."""
        return self.metric("JobsMovedToRunning", period=period)

    def metric_jobs_moved_to_succeeded(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that succeeded, a sum."""
        return self.metric("JobsMovedToSucceeded", period=period)

    def metric_jobs_moved_to_failed(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that failed, a sum."""
        return self.metric("JobsMovedToFailed", period=period)

    def metric_jobs_preempted(self, *, period: "Duration | None" = None) -> "Metric":
        """Preemptions of jobs, each counted, a sum."""
        return self.metric("JobsPreempted", period=period)

    def metric_jobs_terminated(self, *, period: "Duration | None" = None) -> "Metric":
        """Jobs that were terminated, a sum."""
        return self.metric("JobsTerminated", period=period)

    def metric_job_submitted_to_first_scheduled_duration(self, *, period: "Duration | None" = None) -> "Metric":
        """Milliseconds from submission to the first capacity, an average."""
        return self.metric("JobSubmittedToFirstScheduledDuration", statistic="Average", period=period)

    def metric_job_attempt_runnable_to_scheduled_duration(self, *, period: "Duration | None" = None) -> "Metric":
        """Milliseconds that an attempt waited for capacity, also after a preemption, an average."""
        return self.metric("JobAttemptRunnableToScheduledDuration", statistic="Average", period=period)

    def metric_job_attempt_scheduled_to_starting_duration(self, *, period: "Duration | None" = None) -> "Metric":
        """Milliseconds from capacity to the start of an attempt, an average."""
        return self.metric("JobAttemptScheduledToStartingDuration", statistic="Average", period=period)

    def metric_job_attempt_execution_duration(self, *, period: "Duration | None" = None) -> "Metric":
        """Milliseconds that an attempt ran, an average."""
        return self.metric("JobAttemptExecutionDuration", statistic="Average", period=period)
