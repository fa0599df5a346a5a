"""The one guard of a stack: a custom resource on which every queue and share of the stack depends."""

from typing import TYPE_CHECKING, cast

import jsii
from aws_cdk import CfnParameter, CfnResource, Fn, IStableStringProducer, Lazy
from constructs import Construct

from quota_constructs import _proposal, _template_check
from quota_constructs._scope import node_of, path_of, place, stack_of
from quota_constructs._tokens import has_token
from quota_constructs._types import TypeChecks
from quota_constructs.change_guard import ChangeGuard, differing_settings, policy_of
from quota_constructs.construct_rules import ONE_GUARD
from quota_constructs.quota_handler import SERVICE_TIMEOUT_SECONDS, QuotaHandler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import Stack
    from constructs import IConstruct

    from quota_constructs._proposal import QueueEntry
    from quota_constructs._queue_shares import QueueShares

_ID = "QuotaGuard"  # part of the logical id of every stack's guard: never change it
_PARAMETER = "QuotaAcknowledge"
CONTEXT = "quota-acknowledge"
_KEPT = "_quota_constructs_guard"  # on the stack, to save a look-up for each share


class QuotaGuard(Construct):
    """Checks a change of queues and shares against the work that runs, before anything of it is made.

    One for each stack, made with the first queue or share. CloudFormation calls it whenever what the stack proposes
    has changed; it refers to none of the resources it guards, so that they can wait for it. `QuotaGuard.of` gives it.

    Args:
        scope: The stack.
        construct_id: Always `QuotaGuard`.
        guard: What to do about each verdict.

    Attributes:
        handler: The function that does the work.
        resource: The custom resource.
    """

    def __init__(self, scope: Construct, construct_id: str, *, guard: ChangeGuard) -> None:
        acknowledged = _acknowledged(cast("Stack", scope))  # before anything is added to the tree
        super().__init__(scope, construct_id)
        self.guard = guard
        self._stack = cast("Stack", scope)
        place(self, scope, construct_id)
        setattr(scope, _KEPT, self)
        self._outermost = _outermost(self._stack)
        self.handler = QuotaHandler.of(self)
        self._entries: dict[str, QueueEntry] = {}
        self._told: dict[str, str] = {}
        self._logical_id = ""
        self.queues: list[QueueShares] = []
        policy = policy_of(guard)
        self._made_with = {
            "ServiceToken": self.handler.service_token,
            "Policy": _proposal.json_text(self._stack, policy),
            "Acknowledge": _acknowledge(acknowledged, self._outermost),
        }
        self.resource = CfnResource(
            self,
            "Resource",
            type="Custom::QuotaGuard",
            properties={
                "ServiceToken": self._made_with["ServiceToken"],
                "ServiceTimeout": SERVICE_TIMEOUT_SECONDS,
                "Proposal": Lazy.string(_ProposalProducer(self)),
                "Policy": self._made_with["Policy"],
                "Acknowledge": self._made_with["Acknowledge"],
            },
        )
        self.handler.serve(self.resource)
        if guard.notify is not None:
            self.resource.node.add_dependency(self.handler.may_publish(guard.notify))
        _template_check.register(self)

    @classmethod
    def of(cls, scope: "IConstruct", guard: ChangeGuard | None = None) -> "QuotaGuard":
        """Give the guard of a construct's stack; make it when there is none yet.

        Args:
            scope: The stack, or any construct in it.
            guard: What to do about each verdict. By default as `ChangeGuard()`, or as the stack's guard has it.

        Raises:
            QuotaConstructError: The stack has a guard with other settings.
            QuotaTypeError: `guard` is no ChangeGuard.
        """
        stack = stack_of(scope)
        checks = TypeChecks(path_of(stack))
        checks.instance("guard", guard, ChangeGuard, optional=True)
        checks.done()
        existing = cast("QuotaGuard | None", getattr(stack, _KEPT, None))
        if existing is None:
            return cls(stack, _ID, guard=guard or ChangeGuard())
        if guard is not None and guard != existing.guard:
            differing = differing_settings(guard, existing.guard)
            if differing:
                raise ONE_GUARD.broken(
                    f"stack has a guard with other settings, got {_told(differing, 0)}, has {_told(differing, 1)}; "
                    "one guard serves a stack: give its queues the same ChangeGuard, or put them into two stacks",
                    path_of(stack),
                )
        return existing

    @staticmethod
    def queues_in(stack: "Stack") -> "Sequence[QueueShares]":
        """Give the queues that a stack has shares of so far; none when it has no guard."""
        existing = cast("QuotaGuard | None", getattr(stack, _KEPT, None))
        return () if existing is None else existing.queues

    def protect(self, resource: CfnResource) -> None:
        """Make a resource wait for the guard.

        Args:
            resource: A resource of the same stack whose change the guard must see first.
        """
        resource.add_resource_dependency(self.resource)

    def entry(self, key: str, make: "QueueEntry") -> "QueueEntry":
        """Give the proposal's entry of a queue; take `make` when there is none yet."""
        return self._entries.setdefault(key, make)

    def proposal(self) -> str:
        """Give the property `Proposal`, with tokens for what is not known yet."""
        rendered = _proposal.Rendered(self._stack, self.resource, list(self._entries.values()))
        self._logical_id, self._told = rendered.guard, rendered.paths
        return _proposal.json_text(self._stack, rendered.document())

    @property
    def declared(self) -> "Mapping[str, str]":
        """Paths of the resources that the guard is told of, by logical id; known once the template is written."""
        return self._told

    @property
    def logical_id(self) -> str:
        """Name of the guard in the template; known once the template is written."""
        return self._logical_id

    @property
    def properties(self) -> "Mapping[str, object]":
        """What the guard was made with, beside its proposal; to be asked once the template is written."""
        return cast("Mapping[str, object]", self._stack.resolve(self._made_with))

    @property
    def stack(self) -> "Stack":
        """The stack."""
        return self._stack

    @property
    def template_files(self) -> tuple[str, str]:
        """Names of two templates: that of the stack which this one is nested in, however deep, and its own."""
        own = self._stack.template_file
        return own if self._outermost is self._stack else self._outermost.template_file, own


@jsii.implements(IStableStringProducer)
class _ProposalProducer:
    """Give the proposal when the template is written, so that shares added later are in it."""

    def __init__(self, guard: QuotaGuard) -> None:
        self._guard = guard

    def produce(self) -> str:
        return self._guard.proposal()


def _told(differing: "Mapping[str, tuple[object, object]]", side: int) -> str:
    """Show one side of settings that differ."""
    sides = {name: values[side] for name, values in differing.items()}
    return ", ".join(f"{name}={'a token' if has_token(value) else repr(value)}" for name, value in sides.items())


def _acknowledged(stack: "Stack") -> str:
    """Give what the context acknowledges: a text, or a list of texts.

    Raises:
        QuotaTypeError: It is something else.
    """
    given = node_of(stack).try_get_context(CONTEXT)
    texts = given if isinstance(given, list) else [given or ""]
    if not all(isinstance(text, str) for text in texts):
        checks = TypeChecks(path_of(stack))
        checks.problem(
            f"context {CONTEXT} has the wrong type, got {given!r} ({type(given).__name__}); give the "
            "acknowledgements as text, separated by commas, or as a list of texts"
        )
        checks.done()
    return ",".join(texts)


def _acknowledge(given: str, top: "Stack") -> str:
    """Join what the context and the stack parameter acknowledge.

    The parameter belongs to the outermost stack, where a deployment can set it.
    """
    parameter = cast("CfnParameter | None", node_of(top).try_find_child(_PARAMETER)) or CfnParameter(
        top,
        _PARAMETER,
        type="String",
        default="",
        description="Acknowledged changes of quota shares, comma-separated, as the guard or the plan printed them",
    )
    if not given:
        return parameter.value_as_string
    return Fn.join(",", [given, parameter.value_as_string])


def _outermost(stack: "Stack") -> "Stack":
    while stack.nested_stack_parent is not None:
        stack = stack.nested_stack_parent
    return stack
