"""Serves a `Custom::QuotaShare`: runs the work and turns what comes of it into an answer."""

from __future__ import annotations

from quota_handler.answer import FAILED, SUCCESS, Answer
from quota_handler.request import CREATE, DELETE, FAILED_CREATE
from quota_handler.responder import log
from quota_handler.share_access import OutOfTimeError, ShareAccess, SupersededError
from quota_handler.share_ending import ShareError
from quota_handler.share_resource import Outcome, ShareResource
from quota_handler.share_spec import SpecError
from quota_handler.stack_phase import Phase, phase_of
from quota_live.errors import LiveError, UnsupportedSdkError
from quota_live.stack import read_stack_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from quota_handler.request import Request
    from quota_live.clients import Clients


class ShareWork:
    """Serves one request for a share.

    Args:
        request: what CloudFormation asks for.
        clients: of the account.
        seconds_left: how much time there still is.
        is_answered: whether an answer was given already.
        sleep: waits for that many seconds.
    """

    def __init__(
        self,
        request: Request,
        clients: Clients,
        *,
        seconds_left: Callable[[], float],
        is_answered: Callable[[], bool],
        sleep: Callable[[float], None],
    ) -> None:
        self._request = request
        self._clients = clients
        self._seconds_left = seconds_left
        self._is_answered = is_answered
        self._sleep = sleep
        self._progress: list[str] = []

    def serve(self) -> Answer:
        """Answer the request."""
        phase = self._phase()
        try:
            outcome = self._do(phase)
        except ShareError as error:
            return self._failure(error.lines)
        except OutOfTimeError as error:
            return self.out_of_time(str(error))
        except (SpecError, SupersededError, LiveError, UnsupportedSdkError) as error:
            return self._failure((f"share {self._request.logical_id}: {error}{self._so_far()}",))
        for note in outcome.notes:
            log("share", note=note, arn=outcome.arn)
        return self._success(outcome)

    def _do(self, phase: Phase) -> Outcome:
        """Do what is asked for, and take it back if CloudFormation turned back meanwhile."""
        if self._request.request_type == DELETE:
            late = Phase.ROLLBACK if phase is Phase.BACK else phase
            return ShareResource(self._request, late, self._access(self._check_unanswered)).delete()
        creates = self._request.request_type == CREATE
        if phase is Phase.BACK or (creates and phase not in (Phase.FORWARD, Phase.UNKNOWN)):
            raise SupersededError(f"CloudFormation does not wait for this any more (stack: {phase.value})")
        resource = ShareResource(self._request, phase, self._access(lambda: self._check_wanted(phase)))
        try:
            outcome = resource.create_or_update()
            if self._progress:
                self._check_wanted(phase)
        except SupersededError as error:
            if self._is_answered() or not self._progress:
                raise
            back = ShareResource(self._request, phase, self._access(self._check_unanswered))
            raise SupersededError(f"{error}; {'; '.join(back.step_back()) or 'nothing is left of it'}") from error
        return outcome

    def _access(self, check_wanted: Callable[[], None]) -> ShareAccess:
        return ShareAccess(self._clients.batch, self._seconds_left, check_wanted, self._sleep, self._progress)

    def out_of_time(self, why: str) -> Answer:
        """Fail because time ran out, and say how far it came.

        Args:
            why: what it was waiting for.
        """
        logical_id = self._request.logical_id
        first = f"share {logical_id}: time ran out, {why}{self._so_far()}; deploy again, it goes on from there"
        return self._failure((first,))

    def _so_far(self) -> str:
        return f" (so far: {', '.join(self._progress)})" if self._progress else ""

    def _success(self, outcome: Outcome) -> Answer:
        if self._request.request_type == DELETE:
            return Answer(SUCCESS, outcome.arn, outcome.notes)
        name = outcome.arn.rpartition("/")[2]
        return Answer(SUCCESS, outcome.arn, outcome.notes, {"QuotaShareArn": outcome.arn, "QuotaShareName": name})

    def _failure(self, lines: tuple[str, ...]) -> Answer:
        if self._request.request_type == CREATE:
            return Answer(FAILED, f"{FAILED_CREATE}{self._request.request_id}", lines)
        return Answer(FAILED, self._request.physical_id or self._request.logical_id, lines)

    def _phase(self) -> Phase:
        try:
            return phase_of(read_stack_status(self._clients, self._request.stack_id))
        except LiveError as error:
            log("share", note=f"the stack's status could not be read: {error}")
            return Phase.UNKNOWN

    def _check_wanted(self, began_in: Phase) -> None:
        """Refuse a change that CloudFormation does not wait for any more.

        Raises:
            SupersededError: the answer is given, or the stack turned back after this request began.
        """
        self._check_unanswered()
        if began_in is Phase.FORWARD and self._phase() not in (Phase.FORWARD, Phase.UNKNOWN):
            raise SupersededError("CloudFormation does not wait for this change any more")

    def _check_unanswered(self) -> None:
        if self._is_answered():
            raise SupersededError("the request was answered already")
