"""The pages of the package, as installed. Needs no build."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.support.project import ROOT, load

pages = load("packaging/pages.py")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="deskbell-pages-")))
        # As deb.sh installs them.
        names = subprocess.run(
            ["git", "ls-files", "-z", "Sounds", "board-configs", "Panel", "examples", "kits/python"], cwd=ROOT, check=True,
            stdout=subprocess.PIPE, text=True).stdout.split("\0")
        for name in filter(None, names):
            if not name.startswith("Sounds/") or not name.endswith((".py", ".md")):
                target = cls.root / pages.SHARED / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((ROOT / name).read_bytes())
        subprocess.run([ROOT / "packaging/pages.py", cls.root], check=True)

    def test_no_link_is_dead(self):
        dead, found = [], 0
        for page in pages.pages(self.root):
            for link in pages.links(page.read_text()):
                if not pages.is_elsewhere(link):
                    found += 1
                    target = os.path.normpath(page.parent / link.split("#")[0])
                    if not os.path.exists(target):
                        dead.append(f"{page.relative_to(self.root)}: {link}")
        self.assertEqual(dead, [])
        self.assertGreater(found, 100)

    def test_a_link_to_what_is_not_shipped_becomes_its_text(self):
        page = self.root / pages.DOCUMENTS / "README.md"
        text = "See [the map](ARCHITECTURE.md), [`docs`](docs/README.md), [![a [picture](none.png)](docs/panel.md)."
        self.assertEqual(
            pages.without_dead_links(page, text + "\n```sh\n[x](none)\n```"),
            text.replace("[the map](ARCHITECTURE.md)", "the map").replace("[picture](none.png)", "picture")
            + "\n```sh\n[x](none)\n```")

    def test_nothing_else_of_a_page_changes(self):
        for name in ("README.md", "docs/clients.md"):
            shipped, own = (folder / name for folder in (self.root / pages.DOCUMENTS, ROOT))
            self.assertEqual(
                pages.without_dead_links(self.root / pages.DOCUMENTS / name, own.read_text()), shipped.read_text())
