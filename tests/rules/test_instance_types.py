"""The instance type table: in step with botocore, complete for accelerated families, and helpful with slips."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quota_scheduler.instance_types import GPUS, KNOWN, accelerators, suggest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def generator() -> "ModuleType":
    spec = importlib.util.spec_from_file_location("generate_instance_types", ROOT / "tools/generate_instance_types.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table_is_in_step_with_botocore(generator: "ModuleType") -> None:
    types = generator.training_instance_types()
    assert (ROOT / "lambda/quota_scheduler/instance_types_data.py").read_text(encoding="utf-8") == generator.render(
        types
    ), "run python tools/generate_instance_types.py"


def test_every_type_of_an_accelerated_family_has_a_count(generator: "ModuleType") -> None:
    assert generator.without_count(tuple(KNOWN)) == []


def test_fails_to_generate_a_new_accelerated_type_without_a_count(generator: "ModuleType") -> None:
    assert generator.without_count(("ml.p9.48xlarge", "ml.m9.large", "ml.g5.xlarge")) == ["ml.p9.48xlarge"]


def test_counts_are_only_kept_for_known_types() -> None:
    assert set(GPUS) <= KNOWN
    assert len(KNOWN) == 225


@pytest.mark.parametrize(
    ("instance_type", "want"),
    [
        ("ml.p2.xlarge", 1),
        ("ml.p2.16xlarge", 16),
        ("ml.p3.8xlarge", 4),
        ("ml.p3dn.24xlarge", 8),
        ("ml.p4d.24xlarge", 8),
        ("ml.p5.4xlarge", 1),
        ("ml.p6-b300.48xlarge", 8),
        ("ml.p6e-gb200.36xlarge", 4),
        ("ml.g4dn.12xlarge", 4),
        ("ml.g4dn.16xlarge", 1),
        ("ml.g5.16xlarge", 1),
        ("ml.g5.48xlarge", 8),
        ("ml.g6e.24xlarge", 4),
        ("ml.g7.12xlarge", 2),
        ("ml.g7e.48xlarge", 8),
        ("ml.trn1.32xlarge", 16),
        ("ml.trn2.48xlarge", 16),
        ("ml.m5.large", None),
        ("ml.p9.48xlarge", None),
    ],
)
def test_accelerators(instance_type: str, want: int | None) -> None:
    assert accelerators(instance_type) == want


@pytest.mark.parametrize(
    ("written", "want"),
    [
        pytest.param("ml.p4d.24xlarge", None, id="a known name needs no suggestion"),
        pytest.param("p4d.24xlarge", "ml.p4d.24xlarge", id="the name of the EC2 type"),
        pytest.param("ML.G5.XLARGE", "ml.g5.xlarge", id="capitals"),
        pytest.param(" ml.g5.xlarge ", "ml.g5.xlarge", id="blanks"),
        pytest.param("ml.p4d.24xlrage", "ml.p4d.24xlarge", id="letters swapped"),
        pytest.param("ml.p4.24xlarge", "ml.p4d.24xlarge", id="a letter missing"),
        pytest.param("ml.g5-xlarge", "ml.g5.xlarge", id="another separator"),
        pytest.param("ml.p4d24xlarge", "ml.p4d.24xlarge", id="a dot missing"),
        pytest.param("ml.p9.48xlarge", None, id="a generation to come"),
        pytest.param("ml.p7.48xlarge", None, id="a generation to come, near another class"),
        pytest.param("ml.trn3.48xlarge", None, id="a generation to come, near two others"),
        pytest.param("NUM_INSTANCES", None, id="not a type at all"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_suggest(written: str, want: str | None) -> None:
    assert suggest(written) == want
