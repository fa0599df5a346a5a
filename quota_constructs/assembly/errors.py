"""What can be wrong with a cloud assembly: `AssemblyError`, a `ValueError`."""


class AssemblyError(ValueError):
    """Raised when a cloud assembly is missing, is of a newer schema, or holds something that is not a template."""
