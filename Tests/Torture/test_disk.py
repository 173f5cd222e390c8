"""The disk after a power cut, from traces written here."""

import random
import tempfile
import unittest
from pathlib import Path

from Tests.Torture.disk import CREATED, HEADER, LINK_MADE, OPENED, RENAMED, SYNCED, SYNC_FAILED, TRUNCATED, WROTE, Disk

SECTORS = 40


class Always:
    """Fixed numbers in place of random ones: all sectors are there, or none; likewise the changes of names."""

    def __init__(self, share):
        self.share = share

    def choice(self, choices):
        return self.share if 0.5 in choices else choices[0]

    def random(self):
        return 0.5

    def randint(self, first, last):
        return last if self.share else first


class Half(random.Random):
    """Random numbers with which each sector of 512 bytes is there or not, independently."""

    def choice(self, choices):
        return 0.5 if 0.5 in choices else choices[0]


class DiskTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.base = self.folder / "base"
        self.base.mkdir()
        (self.base / "old").write_bytes(b"old")
        self.trace = self.folder / "trace"
        self.trace.touch()

    def note(self, kind, file=0, offset=0, data=b""):
        with self.trace.open("ab") as trace:
            trace.write(HEADER.pack(kind, file, offset, len(data)) + data)

    def cut(self, share, **options):
        """Returns the files that are there, with every unsynced sector, or with none."""
        chance = Half(1) if share is None else Always(share)
        disk = Disk(self.base, self.trace, chance, **options)
        disk.play(self.trace.stat().st_size)
        into = Path(tempfile.mkdtemp(dir=self.folder))
        disk.cut(into)
        return {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}

    def test_what_is_synced_is_there_and_the_rest_may_be(self):
        self.note(OPENED, 1, 0, b"old")
        self.note(WROTE, 1, 3, b"er")
        self.note(SYNCED, 1)
        self.note(WROTE, 1, 0, b"NEW")
        self.assertEqual(self.cut(0), {"old": b"older"})
        self.assertEqual(self.cut(1), {"old": b"NEWer"})

    def test_each_sector_by_itself(self):
        self.note(OPENED, 1, 0, b"old")
        self.note(WROTE, 1, 0, b"x" * 4096 * SECTORS)
        found = self.cut(None)["old"]
        sectors = {found[at:at + 512] for at in range(512, len(found), 512)}
        self.assertEqual(sectors, {b"x" * 512, bytes(512)})

    def test_a_disk_that_lies_has_nothing_for_sure(self):
        self.note(OPENED, 1, 0, b"old")
        self.note(WROTE, 1, 0, b"x" * 4096 * SECTORS)
        self.note(SYNCED, 1)
        self.assertNotIn(0, self.cut(None)["old"])
        self.assertEqual(self.cut(None, lies=True), {"old": b"old"})

    def test_a_file_is_cut_or_is_not(self):
        self.note(OPENED, 1, 0, b"old")
        self.note(TRUNCATED, 1, 1)
        self.assertEqual(self.cut(0), {"old": b"old"})
        self.assertEqual(self.cut(1), {"old": b"o"})

    def test_a_new_file_is_there_for_sure_when_its_folder_is_synced(self):
        self.note(CREATED, 1, 0, b"new")
        self.note(WROTE, 1, 0, b"content")
        self.note(SYNCED, 1)
        self.assertEqual(self.cut(0), {"old": b"old"})
        self.assertEqual(self.cut(1), {"old": b"old", "new": b"content"})
        self.note(OPENED, 2, 0, b"")
        self.note(SYNCED, 2)
        self.assertEqual(self.cut(0), {"old": b"old", "new": b"content"})

    def test_a_file_takes_another_ones_place_as_a_whole(self):
        self.note(CREATED, 1, 0, b"new")
        self.note(WROTE, 1, 0, b"content")
        self.note(SYNCED, 1)
        self.note(RENAMED, 0, 0, b"new\0old")
        self.assertEqual(self.cut(0), {"old": b"old"})
        self.assertEqual(self.cut(1), {"old": b"content"})

    def test_what_a_failed_sync_should_have_written_is_not_written_by_the_next(self):
        self.note(OPENED, 1, 0, b"old")
        self.note(WROTE, 1, 0, b"x" * 4096 * SECTORS)
        self.note(SYNC_FAILED, 1)
        self.note(SYNCED, 1)
        self.assertIn(0, self.cut(None)["old"])
        self.assertNotIn(0, self.cut(None, forgets=False)["old"])

    def test_links_and_the_logs_index(self):
        (self.base / "deskbell.sqlite-shm").write_bytes(b"mapped")
        self.note(LINK_MADE, 0, 0, b"link\0old")
        self.assertEqual(self.cut(1), {"old": b"old", "link": b"old"})

    def test_a_record_that_is_cut_short_is_the_end(self):
        self.note(OPENED, 1, 0, b"old")
        with self.trace.open("ab") as trace:
            trace.write(HEADER.pack(WROTE, 1, 0, 100) + b"short")
        self.assertEqual(self.cut(1), {"old": b"old"})
