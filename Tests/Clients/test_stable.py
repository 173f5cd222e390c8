"""What is promised until 2.0: the program has all of it, and the comparison finds what is missing. docs/stability.md is
the promise, Tests/Released/stable its recorded form."""

import functools
import re
import unittest

from Tests.Released import files, forms, installed
from Tests.Released.promise import added, broken, deprecated, unannounced
from Tests.Released.released import is_released
from Tests.support.project import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
VERSION = re.search(
    r'static let version = "(.*)"', (ROOT / "Sources/Daemon/Composition/Daemon.swift").read_text())[1]
ROUTE = {"GET /v1/state": {
    "parameter": {"name": "string", "handset!": "string"},
    "request's key": {"mode": "'day' | 'night'", "limit": "integer", "range": {"from": "integer"}},
    "answer": {"200": "'application/json'"},
    "answer's key": {"badge!": "integer", "lamp": "'on' | 'off'",
                     "devices!": {"[]": {"name!": "string", "problem": "string"}}, "more": {"*": "string | null"}},
    "exit code": [0, 1]}}


def changed(noun, **names):
    """Returns the made-up route with a noun's names changed; None takes a name away."""
    route = ROUTE["GET /v1/state"]
    return {"GET /v1/state": route | {noun: {
        name: tree for name, tree in (route[noun] | names).items() if tree is not None}}}


class ComparisonTests(unittest.TestCase):
    maxDiff = None

    def assert_broken(self, present, *sentences):
        self.assertEqual(broken(ROUTE, present), [f"GET /v1/state: the {sentence}" for sentence in sentences])

    def test_the_same_form_keeps_every_promise(self):
        self.assert_broken(ROUTE)
        self.assertEqual(added(ROUTE, ROUTE), [])

    def test_what_is_gone_is_named(self):
        self.assertEqual(broken(ROUTE, {}), ["GET /v1/state is gone; it is promised until 2.0"])
        self.assert_broken(changed("answer's key", **{"badge!": None}),
                           "answer's key 'badge' is gone; it is promised until 2.0")
        self.assert_broken(changed("answer's key", lamp=None), "answer's key 'lamp' is gone; it is promised until 2.0")
        self.assert_broken(changed("answer's key", **{"devices!": {"[]": {"name!": "string"}}}),
                           "answer's key 'devices[].problem' is gone; it is promised until 2.0")
        self.assert_broken(changed("request's key", range={}),
                           "request's key 'range.from' is gone; it is promised until 2.0")
        self.assert_broken({"GET /v1/state": {
            noun: names for noun, names in ROUTE["GET /v1/state"].items() if noun not in ("parameter", "answer")}},
            "parameter 'name' is gone; it is promised until 2.0",
            "parameter 'handset' is gone; it is promised until 2.0",
            "answer '200' is gone; it is promised until 2.0")

    def test_a_changed_type_is_named(self):
        self.assert_broken(changed("answer's key", **{"badge!": "string"}),
                           "answer's key 'badge' was integer and is string; its type is promised until 2.0")
        self.assert_broken(changed("answer's key", **{"badge!": "integer | null"}),
                           "answer's key 'badge' was integer and is integer | null; its type is promised until 2.0")
        self.assert_broken(changed("answer's key", **{"badge!": {"shown": "integer"}}),
                           "answer's key 'badge' was integer and is an object; its type is promised until 2.0")
        self.assert_broken(changed("answer's key", **{"devices!": "string"}),
                           "answer's key 'devices' was an object and is string; its type is promised until 2.0")
        self.assert_broken(changed("answer's key", more={"*": "string"}),
                           "answer's key 'more.*' was string | null and is string; its type is promised until 2.0")
        self.assert_broken(changed("request's key", limit="string"),
                           "request's key 'limit' was integer and is string; its type is promised until 2.0")

    def test_a_word_that_is_gone_is_named(self):
        self.assert_broken(changed("answer's key", lamp="'on'"),
                           "answer's key 'lamp' has no 'off' any more, promised until 2.0")
        self.assert_broken(changed("request's key", mode="'day' | 'dusk'"),
                           "request's key 'mode' has no 'night' any more, promised until 2.0")

    def test_what_is_newly_required_is_named(self):
        self.assert_broken(changed("request's key", **{"limit": None, "limit!": "integer"}),
                           "request's key 'limit' is required now; until 2.0 it may be left out")
        self.assert_broken(changed("request's key", **{"team!": "string"}),
                           "request's key 'team' is new and required; until 2.0 a new one may be left out")
        self.assert_broken(changed("request's key", range={"from": "integer", "to!": "integer"}),
                           "request's key 'range.to' is new and required; until 2.0 a new one may be left out")
        self.assert_broken({"GET /v1/state": ROUTE["GET /v1/state"] | {"option": {"--team!": "value"}}},
                           "option '--team' is new and required; until 2.0 a new one may be left out")

    def test_a_key_that_may_be_absent_now_is_named(self):
        self.assert_broken(changed("answer's key", **{"badge!": None, "badge": "integer"}),
                           "answer's key 'badge' may be absent now; it is promised to be there until 2.0")

    def test_exit_codes_are_all_there_are(self):
        self.assert_broken({"GET /v1/state": ROUTE["GET /v1/state"] | {"exit code": [0, 1, 4]}},
                           "exit code '4' is new; until 2.0 there are no others than 0, 1")
        self.assert_broken({"GET /v1/state": ROUTE["GET /v1/state"] | {"exit code": [0]}},
                           "exit code '1' is gone; it is promised until 2.0")

    def test_additions_pass_and_are_listed(self):
        """New subjects, nouns, names and words; what is taken may have more types, and need less."""
        route = ROUTE["GET /v1/state"]
        present = {"GET /v1/new": {}, "GET /v1/state": route | {
            "parameter": {"name": "string", "handset": "string", "since": "integer"},
            "request's key": {"mode": "string", "limit": "integer | string",
                              "range": {"from": "integer", "to": "integer"}},
            "answer's key": route["answer's key"] | {
                "lamp": "'on' | 'off' | 'dim'", "sound!": "string",
                "devices!": {"[]": {"name!": "string", "problem!": "string", "since": "integer"}}},
            "header": {"Retry-After": "integer"}}}
        self.assertEqual(broken(ROUTE, present), [])
        self.assertEqual(added(ROUTE, present), [
            "GET /v1/new", "GET /v1/state: parameter: since", "GET /v1/state: request's key: mode: string",
            "GET /v1/state: request's key: limit: string", "GET /v1/state: request's key: range: to",
            "GET /v1/state: answer's key: lamp: 'dim'", "GET /v1/state: answer's key: devices: []: since",
            "GET /v1/state: answer's key: sound", "GET /v1/state: header"])


class AnnouncementTests(unittest.TestCase):
    GONE = broken(ROUTE, changed("answer's key", **{"badge!": None}))
    LISTED = "### Deprecated\n\n- `GET /v1/state: the answer's key 'badge'`: use `count`.\n"

    def sections(self, two_zero="", one_nine="", one_eight=""):
        return f"# Changes\n\n## 2.0.0\n\n{two_zero}\n## 1.9.0\n\n{one_nine}\n## 1.8.0\n\n{one_eight}\n"

    def test_two_releases_before_2_0_it_is_listed(self):
        for listed, passes in (({}, False), ({"two_zero": self.LISTED}, False), ({"one_nine": self.LISTED}, False),
                               ({"one_eight": self.LISTED}, True)):
            with self.subTest(listed=list(listed)):
                changelog = self.sections(**listed)
                self.assertEqual(unannounced(self.GONE, changelog, "2.0.0"), [] if passes else self.GONE)
                self.assertEqual(unannounced(self.GONE, changelog, "1.10.0"), self.GONE)

    def test_only_what_is_listed(self):
        found = broken(ROUTE, changed("answer's key", **{"badge!": None, "lamp": None}))
        self.assertEqual(unannounced(found, self.sections(one_eight=self.LISTED), "2.0.0"), [
            "GET /v1/state: the answer's key 'lamp' is gone; it is promised until 2.0"])

    def test_the_page_lists_the_same_of_what_there_is(self):
        listed = [name for section in deprecated(CHANGELOG) for name in section]
        page = (ROOT / "docs/stability.md").read_text()
        self.assertEqual("Deprecated now: nothing." in page, not listed)
        subjects = {subject for name in forms.FORMS for subject in forms.read(name)}
        for name in listed:
            self.assertIn(f"`{name}`", page)
            self.assertIn(name.split(": the ")[0], subjects)


@functools.cache
def present(name):
    """Returns the program's form."""
    return forms.FORMS[name]()


class StableTests(unittest.TestCase):
    maxDiff = None

    def test_every_promise_is_kept(self):
        for name in forms.FORMS:
            with self.subTest(form=name):
                promised = forms.read(name)
                self.assertGreater(len(promised), 0)
                self.assertEqual("\n".join(unannounced(broken(promised, present(name)), CHANGELOG, VERSION)), "")

    def test_every_key_in_a_file_is_accepted(self):
        """Apart from files of this machine that the sample names."""
        for name, sample in forms.read("documents").items():
            with self.subTest(file=name):
                errors = files.errors(sample["file"], sample["document"])
                self.assertEqual([error for error in errors if not re.search("cannot be (read|used)", error)], [])

    def test_a_display_or_lamp_without_a_document_is_not_recorded(self):
        for kind in ("display max7219", "lamp apa102"):
            recorded = forms.read("files")
            self.assertEqual(forms.without_sample(recorded), [])
            del recorded[kind]
            self.assertEqual(forms.without_sample(recorded), [f"documents.json has no '{kind}'"])

    def test_each_document_is_recorded(self):
        documents, recorded = forms.read("documents"), forms.read("files")
        self.assertEqual(forms.unequal(documents, recorded), [])
        del documents["lamp rgb"], recorded["lamp apa102"]
        self.assertEqual(forms.unequal(documents, recorded), [
            "documents.json has no 'lamp rgb'", "files.json has no 'lamp apa102'"])

    def test_each_document_has_every_key(self):
        documents, recorded = forms.read("documents"), forms.read("files")
        self.assertEqual(forms.incomplete(documents, recorded), [])
        del documents["board"]["document"]["buttons"]["dim"], documents["lamp rgb"]["document"]["lamp"]["red"]
        self.assertEqual(forms.incomplete(documents, recorded), [
            "documents.json: 'board' has no 'buttons.dim'", "documents.json: 'lamp rgb' has no 'lamp.red'"])

    @unittest.skipUnless(is_released(VERSION), "what a version adds is recorded before its release")
    def test_a_release_is_recorded_whole(self):
        """So that the next version is held to all of it."""
        for name in forms.FORMS:
            with self.subTest(form=name):
                found = added(forms.read(name), forms.shown(name, present(name)))
                self.assertEqual(found, [], "make record")

    def test_the_card_reads_the_keys_of_its_file(self):
        self.assertEqual(installed.card_template(), sorted(installed.card()["key"]))

    def test_the_image_contains_what_its_configuration_names(self):
        script, form = (ROOT / "packaging/image.sh").read_text(), installed.image()
        user, group = form["value"]["User"].strip("'").split(":")
        self.assertIn(f"'deskbell:x:{user}:{group}:Deskbell:/var/lib/deskbell:/bin/sh'", script)
        self.assertIn(f"--owner={user} --group={group} ./var/lib/deskbell", script)
        self.assertEqual(list(form["volume"]), ["/var/lib/deskbell"])
        health = form["value"]["Healthcheck"].strip("'").removeprefix("CMD ")
        self.assertIn(f'packaging/image/health "$root{health}"', script)
        settings = form["value"]["Cmd"].strip("'").split()[-1]
        self.assertIn(f'packaging/image{settings[settings.rindex("/"):]} "$root{settings[:settings.rindex("/")]}/"', script)

    def test_the_page_names_every_form(self):
        page = (ROOT / "docs/stability.md").read_text()
        for name in forms.FORMS:
            self.assertIn(f"`{name}.json`", page)
