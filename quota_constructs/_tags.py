"""Tags of queues and shares as they will be: those of `Tags.of` included, and those the handler adds to its shares."""

from typing import TYPE_CHECKING, Any

from quota_constructs._template_values import canonical, document_of
from quota_constructs.errors import ConstructProblem
from quota_scheduler.rules import UNKNOWN
from quota_scheduler.rules.switches import MOST_TAGS, tag_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RULE = "QS024"
_MANAGED = "Custom::QuotaShare"
# Of `quota_handler.ownership`: owner and request; of a share that it took over also what the share was, and whose.
_OWN = 2
_OWN_OF_ADOPTED = 4


def own_tags_problem(where: str, tags: "Mapping[Any, Any]", *, adopt_existing: bool) -> ConstructProblem | None:
    """Say what is wrong when the handler's own tags find no room beside those of a share.

    Args:
        where: The share.
        tags: Its tags, without those of the handler.
        adopt_existing: Whether the share may be taken over.
    """
    own = _OWN_OF_ADOPTED if adopt_existing else _OWN
    if not MOST_TAGS - own < len(tags) <= MOST_TAGS:
        return None
    return ConstructProblem(
        RULE,
        where,
        f"a managed share has {len(tags)} tags and {own} of the handler, allowed are {MOST_TAGS} together; "
        f"drop {len(tags) + own - MOST_TAGS} or use ShareLifecycle.NATIVE",
    )


def rendered_problems(template: "Mapping[str, Any]", declared: "Mapping[str, str]") -> "Iterator[tuple[str, str]]":
    """Find tags that the service would refuse.

    Args:
        template: The template as it was written.
        declared: Paths of the queues, environments, policies and shares of the constructs, by logical id.

    Yields:
        Logical id and message.
    """
    for logical_id, path in declared.items():
        resource = template.get("Resources", {}).get(logical_id)
        if resource is None:
            continue
        tags = _rendered(resource)
        for _, message in tag_problems(path, tags):
            yield logical_id, message
        if resource.get("Type") == _MANAGED:
            adopts = resource["Properties"].get("AdoptExisting") == "true"
            problem = own_tags_problem(path, tags, adopt_existing=adopts)
            if problem is not None:
                yield logical_id, problem.message


def _rendered(resource: "Mapping[str, Any]") -> dict[Any, Any]:
    properties = resource.get("Properties", {})
    if resource.get("Type") != _MANAGED:
        found = canonical(properties.get("Tags"))
    else:
        try:
            found = document_of(properties.get("Share")).get("tags")
        except ValueError:  # overridden, which is said already
            found = None
    tags = found if isinstance(found, dict) else {}
    return {key: UNKNOWN if isinstance(value, tuple) else value for key, value in tags.items()}
