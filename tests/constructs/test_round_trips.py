"""How often the CDK's Node process is asked: each question costs a fraction of a millisecond, for every share."""

import pytest
from constructs_support import G5, new_queue, new_stack, template_of
from jsii._kernel.providers.process import _NodeProcess

from quota_constructs import ShareLifecycle


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions so far, by kind."""
    questions: list[str] = []
    send = _NodeProcess.send

    def noted(process, request, response_type):
        questions.append(type(request).__name__)
        return send(process, request, response_type)

    monkeypatch.setattr(_NodeProcess, "send", noted)
    return questions


@pytest.mark.parametrize("lifecycle", ShareLifecycle)
def test_a_share_costs_two_constructs_and_one_question(asked, lifecycle):
    """The share, its resource, and the logical id; docs/decisions/0026."""

    def questions(shares):
        asked.clear()
        queue = new_queue(stack := new_stack(), limit=20)
        for number in range(shares):
            queue.add_share(f"Share{number}", capacity_limits={G5: 1}, lifecycle=lifecycle)
        template_of(stack)
        return sorted(asked)

    questions(1)  # asks once a process what never changes
    more = questions(3)
    for question in questions(2):
        more.remove(question)
    assert more == ["CreateRequest", "CreateRequest", "GetRequest"]
