import Foundation
import HTTPClient
import Model
import TestSupport
import Testing

/// A proxy on 127.0.0.1 with a configuration of docs/proxies.md. It ends at the end of the test.
final class DocumentedProxy {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case caddy, nginx

        var testDescription: String { rawValue }
        /// The language of its blocks on the page.
        var language: String { self == .caddy ? "caddyfile" : "nginx" }

        var program: String? {
            ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
        }
    }

    struct DidNotStart: Error { var log: String }

    let port: Int
    /// The file with the certificate to trust.
    let authorities: String
    private let directory: TemporaryDirectory
    private let process: TestProcess

    /// Starts the proxy, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - block: The index of the configuration among those of this kind on the page: 0 for a host, 1 for a path.
    ///   - service: The port of the service.
    init(_ kind: Kind, block: Int, port: Int, to service: Int) throws {
        let page = try String(contentsOf: SharedData.checkout.appending(path: "docs/proxies.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```\(kind.language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        try #require(blocks.count == 2)
        let directory = try TemporaryDirectory()
        let authorities: String
        var text = blocks[block].replacing("127.0.0.1:7575", with: "127.0.0.1:\(service)")
        let arguments: [String]
        switch kind {
        case .caddy:
            // For this name, Caddy creates a certificate itself.
            text = text.replacing(#/[a-z]+\.example\.org/#, with: "https://localhost:\(port)")
            let folder = directory.path
            let options = """
                {
                    admin off
                    auto_https disable_redirects
                    skip_install_trust
                    storage file_system \(folder)/storage
                }

                """
            authorities = folder + "/storage/pki/authorities/local/root.crt"
            arguments = ["run", "--adapter", "caddyfile", "--config", try directory.write(options + text, to: "Caddyfile")]
        case .nginx:
            let certificate = try SelfSignedCertificate(names: "DNS:localhost")
            authorities = try directory.write(
                try String(contentsOfFile: certificate.certificate, encoding: .utf8), to: "certificate.pem")
            let key = try directory.write(try String(contentsOfFile: certificate.key, encoding: .utf8), to: "key.pem")
            text = text.replacing(#/ssl_certificate .*;/#, with: "ssl_certificate \(authorities);")
                .replacing(#/ssl_certificate_key .*;/#, with: "ssl_certificate_key \(key);")
                .replacing("listen 443", with: "listen 127.0.0.1:\(port)")
                .replacing("    listen [::]:443 ssl;\n", with: "")
            if block == 1 {
                text =
                    "server { listen 127.0.0.1:\(port) ssl; ssl_certificate \(authorities); ssl_certificate_key \(key);\n\(text)}"
            }
            let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory.path)/\($0);" }
            // Run by root, nginx would switch to another user, who cannot write to the directory.
            let main = """
                daemon off; master_process off; pid \(directory.path)/pid; \(geteuid() == 0 ? "user root;" : "")
                events {}
                http { access_log off; \(folders.joined(separator: " "))
                \(text)
                }

                """
            arguments = ["-e", "stderr", "-p", directory.path, "-c", try directory.write(main, to: "nginx.conf")]
        }
        let pipe = Pipe()
        // Caddy wants a home for its own settings.
        let environment = TestProcess.environment.merging(["HOME": directory.path, "XDG_DATA_HOME": directory.path]) { $1 }
        let process = try TestProcess(
            try #require(kind.program), arguments, environment: environment, output: .pipe(pipe), errors: .pipe(pipe))
        let log = ProcessLog(pipe.fileHandleForReading)
        let isReady = Watchdog.wait {
            !process.isRunning || ((try? RawConnection(port: port)) != nil && FileManager.default.fileExists(atPath: authorities))
        }
        guard isReady, process.isRunning else {
            process.kill()
            throw DidNotStart(log: log.text)
        }
        (self.port, self.authorities, self.directory, self.process) = (port, authorities, directory, process)
    }

    deinit { process.kill() }
}

@Suite("The page on proxies", .timeLimit(.minutes(60)))
struct ProxyTests {
    /// A request with curl from 127.0.0.2, which is not the address of the proxy. Returns the status and the body.
    private static func ask(_ url: String, _ proxy: DocumentedProxy, _ options: [String] = []) throws -> (
        status: String, body: String
    ) {
        let curl = try #require(Tool("curl"))
        let base = ["-s", "--noproxy", "*", "--cacert", proxy.authorities, "--interface", "127.0.0.2", "-w", "\n%{http_code}"]
        let lines = try curl.run(base + options + [url]).output.components(separatedBy: "\n")
        return (lines.last ?? "", lines.dropLast().joined(separator: "\n"))
    }

    @Test(
        "Through the proxy come the dashboard, positions, the live stream and large bodies, and Picket knows the client's address",
        .enabled("caddy, nginx, curl or openssl is not installed") {
            DocumentedProxy.Kind.allCases.allSatisfy { $0.program != nil } && Tool("curl") != nil
                && SelfSignedCertificate.isAvailable
        }, arguments: DocumentedProxy.Kind.allCases, ["", "/picket"])
    func proxy(kind: DocumentedProxy.Kind, path: String) throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/data")
        let made = try picket.run("token", "create", "me", "--role", "admin", "--json")
        let secret = try #require(try JSONParser.parse(made.output)["secret"]?.string)
        try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let port = try FreePort.find()
        let address = "https://localhost:\(port)\(path)"
        let service = try RunningService(picket, ["--public-url", address, "--trusted-proxy", "127.0.0.1"])
        let proxy = try DocumentedProxy(kind, block: path.isEmpty ? 0 : 1, port: port, to: service.port)
        let signedIn = ["-H", "Authorization: Bearer \(secret)"]

        // Caddy makes its certificate after it has begun to listen.
        #expect(Watchdog.wait { (try? Self.ask(address + "/readyz", proxy).body) == "ready\n" })
        #expect(try Self.ask(address + "/", proxy).body.contains("<title>Picket"))
        #expect(try Self.ask(address + "/dashboard/main.js", proxy).status == "200")
        // A request through the proxy is not one of this machine.
        #expect(try Self.ask(address + "/v1/devices", proxy).status == "401")
        if !path.isEmpty {
            #expect(try Self.ask("https://localhost:\(port)/v1/devices", proxy).body.contains("urn:picket") == false)
        }

        // An id with a slash.
        let report = "/osmand?id=anna%2Fphone&lat=52.5&lon=13.4&accuracy=5"
        #expect(try Self.ask(address + report, proxy).status == "401")
        #expect(try picket.run("device", "waiting").output.contains("127.0.0.2"))
        // What happens arrives on the stream, while the stream stays open.
        let pipe = Pipe()
        let stream = try TestProcess(
            try #require(Tool("curl")).path,
            ["-sN", "--noproxy", "*", "--cacert", proxy.authorities] + signedIn + [address + "/v1/events/stream"],
            output: .pipe(pipe), errors: .pipe(pipe))
        defer { stream.kill() }
        let streamed = ProcessLog(pipe.fileHandleForReading)
        #expect(streamed.wait(for: "event: heartbeat"))
        #expect(try Self.ask(address + report, proxy, signedIn).body == "OK\n")
        #expect(streamed.wait(for: #""geofenceId":"home""#), "\(streamed.text)")
        #expect(try Self.ask(address + "/v1/devices/anna%2Fphone", proxy, signedIn).status == "200")

        // More than the megabyte that nginx allows by default.
        let positions = (0..<20_000).map { index in
            #"{"device":"van","timestamp":"2026-05-01T10:00:00Z","latitude":52.\#(10_000 + index),"longitude":13.4}"#
        }
        let file = try directory.write("[\(positions.joined(separator: ","))]", to: "positions.json")
        let sent = try Self.ask(address + "/v1/positions", proxy, signedIn + ["-d", "@" + file])
        #expect(sent.status == "200", "\(sent.body.prefix(200))")

        // The session of the dashboard belongs to the path.
        let jar = directory.path + "/cookies"
        let signIn = try Self.ask(
            address + "/v1/session", proxy,
            [
                "-c", jar, "-H", "Content-Type: application/json", "-H", "Origin: https://localhost:\(port)", "-H",
                "X-Picket-Page: 1", "-d",
                #"{"token":"\#(secret)"}"#,
            ])
        #expect(signIn.status.hasPrefix("2"), "\(signIn)")
        #expect(try Self.ask(address + "/v1/devices", proxy, ["-b", jar]).status == "200")
    }
}
