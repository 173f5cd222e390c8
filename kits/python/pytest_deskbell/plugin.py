"""The plugin: the fixture `bell`, the report of a failure, and the faults that never struck."""

from collections.abc import Generator
from typing import Any

import pytest

from pytest_deskbell.bell import Bell, Findings
from pytest_deskbell.bench import Bench, BenchError
from pytest_deskbell.report import sections
from pytest_deskbell.requests import Count, Statuses

BELL = pytest.StashKey[Bell]()


@pytest.fixture(scope="session")
def deskbell_bench() -> Generator[Bench]:
    """The bench of this session; with pytest-xdist each worker has one."""
    problem = ""
    try:
        bench = Bench.start()
    except BenchError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)
    yield bench
    bench.stop()


@pytest.fixture
def bell(deskbell_bench: Bench, request: pytest.FixtureRequest) -> Generator[Bell]:
    """A push service with a phone behind it, as new."""
    bell = request.node.stash[BELL] = Bell(deskbell_bench)
    yield bell
    for program in bell.programs:
        program.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fails a test whose faults did not strike: it did not test what it says."""
    result = yield
    bell = item.stash.get(BELL, None)
    unfired = bell.unfired() if bell else []
    if unfired:
        names = "\n".join(f"  {fault!r}" for fault in unfired)
        pytest.fail(
            f"a fault was armed and never struck, so the test did not test it:\n{names}\n"
            "Is its scope right? Did the provider send enough? may_miss=True allows it.", pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]",
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what the bench knows to the report of a failure."""
    report = yield
    bell = item.stash.get(BELL, None)
    if bell and report.failed and call.when != "teardown":
        report.sections.extend(sections(bell))
    return report


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explains comparisons with what came."""
    if op != "==":
        return None
    if isinstance(left, Count):
        return left.explain(right)
    if isinstance(left, Statuses | Findings) and isinstance(right, list | tuple):
        return left.explain(right)
    return None
