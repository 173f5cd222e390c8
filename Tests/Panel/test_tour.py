"""The recorded tour shows the current panel."""

import unittest

from Tests.Panel import tour
from Tests.support.project import ROOT


class TourTests(unittest.TestCase):
    def test_its_pictures_say_what_the_page_says(self):
        self.maxDiff = None
        recorded = (ROOT / "docs/tour/panel.txt").read_text(encoding="utf-8")
        self.assertEqual(
            tour.tour(lambda panel, milliseconds: None), recorded, "the panel has changed: record it with 'make tour'")
