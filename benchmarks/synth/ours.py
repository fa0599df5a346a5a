"""A queue with 20 shares of 5 limits, with the constructs."""

import sys

from aws_cdk import App, Stack

from quota_constructs import QuotaManagedQueue, ShareLifecycle

TYPES = ["ml.g5.xlarge", "ml.g5.2xlarge", "ml.g5.4xlarge", "ml.g5.8xlarge", "ml.g5.12xlarge"]


def build(outdir: str, lifecycle: str) -> None:
    """Synthesize into a folder."""
    app = App(outdir=outdir, builtin_cloud_formation_validation=False)
    stack = Stack(app, "Bench")
    queue = QuotaManagedQueue(stack, "Training", capacity_limits=dict.fromkeys(TYPES, 40))
    for n in range(20):
        queue.add_share(
            f"Share{n}", capacity_limits=dict.fromkeys(TYPES, 2), lifecycle=ShareLifecycle[lifecycle.upper()]
        )
    app.synth()


if __name__ == "__main__":
    build(*sys.argv[1:])
