import Foundation

/// A self-signed certificate that is valid for a day, created with the `openssl` program.
package struct SelfSignedCertificate: Sendable {
    /// The paths of PEM files.
    package let certificate: String
    package let key: String
    private let directory: TemporaryDirectory

    package struct Failure: Error {}

    /// - Parameter names: The subject alternative names, such as `DNS:localhost,IP:127.0.0.1`.
    package init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        directory = try TemporaryDirectory()
        certificate = directory.path + "/certificate.pem"
        key = directory.path + "/key.pem"
        let process = try TestProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                "/CN=picket-test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
            ], errors: .null)
        if process.terminationStatus != 0 { throw Failure() }
    }

    /// Whether the `openssl` program is installed. `tools/test` installs it.
    package static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }
}
