"""The command `batch-quota`: one module a command, each loading what it needs when it runs."""
