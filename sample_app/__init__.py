"""AWS's published example of quota management as a CDK app: one queue, three shares, one of each strategy."""
