import Testing

@testable import CommandSupport
@testable import Commands

@Suite("Mail")
struct MailTests {
  private func mail(_ lines: String...) -> MailMessage { MailMessage(Array(lines.joined(separator: "\r\n").utf8)) }

  @Test("Subject, sender and text; encoded words, folded fields, mailboxes' first line")
  func fields() {
    let message = mail(
      "From root@nas Thu Nov 26 01:00:00 2026", "From: =?iso-8859-1?q?J=FCrgen?= <j@example.org>",
      "Subject: =?utf-8?B?R3LDvMOfZQ==?=", " =?utf-8?B?IGFu?= alle", "X-Priority: 1 (Highest)", "", "Bis bald", "")
    #expect(message.subject == "Grüße an alle")
    #expect(message.sender == "Jürgen")
    #expect(message.text == "Bis bald\n")
    #expect(message.priority == 1)
  }

  @Test("A mail without a header is a text, one without a text has its subject")
  func partial() {
    #expect(mail("It is done", "really").text == "It is done\nreally")
    #expect(mail("Subject: x").subject == "x")
    #expect(mail("").text == "")
  }

  @Test(
    "Texts in their encodings and character sets",
    arguments: [
      ("text/plain; charset=utf-8", "quoted-printable", "Gr=C3=BC=C3=9Fe =\r\nan alle =3D", "Grüße an alle ="),
      ("text/plain; charset=\"ISO-8859-1\"", "quoted-printable", "T=FCr", "Tür"),
      ("text/plain; charset=koi8-r", "base64", "8NLJ18XU", "Привет"),
      ("text/html; charset=utf-8", "7bit", "<p>a &lt; b</p>", "a < b"),
      ("text/plain", "8bit", "Tür", "Tür"),
    ])
  func encodings(_ type: String, _ encoding: String, _ body: String, _ text: String) {
    #expect(mail("Content-Type: \(type)", "Content-Transfer-Encoding: \(encoding)", "", body).text == text)
  }

  @Test("The plain part of several, also in a part of parts")
  func parts() {
    let message = mail(
      "Content-Type: multipart/mixed; boundary=\"A\"", "", "preamble", "--A",
      "Content-Type: multipart/alternative; boundary=B", "", "--B", "Content-Type: text/html", "", "<b>no</b>", "--B",
      "Content-Type: text/plain", "", "yes", "--B--", "--A", "Content-Type: image/png",
      "Content-Transfer-Encoding: base64", "", "AAAA", "--A--", "")
    #expect(message.text.hasPrefix("yes"))
    #expect(!message.text.contains("no"))
  }

  @Test("Parts without an end, in themselves, and without number end")
  func hostile() {
    let nested = String(repeating: "Content-Type: multipart/mixed; boundary=A\n\n--A\n", count: 10_000)
    #expect(MailMessage(Array(nested.utf8)).text == "")
    let many = "Content-Type: multipart/mixed; boundary=A\n\n" + String(repeating: "--A\nX: y\n\n", count: 10_000)
    #expect(MailMessage(Array(many.utf8)).text.utf8.count < 10)
  }

  @Test(
    "sendmail's options, as cron, at, git and mailx give them",
    arguments: [
      (["-i", "-FCronDaemon", "-B8BITMIME", "-oem", "root"], true, "CronDaemon", nil, ["root"]),
      (["-FCronDaemon", "-i", "-odi", "-oem", "-oi", "-t", "-f", "root"], true, "CronDaemon", "root", []),
      (["-i", "ada"], true, nil, nil, ["ada"]),
      (["-oi", "-f", "a@b", "c@d", "e@f"], true, nil, "a@b", ["c@d", "e@f"]),
      (["-ti"], true, nil, nil, []), (["-bm", "-t", "--", "-x"], false, nil, nil, ["-x"]),
    ] as [([String], Bool, String?, String?, [String])])
  func options(_ words: [String], _ ignoresDots: Bool, _ name: String?, _ from: String?, _ recipients: [String]) throws
  {
    let arguments = try SendmailArguments(words)
    #expect(arguments.ignoresDots == ignoresDots)
    #expect(arguments.name == name && arguments.from == from)
    #expect(arguments.recipients == recipients)
  }

  @Test("Modes of a server, and unknown options", arguments: [["-bs"], ["-bd"], ["-z"]])
  func refused(_ words: [String]) {
    #expect(throws: Failure.self) { try SendmailArguments(words) }
  }

  @Test("A text is cut by its length as JSON")
  func shown() {
    #expect(MailCommand.shown(" a\u{7}b\n ", bytes: 10) == "a b")
    #expect(MailCommand.shown("\"\"\"", bytes: 4) == "\"\"")
    #expect(MailCommand.shown("üü", bytes: 3) == "ü")
  }
}
