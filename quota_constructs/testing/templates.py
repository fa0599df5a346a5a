"""Templates as snapshots: what changes with a release of this library or of the CDK, and means nothing, is replaced."""

import re
from collections.abc import Mapping
from typing import Any

_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_RUNTIME = re.compile(r"^python3\.\d+$")
_BOOTSTRAP = ("BootstrapVersion", "CheckBootstrapVersion")


def scrubbed(template: Mapping[str, Any]) -> dict[str, Any]:
    """Give a template without what changes for no reason of its own.

    Hashes of assets become `<hash>` and Python runtimes `<runtime>`; the CDK's own metadata resource, its bootstrap
    check and the metadata of assets are left out. What is left changes only when the stack does.

    Args:
        template: The template; what `Template.to_json()` gives.

    Returns:
        A new template, for `json.dumps(…, indent=2, sort_keys=True)` or a snapshot library.
    """
    kept = {
        section: _without(members, _BOOTSTRAP)
        for section, members in template.items()
        if section != "Conditions" or set(members) != {"CDKMetadataAvailable"}
    }
    kept["Resources"] = {
        name: resource
        for name, resource in template.get("Resources", {}).items()
        if not (isinstance(resource, Mapping) and resource.get("Type") == "AWS::CDK::Metadata")  # a loop is a list
    }
    cleaned: dict[str, Any] = _clean({section: members for section, members in kept.items() if members})
    return cleaned


def _without(members: Any, names: tuple[str, ...]) -> Any:  # noqa: ANN401  # JSON
    if not isinstance(members, Mapping):
        return members
    return {name: value for name, value in members.items() if name not in names}


def _clean(value: Any) -> Any:  # noqa: ANN401  # JSON
    if isinstance(value, Mapping):
        cleaned = {name: _clean(member) for name, member in value.items() if not str(name).startswith("aws:asset:")}
        return {name: member for name, member in cleaned.items() if name != "Metadata" or member}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, str):
        return "<runtime>" if _RUNTIME.match(value) else _HASH.sub("<hash>", value)
    return value
