import Foundation

/// A certificate of a test's own, made by the `openssl` program: its own authority, valid for a day.
public struct SelfSignedCertificate: Sendable {
    /// Paths of files in PEM.
    public let certificate: String
    public let key: String
    private let directory: TemporaryDirectory

    public struct Failure: Error {}

    /// - Parameter names: The names of the host that it is made out to, as in `DNS:localhost,IP:127.0.0.1`.
    public init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
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

    /// Whether the `openssl` program is on this machine. `tools/test` installs it.
    public static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }
}
