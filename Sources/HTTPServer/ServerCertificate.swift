import CGnuTLS
import Foundation
import Model
import Settings

/// The service's certificate and its private key. They are validated here, because libmicrohttpd only reports that it cannot use them.
package struct ServerCertificate: Sendable {
    /// The certificate chain in PEM, the service's own certificate first.
    package let chain: String
    /// The private key in PEM.
    let key: String
    /// The period in which the service's own certificate is valid.
    package let validity: ClosedRange<Instant>
    private let settings: Settings

    /// Reads the files that the settings name; nil when they name none.
    ///
    /// - Throws: `.validationFailed` for files that contain something else, are swapped, or do not belong together; `.fileFailed` for a
    ///   file that cannot be read.
    package init?(_ settings: Settings) throws(Problem) {
        guard let files = settings.tls else { return nil }
        let (chain, key) = (try Self.read(files.certificate), try Self.read(files.key))
        if chain.hasKey, !chain.hasCertificate, key.hasCertificate, !key.hasKey {
            throw settings.problem(
                with: .tlsCertificate,
                Phrase("it contains a private key, and tls-key contains the certificate: the two are swapped"),
                expected: Phrase("tls-cert \(files.key) and tls-key \(files.certificate)"))
        }
        let certificates = try Certificates(chain, settings)
        let keyID = try Self.identifier(ofKey: key, settings)
        let index = certificates.identifiers.firstIndex(of: keyID)
        if index == nil {
            throw settings.problem(
                with: .tlsKey, Phrase("it does not belong to the certificate \(files.certificate)"),
                expected: Phrase("the private key with which the certificate was requested"))
        }
        if index != 0 {
            throw settings.problem(
                with: .tlsCertificate, Phrase("the certificate that belongs to tls-key is not the first one in it"),
                expected: Phrase("the service's own certificate first, then those of the authorities"))
        }
        self.settings = settings
        self.chain = chain.text
        self.key = key.text
        validity = certificates.validity
    }

    /// The version of GnuTLS that is linked.
    static var libraryVersion: String { unsafe gnutls_check_version(nil).map { unsafe String(cString: $0) } ?? "not known" }

    /// Why clients reject the certificate at a moment; nil when it is within its validity.
    package func problem(at now: Instant) -> Problem? {
        if validity.contains(now) { return nil }
        return settings.problem(
            with: .tlsCertificate,
            now > validity.upperBound
                ? .expired(validity.upperBound.description) : Phrase("it is not valid before \(validity.lowerBound.description)"),
            expected: Phrase("a certificate that is valid now; after replacing the file, send SIGHUP to the service"))
    }

    /// Whether the service's own certificate is for a host name or numeric address.
    package func names(_ host: String) -> Bool {
        var certificate: gnutls_x509_crt_t?
        guard unsafe gnutls_x509_crt_init(&certificate) >= 0 else { return false }
        defer { unsafe gnutls_x509_crt_deinit(certificate) }
        // Of a chain, this reads the first certificate.
        let code = unsafe Self.withDatum(chain) { datum in unsafe gnutls_x509_crt_import(certificate, datum, GNUTLS_X509_FMT_PEM)
        }
        guard code >= 0 else { return false }
        let isNamed = unsafe gnutls_x509_crt_check_hostname(certificate, host)
        return isNamed != 0
    }

    // MARK: - Files

    /// The text of a file.
    private struct File {
        var text: String

        /// A file may contain both.
        var hasCertificate: Bool { text.contains("-----BEGIN CERTIFICATE-----") }
        var hasKey: Bool { text.contains("PRIVATE KEY-----") }

        /// What the file contains instead of what is expected.
        var flaw: Phrase {
            if hasCertificate { return Phrase("it contains a certificate, but no private key") }
            if hasKey { return Phrase("it contains a private key, but no certificate") }
            // DER begins with the tag of a sequence, and a length above 127 begins with a byte of 0x80 or more (ITU-T X.690, 8.1.3).
            let isDER = text.utf8.first == 0x30 && text.utf8.dropFirst().first.map { $0 >= 0x80 } ?? false
            return isDER ? Phrase("it is in DER format") : Phrase("it contains no PEM data ('-----BEGIN …')")
        }
    }

    private static func read(_ path: String) throws(Problem) -> File {
        do {
            return File(text: String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self))
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }

    // MARK: - GnuTLS

    /// The bytes that identify a public key, for certificates and for private keys.
    private typealias KeyIdentifier = [UInt8]

    private struct Certificates {
        var identifiers: [KeyIdentifier] = []
        /// The validity of the first certificate.
        var validity: ClosedRange<Instant>

        init(_ file: File, _ settings: Settings) throws(Problem) {
            guard file.hasCertificate else {
                throw settings.problem(with: .tlsCertificate, file.flaw, expected: .certificatePEM)
            }
            var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
            var count: UInt32 = 0
            let code = unsafe ServerCertificate.withDatum(file.text) { datum in
                unsafe gnutls_x509_crt_list_import2(&list, &count, datum, GNUTLS_X509_FMT_PEM, 0)
            }
            guard code >= 0, count > 0, let list = unsafe list else {
                throw settings.problem(
                    with: .tlsCertificate, Phrase("its certificate cannot be read (\(ServerCertificate.errorText(code)))"),
                    expected: .certificatePEM)
            }
            defer {
                for index in 0..<Int(count) { unsafe gnutls_x509_crt_deinit(list[index]) }
                unsafe picket_gnutls_free(list)
            }
            for index in 0..<Int(count) {
                identifiers.append(
                    unsafe ServerCertificate.identifier { bytes, size in
                        unsafe gnutls_x509_crt_get_key_id(list[index], 0, bytes, size)
                    })
            }
            let first = Instant(milliseconds: Int64(unsafe gnutls_x509_crt_get_activation_time(list[0])) * 1000)
            let last = Instant(milliseconds: Int64(unsafe gnutls_x509_crt_get_expiration_time(list[0])) * 1000)
            validity = min(first, last)...max(first, last)
        }
    }

    private static func identifier(ofKey file: File, _ settings: Settings) throws(Problem) -> KeyIdentifier {
        let expected = Phrase("the certificate's private key in PEM, without a passphrase")
        guard file.hasKey else { throw settings.problem(with: .tlsKey, file.flaw, expected: expected) }
        if file.text.contains("ENCRYPTED") {
            throw settings.problem(
                with: .tlsKey, Phrase("it is encrypted with a passphrase"),
                expected: Phrase(
                    "the certificate's private key in PEM, without a passphrase; to convert: openssl pkey -in FILE -out key.pem"))
        }
        var key: gnutls_x509_privkey_t?
        var code = unsafe gnutls_x509_privkey_init(&key)
        defer { unsafe gnutls_x509_privkey_deinit(key) }
        if code >= 0 {
            code = unsafe withDatum(file.text) { datum in
                unsafe gnutls_x509_privkey_import2(key, datum, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard code >= 0 else {
            throw settings.problem(
                with: .tlsKey, Phrase("its private key cannot be read (\(errorText(code)))"), expected: expected)
        }
        let found = unsafe identifier { bytes, size in unsafe gnutls_x509_privkey_get_key_id(key, 0, bytes, size) }
        if found.isEmpty {
            throw settings.problem(with: .tlsKey, Phrase("its private key is of an unknown kind"), expected: expected)
        }
        return found
    }

    /// The identifier that a function of GnuTLS writes; empty when it fails.
    private static func identifier(
        _ write: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) -> Int32
    ) -> KeyIdentifier {
        var bytes = KeyIdentifier(repeating: 0, count: 64)
        var size = bytes.count
        let code = unsafe bytes.withUnsafeMutableBufferPointer { unsafe write($0.baseAddress, &size) }
        return code >= 0 ? Array(bytes.prefix(size)) : []
    }

    private static func withDatum(_ text: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
        var bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = unsafe gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return unsafe body(&datum)
        }
    }

    private static func errorText(_ code: Int32) -> String { unsafe String(cString: gnutls_strerror(code)) }
}
