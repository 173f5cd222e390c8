// A provider's certificate often shares a file with its key. The daemon has no use for the key, so it is not sent.

enum CertificateFile {
  /// The first certificate of a PEM file, without anything else that is in it.
  /// - Throws: `Failure` where the file cannot be read or holds none.
  static func pem(at path: String) throws(Failure) -> String {
    let text = try KeyFile.pem(at: path)
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    guard let start = text.firstRange(of: begin), let stop = text[start.upperBound...].firstRange(of: end) else {
      throw Failure(
        "\(path) holds no certificate as PEM",
        hint: "a .cer file: openssl x509 -inform der -in FILE; a .p12 file: openssl pkcs12 -in FILE -clcerts -nokeys")
    }
    return String(text[start.lowerBound..<stop.upperBound]) + "\n"
  }
}
