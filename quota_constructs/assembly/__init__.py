"""Templates of a cloud assembly, and what they propose for the queues they declare.

Reads files and values only: no account, no CDK. Deciding what a proposal means for running work is left to
`quota_scheduler`, finding the live resources to `quota_live`.
"""

from quota_constructs.assembly.cloud_assembly import StackTemplate, read_assembly
from quota_constructs.assembly.errors import AssemblyError
from quota_constructs.assembly.proposals import (
    Hole,
    Proposed,
    proposal_of,
    proposal_of_stack,
)
from quota_constructs.assembly.scopes import exports_of, scope_of
from quota_constructs.assembly.values import Reference, Unknown

__all__ = [
    "AssemblyError",
    "Hole",
    "Proposed",
    "Reference",
    "StackTemplate",
    "Unknown",
    "exports_of",
    "proposal_of",
    "proposal_of_stack",
    "read_assembly",
    "scope_of",
]
