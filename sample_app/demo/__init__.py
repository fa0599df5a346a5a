"""The main job, told step by step on a local cloud: declare, deploy, change, be warned."""
