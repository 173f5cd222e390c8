// Keys for these tests alone, as openssl 3 writes them.

import Foundation

enum KeyFileFixtures {
  /// `openssl ecparam -name prime256v1 -genkey`; the other files hold the same key.
  static let sec1 = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIOdlvgRvxmJEZifc8kS7lVw0DnXK6yJEfQfJiQjxVw9moAoGCCqGSM49
    AwEHoUQDQgAEMojdH/MCq8S6g+S2hYWDfs8eJvSqg0biOfQJYDA+XoMXsfwuWrf9
    VMqqF60sEcK1kmlLBCO16l/MBRIf8jNFzw==
    -----END EC PRIVATE KEY-----
    """
  /// PKCS #8, as Apple's `.p8` files are.
  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg52W+BG/GYkRmJ9zy
    RLuVXDQOdcrrIkR9B8mJCPFXD2ahRANCAAQyiN0f8wKrxLqD5LaFhYN+zx4m9KqD
    RuI59AlgMD5egxex/C5at/1UyqoXrSwRwrWSaUsEI7XqX8wFEh/yM0XP
    -----END PRIVATE KEY-----
    """
  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEMojdH/MCq8S6g+S2hYWDfs8eJvSq
    g0biOfQJYDA+XoMXsfwuWrf9VMqqF60sEcK1kmlLBCO16l/MBRIf8jNFzw==
    -----END PUBLIC KEY-----
    """
  /// `-conv_form compressed`.
  static let compressed = """
    -----BEGIN PUBLIC KEY-----
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADMojdH/MCq8S6g+S2hYWDfs8eJvSq
    g0biOfQJYDA+XoM=
    -----END PUBLIC KEY-----
    """
  /// `-param_enc explicit`.
  static let explicit = """
    -----BEGIN EC PRIVATE KEY-----
    MIIBaAIBAQQg52W+BG/GYkRmJ9zyRLuVXDQOdcrrIkR9B8mJCPFXD2aggfowgfcC
    AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
    MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
    vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
    axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
    K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
    YyVRAgEBoUQDQgAEMojdH/MCq8S6g+S2hYWDfs8eJvSqg0biOfQJYDA+XoMXsfwu
    Wrf9VMqqF60sEcK1kmlLBCO16l/MBRIf8jNFzw==
    -----END EC PRIVATE KEY-----
    """
  static let explicit8 = """
    -----BEGIN PRIVATE KEY-----
    MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
    AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
    ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
    AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
    9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
    AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQg52W+BG/GYkRm
    J9zyRLuVXDQOdcrrIkR9B8mJCPFXD2ahRANCAAQyiN0f8wKrxLqD5LaFhYN+zx4m
    9KqDRuI59AlgMD5egxex/C5at/1UyqoXrSwRwrWSaUsEI7XqX8wFEh/yM0XP
    -----END PRIVATE KEY-----
    """
  /// The key's certificate, for UID=com.example.bell.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmTCCAT+gAwIBAgIUIBbBglVe9iero6PhM/P2Z367ZO0wCgYIKoZIzj0EAwIw
    IjEgMB4GCgmSJomT8ixkAQEMEGNvbS5leGFtcGxlLmJlbGwwHhcNMjYxMTI2MDAw
    NzQ5WhcNMzYxMTIzMDAwNzQ5WjAiMSAwHgYKCZImiZPyLGQBAQwQY29tLmV4YW1w
    bGUuYmVsbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDKI3R/zAqvEuoPktoWF
    g37PHib0qoNG4jn0CWAwPl6DF7H8Llq3/VTKqhetLBHCtZJpSwQjtepfzAUSH/Iz
    Rc+jUzBRMB0GA1UdDgQWBBTBN2YWJiyKVA5SZVWmJZ/MWzcvCzAfBgNVHSMEGDAW
    gBTBN2YWJiyKVA5SZVWmJZ/MWzcvCzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
    BAMCA0gAMEUCIQCiKZKTVDHDgU5rZ7/p1pS8dIigNZy3oYxde2VdZoVZVwIgBGrE
    VRe04MTjTo06Vr7NzyAwoYUOeyaWuWokN9NFF5E=
    -----END CERTIFICATE-----
    """
  /// `openssl x509 -trustout`: the certificate, and behind it that it is good for TLS clients.
  static let trusted: String = {
    let use: [UInt8] = [0x30, 0x0C, 0x30, 0x0A, 6, 8, 0x2B, 6, 1, 5, 5, 7, 3, 2]
    let body = (der(of: certificate) + use).base64EncodedString(options: [
      .lineLength64Characters, .endLineWithLineFeed,
    ])
    return "-----BEGIN TRUSTED CERTIFICATE-----\n\(body)\n-----END TRUSTED CERTIFICATE-----"
  }()
  static let request = """
    -----BEGIN CERTIFICATE REQUEST-----
    MIHHMG4CAQAwDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
    BDKI3R/zAqvEuoPktoWFg37PHib0qoNG4jn0CWAwPl6DF7H8Llq3/VTKqhetLBHC
    tZJpSwQjtepfzAUSH/IzRc+gADAKBggqhkjOPQQDAgNJADBGAiEAg1LwoC+8vmwP
    FoCDjmhr653nk7Q4NDYnRxyJu4AYIWACIQDsKJvgiBtA2vQYkHT1+4m5iaTMJBMa
    5boT19YfPPEzXA==
    -----END CERTIFICATE REQUEST-----
    """
  static let pkcs7 = """
    -----BEGIN PKCS7-----
    MIIByAYJKoZIhvcNAQcCoIIBuTCCAbUCAQExADALBgkqhkiG9w0BBwGgggGdMIIB
    mTCCAT+gAwIBAgIUIBbBglVe9iero6PhM/P2Z367ZO0wCgYIKoZIzj0EAwIwIjEg
    MB4GCgmSJomT8ixkAQEMEGNvbS5leGFtcGxlLmJlbGwwHhcNMjYxMTI2MDAwNzQ5
    WhcNMzYxMTIzMDAwNzQ5WjAiMSAwHgYKCZImiZPyLGQBAQwQY29tLmV4YW1wbGUu
    YmVsbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDKI3R/zAqvEuoPktoWFg37P
    Hib0qoNG4jn0CWAwPl6DF7H8Llq3/VTKqhetLBHCtZJpSwQjtepfzAUSH/IzRc+j
    UzBRMB0GA1UdDgQWBBTBN2YWJiyKVA5SZVWmJZ/MWzcvCzAfBgNVHSMEGDAWgBTB
    N2YWJiyKVA5SZVWmJZ/MWzcvCzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
    A0gAMEUCIQCiKZKTVDHDgU5rZ7/p1pS8dIigNZy3oYxde2VdZoVZVwIgBGrEVRe0
    4MTjTo06Vr7NzyAwoYUOeyaWuWokN9NFF5ExAA==
    -----END PKCS7-----
    """
  /// The encrypted key, in PKCS #8 and in openssl's former format.
  static let encrypted8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgVtTKwOMq89QICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKOSiVCsShVuoVJrKdfvabUEgZAB
    Eyr0XsdbBhUHsFWvltOSM79wiQ/42GjEbi5rz/1qNGnumeFdeCYk7WOzXS3Z8rJS
    bJwcNbHXb2c2K3jkuKDVMiER0fNeKSrxu5V8cH3etbPMsnKfU5lPJ/g5qu2Op8/f
    wKVlzjOYSYfqoenS8ovL2F9yIEpkN8kxOiALCp54I4hDRT0MMp5D8gN6DtiHXqQ=
    -----END ENCRYPTED PRIVATE KEY-----
    """
  static let encrypted1 = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,B7EB8A59556FF851E21A73DD706344DE

    PrHWXripb0VFgVAqY13mAD8kS6qNvIjU1JFDS738gSxMi6QMNgcyjxV1Jqs4AN7c
    YIWXDxuFf8NYoZ8mcGDuddBqO1Hh+I9EHGdGvpIQz5f92FIgEEje6+L3A47oJspq
    Sn9OqO+PVX9aP6w80ckgYB31Cl2F8NYgkdRYd1KUorc=
    -----END EC PRIVATE KEY-----
    """
  /// Keys of other kinds.
  static let p384 = """
    -----BEGIN EC PRIVATE KEY-----
    MIGkAgEBBDDHWKzOMHSh2FvwXC+A2trYPiL/Uy04lNYpBcxSKu+AT13crZ+SPoRA
    EAo0DZoZoRGgBwYFK4EEACKhZANiAATxcWgSJai/A7pexsVi/H3Z8UoGZVGuHE79
    OrqRSfIcMvoE3+9XrsL8h+IB0VqAzuiQ3lWLV+2mGH7oDpDMhogL1U/2KNlVl/W1
    ZcylWvgfXqjwOSFXLLUefBXJdw3xuQQ=
    -----END EC PRIVATE KEY-----
    """
  static let secp256k1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHQCAQEEIGMJfHrPjS63RgyCbS7N5feMH4YHCEdWoG51OVB7hCeAoAcGBSuBBAAK
    oUQDQgAEC3WE9f/VeVj6Ew0hK1gBDJdfbp2TucUvuy9+jm0xvqJQq+mffu2xcK6X
    h01LU7MYKpR7EGFuLLMfbR+hSqJLUQ==
    -----END EC PRIVATE KEY-----
    """
  static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMAuKvVNYVIRL9og
    VZGe/dnC+XAn1hnW4qAYcRh527240fHqeOzgpfxQTlHpB5ktoCSHDH2ydLO7vJe9
    NY2qyBxIvbnMepiS312ZqOtbx3D0/QN2A2Mvr2+W3iBqn6Esq+royv+yVvgCX9ES
    y6qAET2KYeCcWtrevbKNawBLX+VZAgMBAAECgYB8XmRWk1kj7xN0qfA2aRoGzvL1
    7hHUbwgCa07ldBcM1IqpcAAJ6+f/PUkyIQhVzP0SJoOi5NY5aolF+aCqqZcN96xk
    vur2KCeC/hl7Y8viVGWI+azIlbIlY4OhVcVyl2Yg0ed5lvegw1so3WkqtNes/d7s
    qUIKEiajGIJfIgwI8QJBAOLZOU/7jdhWg5ECSfXMBTPwN3gLjXi1I6IgFIAviJgt
    +7UvfRcEMAUO1Xf5uIz6Ko75DuN4z6amsYO6xaud3h8CQQDY4HFy3VFzu+XCEyY1
    GDx0P5Z4JpzKyJbp2OPBctJ133N8qm8uHLljcka2sbx1TyAt97yxC0MKBMSJsQ1T
    wd2HAkEAh+BjMuRTXyza24XKdT8CMs0E/JO25oFhWZ/rh6hxIe4RIcLTI3Evrifn
    d1iN0WubCE5oO5pGjuSz2VqLQjNqMwJATPZxLBsAIbsHUPTstSDRq0s5gY/qSkge
    zgOq52Zw62WNnSr6Y3nMDE9sar7uKw8WU1m7+3QMqUyB1n8fRJ7ilwJBAI3XKKCK
    Jn09crUIW8qCJ1bpGYzspoCA7mwG5uXLp2lpRE2nj6zH9re0E9qDFE79QdwcFG3B
    5K7tR4yEryeaLdk=
    -----END PRIVATE KEY-----
    """
  static let rsa1 = """
    -----BEGIN RSA PRIVATE KEY-----
    MIICXAIBAAKBgQDSj2UEWM/eHmI95OVpTGvZacKKeKP/OBm1vx7l+Q58Aqolk9Ng
    3KS8Goa/W7dcaYmpa0xI4T5w5nI1W7OulFsbIIaF5Rtv38xJdUPpi+GOOv6xCKQf
    a7Zv9u2dsHbLSPAv4MkosoLikeC1jbvsQomiFh2XmTHRrvj0AK6qgj3tCQIDAQAB
    AoGBALUfwn6twwnHyyyA1NLyeSeJcV5aDoCBiqQrpnGe/1WvmRtAASmmQ1LH4reD
    NsSYyGFjOjjLAUJvCTlbC8KWPZMVcM3VkTd0dnxxI4ZskLmzZhyD+BqEyJn4qcOJ
    oEzDx0xph8ZHJ0qAwDICV7yEYwT8ulPuTrdzDVBU1JKEGTrNAkEA8dBweOkG5jOw
    /RmG9Z0egYWxhhQFZg/LinW2BnDTYCvASgilvjtpGHGubIXPhDqSE73F4Ili/NZX
    MvVBH+ySTwJBAN7plQc1fR/8ctEkeFsxSSXhmvwupi5g+Z3YFl3k04WOCcQwR9Ec
    Z4z+RVgDeLGmjFIiyPDOAYM6QFa1iDSYbScCQCAuj2loCeUFKB7nENELUg4GzvN7
    IqTMoVgSBmGhDmCUMgkoUXaZzYjVSFNlE5MTgHFkJjuVzTi9BengPgSTpX0CQFed
    Wa0GshKDaCGaAxBc09Jm1ULvlvO9u/71cv0etqDUzjPlgiTH1E+PlXPdkW/J9XdH
    ItG7Ns78c1NhcJKzopsCQDfhckaWtE/BYSB1/pFV2ksmAtpIl93WpNnhMb+7KpAg
    rFPBAoDf45wiQGUVGVP5pPl4eUObd3j8PC1CfZk9uKU=
    -----END RSA PRIVATE KEY-----
    """
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIN6ufoRnfIAqPFxcoMjzJYgPf7qpWziQxTjDYU3Y2w7W
    -----END PRIVATE KEY-----
    """
  /// A binary file in base64.
  static let pkcs12 = """
    MIIELAIBAzCCA+IGCSqGSIb3DQEHAaCCA9MEggPPMIIDyzCCAoIGCSqGSIb3DQEHBqCCAnMwggJv
    AgEAMIICaAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgKOVeAvrtG
    pwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEGcLkISbahXH5dXmiXoSTceAggIABrNY
    a5cDt/NuDeQCXsMe+YhZcaC98fXb/XpSqYW7CtYMQ48spSh6UARPuAIXfY/qOftg6IjTTUgqiOYt
    dAV5bIvAbJhUyFQcwZnwHzKwiVMqYjdF/5aaIINajDTfuJUucE4LCZms53II/8mLEpL9vzgt2k2F
    95rqNbgMX83CAQsm6Z34RbNur/4H8P7RdLrfu5grPXEuzi4b+pZ0m34lQGkUHABhU0kUoTiqzyrd
    btGM+tCT9Xs53lT7cO1wdetwEzaTAnO8AOiAZDtpwL/qFBX5O4g2XmBgLNVJiC7lgeNOd0Qgg8ZV
    ySkL1MZbjtD7gx7u2qnCK7sc/O8ITJk8vOFvpDwzUbA7F+07hJAq1EAFVZpBIr1aRuJb90X5HsWJ
    OKgziyJb5nBF7mvouUaEEEqGynFhLAEalbCl/WkhZn3+OkKT39K4Nz4CxQ9AF0Z0x8Gkr/uOcf4h
    RGQ0ndeORpOTWHXkL7Fe7ahl5GKQHo31ewvT9EmEyQwyCmSGruz0z/WuH9wLK1CpzncJXdkBsdKU
    X6qbDlDyB5SeLMdH16LvZXQHL0tfDLPdrzcn58UMLNaZib8kJFiGc5d0wPJhrFy2FQzlgv8T0giM
    YqkXBV8f17BwPbxfboD0AZvIzIv9ntBk4ed4kW31rJuETPm4bRdz3WNSkuciLrXgLUOJ1L8wggFB
    BgkqhkiG9w0BBwGgggEyBIIBLjCCASowggEmBgsqhkiG9w0BDAoBAqCB7zCB7DBXBgkqhkiG9w0B
    BQ0wSjApBgkqhkiG9w0BBQwwHAQIGc9pI8vlTOECAggAMAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUD
    BAEqBBCT7gR//rxbwV6KO9iSY3r/BIGQheLdTxrnJTQO5XYa6Qg/M5PBbG0L/Qy9fwnsNsvH4J7K
    ge970FFP25b0+erMIXIkC33bmpcymcXSXml6nfbuO+s+UccmeZlZkt2fT+irt1L5KQbdOvvc8bfk
    +9n5eV2zpvOermn9G0T+mPMXeUXKaxjhLLSIXRciD4BdYnfIXiiGtj26IeEp3UJfD4HrRpPTMSUw
    IwYJKoZIhvcNAQkVMRYEFNFUs4apc6h/SKi91srxwNo1wRtAMEEwMTANBglghkgBZQMEAgEFAAQg
    so4nZE8vIU7AZzR6t6KujEEBP27PwZmAMqm+C3WvIJwECFvxgNSi/HfgAgIIAA==
    """

  /// Returns the bytes of a file's last block.
  static func der(of pem: String) -> Data {
    let body = pem.components(separatedBy: "-----").dropLast(2).last ?? ""
    return Data(base64Encoded: body, options: .ignoreUnknownCharacters) ?? Data()
  }
}
