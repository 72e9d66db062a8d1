import Foundation
import HTTPClient
import Model
import TestSupport
import Testing

@Suite("HTTP and HTTPS")
struct TransportTests {
    private typealias PEM = TestCertificates

    private let shell: Shell

    init() throws { shell = try Shell() }

    private func file(_ name: String, _ text: String) throws -> String { try shell.file(name, text) }

    /// Runs `picket serve` on a free port, and expects that it does not start.
    private func refused(certificate: String, key: String) throws -> (status: Int32, problem: JSONValue) {
        let running = try shell.picket.start(
            ["serve", "--json", "--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key])
        defer { running.kill() }
        #expect(running.nextLine() == nil, "it started")
        running.process.waitUntilExit()
        let line = try #require(running.nextErrorLine())
        return (running.process.terminationStatus, try #require(try JSONParser.parse(line)["problem"]))
    }

    // MARK: - Certificates

    @Test(
        "An unusable certificate or key is refused with file, reason and remedy",
        arguments: [
            (PEM.key, PEM.certificate, "--tls-cert", "the two are swapped", "tls-cert KEY and tls-key CERT"),
            (PEM.certificate, PEM.otherKey, "--tls-key", "it does not belong to the certificate CERT", "was requested"),
            (
                PEM.otherCertificate + "\n" + PEM.certificate, PEM.key, "--tls-cert", "not the first one in it",
                "own certificate first"
            ),
            (PEM.certificate, PEM.encryptedKey, "--tls-key", "encrypted with a passphrase", "openssl pkey"),
            (PEM.certificate, PEM.certificate, "--tls-key", "a certificate, but no private key", "private key in PEM"),
            (PEM.key, PEM.key, "--tls-cert", "it contains a private key, but no certificate", "a certificate in PEM"),
            ("hello", PEM.key, "--tls-cert", "it contains no PEM data", "a certificate in PEM"),
            ("", PEM.key, "--tls-cert", "it contains no PEM data", "a certificate in PEM"),
            ("0\u{82}", PEM.key, "--tls-cert", "it is in DER", "a certificate in PEM"),
            (PEM.certificate, "hello", "--tls-key", "it contains no PEM data", "private key in PEM"),
            (
                String(PEM.certificate.prefix(200)) + "\n-----END CERTIFICATE-----\n", PEM.key, "--tls-cert",
                "its certificate cannot be read", "a certificate in PEM"
            ),
            (
                PEM.certificate, String(PEM.key.prefix(100)) + "\n-----END PRIVATE KEY-----\n", "--tls-key",
                "its private key cannot be read", "private key in PEM"
            ),
        ] as [(String, String, String, String, String)])
    func flawed(_ certificate: String, _ key: String, _ field: String, _ reason: String, _ expected: String) throws {
        let paths = (certificate: try file("c.pem", certificate), key: try file("k.pem", key))
        func filled(_ text: String) -> String {
            text.replacing("CERT", with: paths.certificate).replacing("KEY", with: paths.key)
        }
        let (status, problem) = try refused(certificate: paths.certificate, key: paths.key)
        #expect(status == 2 && problem["code"] == "validationFailed")
        let parameters = problem["parameters"]
        #expect(parameters?["field"]?.string == field)
        #expect(parameters?["value"]?.string == (field == "--tls-cert" ? paths.certificate : paths.key))
        #expect(parameters?["reason"]?.string?.contains(filled(reason)) == true, "\(problem)")
        #expect(parameters?["expected"]?.string?.contains(filled(expected)) == true, "\(problem)")
        #expect(!problem.description.contains("PRIVATE KEY"))
        // `picket config` reports the same problem.
        let config = try shell.picket.run(
            "config", "--json", "--tls-cert", paths.certificate, "--tls-key", paths.key)
        #expect(config.status == 1)
        #expect(try JSONParser.parse(config.errors)["problem"] == problem)
    }

    @Test("A missing certificate is named")
    func missing() throws {
        let (status, problem) = try refused(certificate: "/nowhere/c.pem", key: try file("k.pem", PEM.key))
        #expect(status == 3 && problem["code"] == "fileFailed")
        #expect(problem["message"]?.string?.contains("/nowhere/c.pem") == true)
    }

    @Test(
        "A certificate outside its validity is served, with a warning at start",
        arguments: [
            (PEM.expiredCertificate, "expired at 2021-01-01T00:00:00.000Z"),
            (PEM.futureCertificate, "not valid before 2119-01-01T00:00:00.000Z"),
        ])
    func outOfDate(_ certificate: String, _ reason: String) throws {
        let files = ["--tls-cert", try file("c.pem", certificate), "--tls-key", try file("k.pem", PEM.key)]
        let running = try shell.picket.start(["serve", "--json", "--listen", "127.0.0.1:0"] + files)
        defer { running.kill() }
        #expect(running.nextLine()?.contains("https://127.0.0.1:") == true)
        var line = try #require(running.nextErrorLine())
        while !line.contains(" error ") { line = try #require(running.nextErrorLine()) }
        #expect(line.contains("certificate: The certificate is currently not valid") && line.contains("Renew it"), "\(line)")
        let config = try shell.picket.run(["config"] + files)
        #expect(config.status == 1 && config.errors.contains("c.pem") && config.errors.contains(reason), "\(config.errors)")
    }

    @Test("A certificate chain is accepted when its first certificate fits the key")
    func chain() throws {
        let chain = try file("c.pem", PEM.certificate + "\n" + PEM.otherCertificate + "\n")
        let files = ["--tls-cert", chain, "--tls-key", try file("k.pem", PEM.key)]
        let config = try shell.picket.run(["config"] + files)
        #expect(config.status == 0 && config.errors.isEmpty, "\(config.errors)")
        // One file may contain both the key and the certificate.
        let both = try file("both.pem", PEM.key + PEM.certificate)
        #expect(try shell.picket.run("config", "--tls-cert", both, "--tls-key", both).status == 0)
    }

    // MARK: - Versions of TLS

    @Test("The service speaks TLS 1.2 and 1.3, and no earlier version")
    func versions() throws {
        guard let client = Tool("openssl") else { return Tool.skipped("old versions of TLS", without: "openssl") }
        let service = try RunningService(
            data: shell.directory.path + "/data", "--tls-cert", try file("c.pem", PEM.certificate),
            "--tls-key", try file("k.pem", PEM.key))
        for (version, isAccepted) in [("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
            // OpenSSL itself only uses the old versions at its lowest security level.
            let result = try client.run([
                "s_client", "-connect", "127.0.0.1:\(service.port)", version, "-cipher", "DEFAULT@SECLEVEL=0", "-no_ign_eof",
            ])
            #expect((result.status == 0) == isAccepted, "\(version): \(result.output)")
        }
    }

    // MARK: - The wrong scheme

    @Test("A request with the wrong scheme is answered with the right one")
    func scheme() throws {
        let certificate = try file("c.pem", PEM.certificate)
        let plain = try RunningService(data: shell.directory.path + "/plain")
        let safe = try RunningService(
            data: shell.directory.path + "/safe", "--tls-cert", certificate, "--tls-key", try file("k.pem", PEM.key))
        for (asked, right) in [
            ("https://127.0.0.1:\(plain.port)", "http://127.0.0.1:\(plain.port)"),
            ("http://127.0.0.1:\(safe.port)", "https://127.0.0.1:\(safe.port)"),
        ] {
            for command in [["status"], ["events", "--follow"], ["health", "--watch"], ["device", "add", "anna"]] {
                let result = try shell.picket.run(
                    command + ["--json", "--server", asked, "--server-ca", certificate, "--token", "picket_x"])
                let problem = try JSONParser.parse(result.errors)["problem"]
                #expect(problem?["code"] == "schemeMismatch", "\(result.errors)")
                #expect(problem?["message"]?.string?.contains("Use \(right)") == true)
            }
        }
        // An untrusted certificate is another problem, and the correct scheme is none.
        let untrusted = try shell.picket.run("status", "--json", "--server", "https://127.0.0.1:\(safe.port)")
        #expect(try JSONParser.parse(untrusted.errors)["problem"]?["code"] == "tlsFailed", "\(untrusted.errors)")
        let status = try shell.picket.run(
            "status", "--server", "https://127.0.0.1:\(safe.port)", "--server-ca", certificate)
        #expect(status.status == 0, "\(status.errors)")
    }

    @Test("The search for the right scheme sends no token and no body")
    func probe() throws {
        let server = try LoopbackServer { request, _ in
            request == "TLS" ? LoopbackServer.answer("400 Bad Request") : LoopbackServer.answer("401 Unauthorized")
        }
        let url = server.url.replacing("http:", with: "https:")
        let headers = [HTTPHeader("Authorization", "Bearer picket_secret")]
        do throws(HTTPClientError) {
            _ = try HTTPClient(.patient).send(HTTPRequest("POST", url + "/v1/x?token=y", headers: headers, body: [65, 66]))
            Issue.record("it was answered")
        } catch {
            #expect(error == .schemeMismatch(peer: url, other: server.url))
        }
        #expect(server.requests.count == 2 && server.requests[1].hasPrefix("HEAD / HTTP/1.1\r\n"))
        #expect(!server.requests.contains { $0.contains("secret") || $0.contains("/v1") || $0.contains("token") })
    }

    // MARK: - Tokens without TLS

    @Test(
        "The config command warns of tokens that others can read on the way",
        arguments: [
            (["--listen", "0.0.0.0:0"], true), (["--listen", "[::]:0"], true), (["--listen", "127.0.0.1:0"], false),
            (["--listen", "[::1]:0"], false), (["--listen", "localhost:0"], false),
            (["--listen", "0.0.0.0:0", "--public-url", "https://picket.example"], false),
            (["--listen", "127.0.0.1:0", "--public-url", "http://picket.example"], true),
            (["--listen", "0.0.0.0:0", "--tls-cert", "CERT", "--tls-key", "KEY"], false),
        ])
    func plainTokens(_ options: [String], _ warns: Bool) throws {
        let paths = ["CERT": try file("c.pem", PEM.certificate), "KEY": try file("k.pem", PEM.key)]
        let options = options.map { paths[$0] ?? $0 }
        let config = try shell.picket.run(["config", "--json"] + options)
        #expect(config.status == (warns ? 1 : 0))
        #expect(config.errors.contains("insecureTransport") == warns)
    }

    @Test("The serve command warns of tokens that others can read on the way")
    func warnsAtStart() throws {
        try shell.picket.run("token", "create", "me", "--role", "admin")
        // The service only listens on this machine; the setting says that others reach it through a proxy.
        for (url, warns) in [("http://picket.example", true), ("https://picket.example", false)] {
            let running = try shell.picket.start(["serve", "--json", "--listen", "127.0.0.1:0", "--public-url", url])
            #expect(running.nextLine() != nil)
            running.kill()
            let log = String(decoding: running.errors.readDataToEndOfFile(), as: UTF8.self)
            #expect(log.contains("warning transport: \(url) serves unencrypted HTTP") == warns, "\(log)")
        }
    }
}
