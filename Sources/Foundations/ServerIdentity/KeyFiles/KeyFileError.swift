/// The reason why a file has no usable key or certificate. It contains nothing of the file except labels.
public struct KeyFileError: Error, Hashable, CustomStringConvertible {
  public enum Fault: Error, Hashable, Sendable {
    case notPEM
    /// The PEM lines have a wrong number of hyphens, or other dashes.
    case badMarks
    /// Base64 without the lines before and after it.
    case noMarks
    case cutOff(String)
    /// The document begins with one label and ends with another.
    case otherEnd(String, end: String)
    case notBase64(String)
    case damaged(String)
    case encrypted
    case otherKey(String, name: String)
    /// The document is neither a key nor a certificate; its label.
    case other(String)
    /// The file has the public half of a key, but the private one is needed.
    case publicHalf
    /// The file is binary, or base64 of a binary file.
    case der, pkcs12
  }

  /// The expected content: a P-256 key (private, or of either kind), a certificate's private key, or certificates.
  public enum Wanted: Hashable, Sendable {
    case key, signingKey, certificateKey, certificate
  }

  public var wanted: Wanted
  public var fault: Fault

  public var description: String {
    let thing = wanted == .certificate ? "certificate" : "key"
    return switch fault {
    case .notPEM: "the \(thing) is not PEM: expected a text file with \(lines)\(conversions)"
    case .badMarks:
      "the \(thing)'s lines with BEGIN and END are damaged: expected five hyphens before and after, as in \(lines)"
    case .noMarks: "the \(thing) lacks its first and last line: expected \(lines) before the base64"
    case .cutOff(let label):
      "the \(label) is cut off: copy the whole file, with its last line -----END \(label)-----"
    case .otherEnd(let label, let end):
      "the \(thing) begins with -----BEGIN \(label)----- and ends with -----END \(end)-----: copy the whole file"
    case .notBase64(let label):
      "the \(label) is damaged: between its lines is something else than base64; copy the file again"
    case .damaged(let label): "the \(label) cannot be read: it is damaged, or not in DER between its PEM lines"
    case .encrypted: "the key is encrypted: decrypt it first, with: openssl pkey -in KEY -out KEY.plain"
    case .otherKey(let label, let name):
      "the \(label) is \(name.hasPrefix("the ") ? "of \(name)" : "an \(name) key"), not of the curve P-256, which ES256 "
        + "needs; one is made with: openssl ecparam -name prime256v1 -genkey -noout"
    case .other("OPENSSH PRIVATE KEY"):
      "the file holds an OPENSSH PRIVATE KEY: convert a copy with: ssh-keygen -p -m pkcs8 -f COPY"
    case .other("PKCS7") where wanted == .certificate:
      "the file is a .p7b file (PKCS7); take the certificates out with: openssl pkcs7 -print_certs -in FILE"
    case .other(let label): "the file holds a \(label)\(expectation)"
    case .publicHalf: "the file holds a PUBLIC KEY: expected the PRIVATE KEY, which makes signatures"
    case .der: "the \(thing) is DER, not PEM; convert it with: \(derConversion)"
    case .pkcs12: "the file is a .p12 file, not PEM; convert it with: \(pkcs12Conversion)"
    }
  }

  private var lines: String {
    switch wanted {
    case .key: "-----BEGIN PRIVATE KEY----- or -----BEGIN PUBLIC KEY-----"
    case .signingKey, .certificateKey: "-----BEGIN PRIVATE KEY-----"
    case .certificate: "-----BEGIN CERTIFICATE-----"
    }
  }

  private var expectation: String {
    switch wanted {
    case .key: ": expected a PRIVATE KEY or a PUBLIC KEY of the curve P-256"
    case .signingKey: ": expected a PRIVATE KEY of the curve P-256"
    case .certificateKey: ": expected the certificate's PRIVATE KEY"
    case .certificate: " and holds no certificate: expected a CERTIFICATE"
    }
  }

  private var conversions: String {
    wanted == .certificate
      ? "; a .cer file is turned into one by: \(derConversion), a .p12 file by: \(pkcs12Conversion)" : ""
  }

  private var derConversion: String {
    wanted == .certificate ? "openssl x509 -inform der -in FILE" : "openssl pkey -inform der -in FILE -out KEY.pem"
  }

  private var pkcs12Conversion: String {
    "openssl pkcs12 -in FILE " + (wanted == .certificate ? "-clcerts -nokeys" : "-nocerts -nodes -out KEY.pem")
  }
}
