"""Tags of the tree reach every resource, and the handler has some of its own: together they must have room."""

import pytest
from aws_cdk import Aws, Tags
from constructs_support import G5, new_queue, new_stack, report_of

from quota_constructs import ShareLifecycle


def tagged(number, **settings):
    """Declare a queue with a share, and put tags on all of the stack."""
    stack = new_stack()
    training = new_queue(stack)
    training.add_share("Vision", capacity_limits={G5: 4}, **settings)
    for index in range(number):
        Tags.of(stack).add(f"key{index}", "value")
    return stack


TOO_MANY = {
    "a managed share": (49, {}, ["a managed share has 49 tags and 2 of the handler, allowed"]),
    "an adopted share": (
        47, {"adopt_existing": True}, ["a managed share has 47 tags and 4 of the handler"]
    ),
    "a native share": (
        51,
        {"lifecycle": ShareLifecycle.NATIVE},
        [f"FATAL {path} has 51 tags, allowed are 50" for path in (
            "Stack/Training",
            "Stack/Training/ServiceEnvironment",
            "Stack/Training/SchedulingPolicy",
            "Stack/Training/Vision",
        )],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOO_MANY)
def test_fails_on_more_tags_of_the_tree_than_there_is_room_for(case):
    number, settings, want = TOO_MANY[case]
    with pytest.raises(RuntimeError, match="QS024") as raised:
        tagged(number, **settings).node.root.synth()
    assert [text for text in want if text not in str(raised.value)] == []


def test_fails_on_a_tag_of_the_tree_that_is_reserved():
    stack = tagged(0)
    Tags.of(stack.node.find_child("Training").node.find_child("Vision")).add("aws:cost", "value")
    with pytest.raises(RuntimeError, match=r"FATAL tag 'aws:cost' of Stack/Training/Vision begins with aws:"):
        stack.node.root.synth()


@pytest.mark.parametrize("lifecycle", ShareLifecycle)
def test_tags_of_the_tree_that_have_room_and_tokens_among_them_pass(lifecycle):
    stack = tagged(47, lifecycle=lifecycle)
    Tags.of(stack).add("region", Aws.REGION)
    assert report_of(stack.node.root) == []
