"""The custom resources behind quota-constructs: the guard of a stack, and quota shares that end where they should."""
