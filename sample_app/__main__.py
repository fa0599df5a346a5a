"""The app that `cdk.json` runs."""

from aws_cdk import App

from sample_app.training_queue_stack import TrainingQueueStack

app = App()
TrainingQueueStack(app, "QuotaDemo")
app.synth()
