"""`make demo`: start the local cloud, tell the story, stop what was started."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from botocore.exceptions import BotoCoreError

from quota_constructs.local import LocalCloud, LocalCloudError
from sample_app.demo.jobs import JobsError
from sample_app.demo.screen import Screen
from sample_app.demo.story import Story, UnexpectedError

FOLDER = Path(".local/demo")


def main() -> int:
    """Run the walkthrough; 0 when every step went as told, 1 when one did not, 2 when it could not start."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the first as well: a parent may have had it ignored
        signal.signal(number, signal.default_int_handler)
    screen = Screen()
    try:
        screen.step("start the local cloud on loopback: CloudFormation, Lambda, S3, IAM and our AWS Batch")
        with LocalCloud() as cloud:
            screen.say(cloud.endpoint_url)
            Story(screen, cloud, FOLDER).tell()
        screen.say(f"the local cloud is stopped; the app with its last edit is in {FOLDER}")
    except KeyboardInterrupt:
        print("\ndemo: stopped; the local cloud is gone and nothing was left running", file=sys.stderr)
        return 130
    except LocalCloudError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except BotoCoreError as error:
        print(f"demo: the local cloud does not answer any more: {error}", file=sys.stderr)
        return 2
    except (UnexpectedError, JobsError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
