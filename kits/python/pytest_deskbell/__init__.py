"""Deskbell's test bench for pytest: the fixture `bell` is a push service with a phone behind it."""

from pytest_deskbell.bell import App, Bell, Board, Fault, Finding
from pytest_deskbell.bench import Bench, BenchError
from pytest_deskbell.clock import Clock
from pytest_deskbell.control import ControlError
from pytest_deskbell.program import Program
from pytest_deskbell.pushes import Push, Pushes
from pytest_deskbell.requests import Request, Requests

__all__ = [
    "App", "Bell", "Bench", "BenchError", "Board", "Clock", "ControlError", "Fault", "Finding", "Program", "Push",
    "Pushes", "Request", "Requests",
]
