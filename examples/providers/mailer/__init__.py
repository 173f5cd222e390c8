"""A small push provider for a mail service: the program under test in the examples of Deskbell's test bench."""

from mailer.clock import Clock
from mailer.mistakes import MISTAKES
from mailer.provider import Letter, Mailer

__all__ = ["MISTAKES", "Clock", "Letter", "Mailer"]
