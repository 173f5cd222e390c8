import Crypto
import Foundation
import Testing

@testable import PushPort
@testable import ServerIdentity

private typealias Files = KeyFileFixtures

@Suite("Files of keys and certificates")
struct KeyFileTests {
  private static let oneLine = Files.pkcs8.replacing("\n", with: "")
  private static let body = Files.pkcs8.split(separator: "\n").dropFirst().dropLast().joined()

  @Test(
    "The same key is read from every form",
    arguments: [
      Files.sec1, Files.pkcs8, Files.publicKey, Files.compressed, Files.explicit, Files.explicit8,
      Files.pkcs8 + "\n", "\n\n  " + Files.pkcs8, Files.pkcs8.replacing("\n", with: "\r\n"),
      Files.pkcs8.replacing("\n", with: "\r"), "\u{FEFF}" + Files.pkcs8, Files.sec1.replacing("\n", with: "\n    "),
      Files.pkcs8.replacing("\n", with: " \t\n"), Files.pkcs8.replacing("\n", with: "\n\n"),
      // On one line, with spaces, or with the `\n` of an environment file or of JSON.
      oneLine, Files.pkcs8.replacing("\n", with: " "), Files.pkcs8.replacing("\n", with: #"\n"#),
      #"KEY=""# + Files.pkcs8.replacing("\n", with: #"\n"#) + #"""#, Files.pkcs8.replacing("\n", with: #"\r\n"#),
      Files.pkcs8.replacing("\n", with: #"\\n"#), Files.pkcs8.replacing("\n", with: "\\\n"),
      "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----",
      // With other text before and after.
      "Bag Attributes\n    friendlyName: shop\n    localKeyID: 7B AA - 4D\nKey Attributes: <No Attributes>\n"
        + Files.pkcs8,
      Files.pkcs8 + "\nKey-ID: A1B2C3D4E5\n", Files.certificate + "\n" + Files.pkcs8, Files.pkcs8 + Files.certificate,
      Files.rsa + "\n" + Files.sec1, Files.pkcs8.replacing("KEY-----\n", with: "KEY-----\nName: shop\n\n"),
      // With the label of another kind of key.
      Files.pkcs8.replacing("PRIVATE", with: "EC PRIVATE"), Files.pkcs8.replacing("=", with: ""),
    ])
  func forms(_ text: String) throws {
    let key = try P256.Signing.PublicKey(pemRepresentation: Files.publicKey)
    #expect(try ProviderKey(pem: text) == ProviderKey(key))
    // As PowerShell writes it.
    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    #expect(try KeyFileContent(wide).key().publicKey.x963Representation == key.x963Representation)
  }

  @Test(
    "The error names the fault of a key",
    arguments: [
      ("", .notPEM), ("secret", .notPEM), ("a text that goes on for some lines", .notPEM),
      (Files.encrypted8, .encrypted), (Files.encrypted1, .encrypted),
      (Files.encrypted1.replacing("\n", with: #"\n"#), .encrypted),
      (Files.p384, .otherKey("EC PRIVATE KEY", name: "the curve P-384")),
      (Files.secp256k1, .otherKey("EC PRIVATE KEY", name: "the curve secp256k1")),
      (Files.rsa, .otherKey("PRIVATE KEY", name: "RSA")), (Files.rsa1, .otherKey("RSA PRIVATE KEY", name: "RSA")),
      (Files.ed25519, .otherKey("PRIVATE KEY", name: "Ed25519")),
      (Files.certificate, .other("CERTIFICATE")), (Files.request, .other("CERTIFICATE REQUEST")),
      (Files.certificate + "\n" + Files.encrypted8, .encrypted), (Files.pkcs7, .other("PKCS7")),
      (String(Files.pkcs8.dropLast(30)), .cutOff("PRIVATE KEY")),
      (String(Files.pkcs8.prefix(100)), .cutOff("PRIVATE KEY")),
      ("-----BEGIN PRIVATE KEY-----", .cutOff("PRIVATE KEY")),
      (Files.pkcs8.replacing("\n\(body.suffix(56))", with: ""), .cutOff("PRIVATE KEY")),
      ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .cutOff("PRIVATE KEY")),
      (Files.pkcs8.replacing("END PRIVATE", with: "END EC PRIVATE"), .otherEnd("PRIVATE KEY", end: "EC PRIVATE KEY")),
      (Files.pkcs8.replacing("M", with: "*"), .notBase64("PRIVATE KEY")),
      ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----", .damaged("PRIVATE KEY")),
      (Files.pkcs8.replacing("-----", with: "----"), .badMarks),
      (Files.pkcs8.replacing("-----", with: "—–"), .badMarks),
      (body, .noMarks), (Files.pkcs12, .pkcs12),
      ("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----", .other("EC PARAMETERS")),
    ] as [(String, KeyFileError.Fault)])
  func faults(_ text: String, _ fault: KeyFileError.Fault) {
    #expect(throws: KeyFileError(wanted: .key, fault: fault)) { try ProviderKey(pem: text) }
  }

  @Test("The error for a binary file has the command that converts it")
  func binary() throws {
    let pkcs12 = try #require(Data(base64Encoded: Files.pkcs12, options: .ignoreUnknownCharacters))
    let certificate = Files.der(of: Files.certificate)
    func problem(_ bytes: Data, _ read: (KeyFileContent) throws -> Void) -> String {
      let error = #expect(throws: KeyFileError.self) { try read(KeyFileContent(bytes)) }
      return error?.description ?? ""
    }
    #expect(
      problem(Files.der(of: Files.sec1)) { _ = try $0.key() }.contains("DER, not PEM; convert it with: openssl pkey"))
    #expect(problem(pkcs12) { _ = try $0.signingKey() }.contains("openssl pkcs12 -in FILE -nocerts"))
    #expect(problem(pkcs12) { _ = try $0.certificates() }.contains("openssl pkcs12 -in FILE -clcerts"))
    #expect(problem(certificate) { _ = try $0.certificates() }.contains("openssl x509 -inform der"))
    #expect(problem(certificate) { _ = try $0.key() }.contains("the file holds a CERTIFICATE"))
    // Those of Java and macOS have indefinite lengths.
    #expect(problem(Data([0x30, 0x80, 2, 1, 3, 0x30, 0x80, 6, 9])) { _ = try $0.key() }.contains(".p12"))
  }

  @Test("A key that is to sign needs its private half; a certificate's key may be of any kind")
  func halves() throws {
    #expect(try KeyFileContent(Files.explicit.utf8).signingKey().publicKey.pemRepresentation == Files.publicKey)
    #expect(throws: KeyFileError(wanted: .signingKey, fault: .publicHalf)) {
      try KeyFileContent(Files.publicKey.utf8).signingKey()
    }
    for key in [Files.pkcs8, Files.sec1, Files.rsa, Files.rsa1, Files.ed25519, Files.p384] {
      #expect(try KeyFileContent(key.utf8).certificateKey().contains("PRIVATE KEY-----\n"))
    }
    #expect(throws: KeyFileError(wanted: .certificateKey, fault: .encrypted)) {
      try KeyFileContent(Files.encrypted1.utf8).certificateKey()
    }
  }

  @Test(
    "The same certificate is read from every form",
    arguments: [
      Files.certificate, Files.certificate.replacing("\n", with: ""), Files.certificate.replacing("\n", with: "\n\t"),
      Files.trusted, Files.certificate.replacing("CERTIFICATE", with: "X509 CERTIFICATE"),
      "Certificate:\n    Data: BEGIN\n" + Files.certificate, Files.pkcs8 + "\n" + Files.certificate,
    ])
  func certificates(_ text: String) throws {
    #expect(try ProviderCertificate(pem: text) == ProviderCertificate(pem: Files.certificate))
  }

  @Test(
    "The error names the fault of a certificate",
    arguments: [
      ("", .notPEM), (Files.pkcs8, .other("PRIVATE KEY")), (Files.request, .other("CERTIFICATE REQUEST")),
      (String(Files.certificate.dropLast(40)), .cutOff("CERTIFICATE")), (Files.pkcs7, .other("PKCS7")),
      (Files.certificate.replacing("-----", with: "-"), .badMarks),
    ] as [(String, KeyFileError.Fault)])
  func certificateFaults(_ text: String, _ fault: KeyFileError.Fault) {
    #expect(throws: KeyFileError(wanted: .certificate, fault: fault)) {
      try ProviderCertificate(pem: text)
    }
  }
}
