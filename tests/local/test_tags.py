from __future__ import annotations

from local_support import G5, LEND, Face, Queue, refused, without_metadata


def test_every_kind_of_resource_has_tags(face: Face) -> None:
    queue = Queue(face, shares={"A": ({G5: 1}, LEND)})
    job = face.client.describe_service_job(jobId=queue.submit("A"))["jobArn"]
    environment = queue.arn.replace("job-queue/training", "service-environment/training-environment")
    for arn in (queue.policy_arn, environment, queue.arn, queue.share_arn("A"), job):
        assert without_metadata(face.client.tag_resource(resourceArn=arn, tags={"a": "1", "b": "2"})) == {}
        face.client.tag_resource(resourceArn=arn, tags={"b": "3", "c": ""})
        assert without_metadata(face.client.untag_resource(resourceArn=arn, tagKeys=["a", "not there"])) == {}
        assert face.client.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "3", "c": ""}


def test_fails_for_too_many_tags_and_unknown_resources(face: Face) -> None:
    queue = Queue(face)
    face.client.tag_resource(resourceArn=queue.arn, tags={f"k{n}": "" for n in range(50)})
    assert "at most 50 tags, got 51" in refused(face.client.tag_resource, resourceArn=queue.arn, tags={"one": "more"})
    assert "does not exist" in refused(face.client.list_tags_for_resource, resourceArn=queue.arn + "x")
