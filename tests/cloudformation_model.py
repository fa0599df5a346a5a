"""A small model of what CloudFormation does with custom resources, for the sweep of faults.

Each transition names its source in the Template Reference (TR), the user guide (UG), the CDK's README of custom
resources (README) or public reports of its behaviour (the issue's repository and number). It sends the events that
the local cloud does not send: a Delete after a failed Create, with the id that was returned or an invented one, and
a rollback while a cancelled update still runs.
"""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from handler_support import (
    STACK_ID,
    Account,
    Context,
    KilledError,
    event,
    guard_properties,
    proposal,
    share_properties,
)

from quota_handler.handler import Surroundings, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GUARD = "Custom::QuotaGuard"
SHARE = "Custom::QuotaShare"
DELETE_TRIES = 3


@dataclass(frozen=True)
class Template:
    """What a stack declares: shares on an imported queue by logical id, and the guard in front of them.

    Args:
        shares: members of `share_properties` for each logical id.
        acknowledge: what the deployment carries.
        policy: of the guard.
        fails_later: a resource behind the shares fails, so that everything rolls back.
    """

    shares: Mapping[str, Mapping[str, Any]]
    acknowledge: str = ""
    policy: Mapping[str, Any] = field(default_factory=dict)
    fails_later: bool = False

    def properties(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Type and properties of each resource, in the order of their dependencies."""
        declared = {
            logical_id: {
                "name": members.get("name", "QS1"),
                "limit": members.get("limit", 1),
                "state": members.get("state", "ENABLED"),
                "on_removal": members.get("on_removal", "REFUSE_IF_BUSY"),
                "logical_id": logical_id,
            }
            for logical_id, members in self.shares.items()
        }
        guard = guard_properties(proposal(declared, imported=True), self.policy, self.acknowledge)
        resources: dict[str, tuple[str, dict[str, Any]]] = {"Guard": (GUARD, guard)}
        for logical_id, members in self.shares.items():
            resources[logical_id] = (SHARE, share_properties(**members))
        return resources


EMPTY = Template({})


@dataclass
class Resource:
    """A resource of the stack as CloudFormation knows it."""

    resource_type: str
    physical_id: str
    properties: dict[str, Any]


@dataclass
class CloudFormation:
    """One stack in one account.

    Args:
        account: with the queue.
        before_answer: is called with each event once its handler is done; raising `KilledError` loses the answer.
        deliveries: how often each event is delivered. UG: Lambda delivers asynchronously, at least once.
    """

    account: Account
    before_answer: Callable[[dict[str, Any]], None] = lambda made: None
    deliveries: int = 1
    resources: dict[str, Resource] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    status: str = ""
    requests: int = 0
    cancel_at: int = 0
    cancelled: bool = False

    def deploy(self, template: Template) -> str:
        """Create or update the stack; give its status at the end."""
        wanted = template.properties()
        is_update = bool(self.status) and not self.status.startswith(("ROLLBACK", "DELETE"))
        before = {name: Resource(**vars(resource)) for name, resource in self.resources.items()}
        self._enter("UPDATE_IN_PROGRESS" if is_update else "CREATE_IN_PROGRESS")
        attempted: list[str] = []
        failed = False
        self._cancel_before = len(self.account.calls) + self.cancel_at
        for logical_id, (resource_type, properties) in wanted.items():
            known = self.resources.get(logical_id)
            if known is not None and known.properties == properties:
                continue  # no Update without a difference of the resource's own properties (coverage-roadmap 1112)
            attempted.append(logical_id)
            failed = not self._forward(logical_id, resource_type, properties, known, before, attempted)
            self.account.hooks.clear()
            if failed or self.cancelled:
                break
        if self.cancelled:
            self.cancelled = False
            return self.status
        if failed or template.fails_later:
            return self._roll_back(before, attempted, is_update)
        return self._clean_up(before, wanted, is_update)

    def delete(self) -> str:
        """Delete the stack: dependents first. UG: a Delete that fails leaves the stack in DELETE_FAILED."""
        self._enter("DELETE_IN_PROGRESS")
        gone = True
        for logical_id in reversed(list(self.resources)):
            resource = self.resources[logical_id]
            answer = self._send("Delete", logical_id, resource.resource_type, resource.properties, resource.physical_id)
            if answer is not None and answer["Status"] == "SUCCESS":
                del self.resources[logical_id]
            else:
                gone = False
                break
        return self._enter("DELETE_COMPLETE" if gone else "DELETE_FAILED")

    def _forward(
        self,
        logical_id: str,
        resource_type: str,
        properties: dict[str, Any],
        known: Resource | None,
        before: dict[str, Resource],
        attempted: list[str],
    ) -> bool:
        """Create or update one resource; tell whether it went well."""
        if self.cancel_at:
            self._cancel_during_the_next_event(logical_id, resource_type, properties, known, before, attempted)
        if known is None:
            answer = self._send("Create", logical_id, resource_type, properties)
            if self.cancelled:
                return True
            invented = f"ml-{logical_id}-1ABCDEFGHIJKL"  # no answer: coverage-roadmap 1814, README
            self.resources[logical_id] = Resource(
                resource_type, answer["PhysicalResourceId"] if answer else invented, properties
            )
        else:
            answer = self._send("Update", logical_id, resource_type, properties, known.physical_id, known.properties)
            if self.cancelled:
                return True
            if answer is not None and answer["Status"] == "SUCCESS":  # another id is a replacement: TR
                self.resources[logical_id] = Resource(resource_type, answer["PhysicalResourceId"], properties)
        return answer is not None and answer["Status"] == "SUCCESS"

    def _roll_back(self, before: dict[str, Resource], attempted: list[str], is_update: bool) -> str:
        """Go back. README: what was attempted gets an Update with the properties swapped, the failed one too."""
        if not is_update:
            self._enter("ROLLBACK_IN_PROGRESS")
            for logical_id in reversed(attempted):
                if not self._delete_in_rollback(logical_id):
                    self._enter("ROLLBACK_FAILED")
                    self.delete()  # UG: nothing but a deletion is left
                    return self.status
            return self._enter("ROLLBACK_COMPLETE")
        self._enter("UPDATE_ROLLBACK_IN_PROGRESS")
        for logical_id in [name for name in attempted if name in before]:
            while not self._revert(logical_id, before[logical_id]):
                self._enter("UPDATE_ROLLBACK_FAILED")
                self._enter("UPDATE_ROLLBACK_IN_PROGRESS")  # UG: continue update rollback tries it again
        self._enter("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
        for logical_id in [name for name in attempted if name not in before]:
            self._delete_with_retries(logical_id, self.resources.pop(logical_id))
        return self._enter("UPDATE_ROLLBACK_COMPLETE")

    def _revert(self, logical_id: str, before: Resource) -> bool:
        now = self.resources[logical_id]
        tried = self._tried.get(logical_id, now.properties)
        answer = self._send("Update", logical_id, now.resource_type, before.properties, now.physical_id, tried)
        if answer is None or answer["Status"] != "SUCCESS":
            return False
        replaced = now.physical_id if answer["PhysicalResourceId"] != now.physical_id else None
        self.resources[logical_id] = Resource(now.resource_type, answer["PhysicalResourceId"], before.properties)
        if replaced is not None:
            self._enter("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
            self._delete_with_retries(logical_id, Resource(now.resource_type, replaced, tried))
            self._enter("UPDATE_ROLLBACK_IN_PROGRESS")
        return True

    def _clean_up(self, before: dict[str, Resource], wanted: Mapping[str, Any], is_update: bool) -> str:
        """Delete what is gone or replaced. TR: with the old id, after everything else."""
        if not is_update:
            return self._enter("CREATE_COMPLETE")
        self._enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        for logical_id, old in before.items():
            if logical_id not in wanted:
                self._delete_with_retries(logical_id, self.resources.pop(logical_id))
            elif self.resources[logical_id].physical_id != old.physical_id:
                self._delete_with_retries(logical_id, old)
        return self._enter("UPDATE_COMPLETE")

    def _delete_with_retries(self, logical_id: str, resource: Resource) -> None:
        """Coverage-roadmap 744: three tries, then it is dropped from the stack, alive."""
        for _ in range(DELETE_TRIES):
            answer = self._send("Delete", logical_id, resource.resource_type, resource.properties, resource.physical_id)
            if answer is not None and answer["Status"] == "SUCCESS":
                return

    def _delete_in_rollback(self, logical_id: str) -> bool:
        resource = self.resources[logical_id]
        answer = self._send("Delete", logical_id, resource.resource_type, resource.properties, resource.physical_id)
        if answer is None or answer["Status"] != "SUCCESS":
            return False
        del self.resources[logical_id]
        return True

    def _cancel_during_the_next_event(
        self,
        logical_id: str,
        resource_type: str,
        properties: dict[str, Any],
        known: Resource | None,
        before: dict[str, Resource],
        attempted: list[str],
    ) -> None:
        """Let another resource fail while the handler of this one runs: the rollback does not wait (aws-cdk 31541)."""

        def roll_back(service: str, operation: str) -> None:
            if self.cancelled or len(self.account.calls) != self._cancel_before:
                return
            self.cancelled = True
            self.cancel_at = 0
            invented = f"ml-{logical_id}-1ABCDEFGHIJKL"
            if known is None:
                self.resources[logical_id] = Resource(resource_type, invented, properties)
            is_update = self.status.startswith("UPDATE")
            self._roll_back(before, list(attempted), is_update)

        self.account.hooks[:] = [roll_back]

    def __post_init__(self) -> None:
        self._tried: dict[str, dict[str, Any]] = {}
        self._cancel_before = 0

    def _enter(self, status: str) -> str:
        self.status = status
        self.account.set_status(status)
        self.account.resources[STACK_ID] = [
            {
                "LogicalResourceId": name,
                "PhysicalResourceId": resource.physical_id,
                "ResourceType": resource.resource_type,
                "ResourceStatus": "UPDATE_COMPLETE",
            }
            for name, resource in self.resources.items()
        ]
        return status

    def _send(
        self,
        request_type: str,
        logical_id: str,
        resource_type: str,
        properties: dict[str, Any],
        physical_id: str | None = None,
        old: dict[str, Any] | None = None,
    ) -> dict[str, Any] | None:
        """Send an event and wait; None if no answer came before the service time-out."""
        self.requests += 1
        if request_type == "Update":
            self._tried[logical_id] = properties
        made = event(
            request_type,
            properties,
            old,
            physical_id=physical_id,
            logical_id=logical_id,
            request_id=f"request-{self.requests}",
            resource_type=resource_type,
        )
        answers: list[dict[str, Any]] = []
        for _ in range(self.deliveries):
            answer = self._serve(made)
            if answer is not None:
                answers.append(answer)
        if not answers:
            self.account.batch.advance(660)  # the service time-out
            return None
        return answers[0]

    def _serve(self, made: dict[str, Any]) -> dict[str, Any] | None:
        puts: list[dict[str, Any]] = []
        world = Surroundings(
            lambda: self.account.clients,
            lambda url, body: puts.append(json.loads(body)),
            self.account.batch.advance,
            self.account.batch.now,
        )
        output = StringIO()
        try:
            with redirect_stdout(output):
                serve(made, Context(self.account), world)
            self.before_answer(made)
        except KilledError:
            return None
        finally:
            self.said.append(output.getvalue())
        (answer,) = puts
        self.said.append(answer["Reason"])
        return answer
