import Foundation
import Synchronization

/// A mosquitto broker that one test uses, on a free port of 127.0.0.1. It ends at the end of the test.
package final class MQTTBroker: Sendable {
    package struct Options: Sendable {
        /// Passwords by user. Without any, every client may connect.
        package var users: [String: String] = [:]
        /// The certificate for TLS; nil for no TLS.
        package var certificate: SelfSignedCertificate?
        /// The lines of an access list (mosquitto.conf(5), `acl_file`). Without any, everything is allowed.
        package var accessList: [String] = []
        /// Whether sessions and retained messages survive `kill()`.
        package var isPersistent = false
        /// More lines for mosquitto.conf(5).
        package var lines: [String] = []

        package init() {}
    }

    package struct DidNotStart: Error {
        package var log: String
    }

    package let port: Int
    private let options: Options
    private let directory: TemporaryDirectory
    private let running = Mutex<Running?>(nil)

    private struct Running {
        var process: TestProcess
        var log: ProcessLog
    }

    /// Starts the broker, and waits until it accepts connections.
    ///
    /// - Parameter port: The port to listen on; nil for a free one.
    package init(port: Int? = nil, _ options: Options = Options()) throws {
        self.port = try port ?? FreePort.find()
        self.options = options
        directory = try TemporaryDirectory()
        try configure()
        try start()
    }

    deinit { kill() }

    /// Whether mosquitto is installed. `tools/test` installs it.
    package static var isInstalled: Bool { program != nil }

    private static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The URL, `mqtt://127.0.0.1:PORT` or `mqtts://localhost:PORT`.
    package var url: String { url(user: nil) }

    /// The URL with a user of `Options.users` and the user's password.
    package func url(user: String?) -> String {
        let signIn = user.map { "\($0):\(options.users[$0] ?? "")@" } ?? ""
        return options.certificate == nil ? "mqtt://\(signIn)127.0.0.1:\(port)" : "mqtts://\(signIn)localhost:\(port)"
    }

    /// The broker's log since its last start.
    package var log: String { running.withLock { $0?.log.text } ?? "" }

    /// Starts the broker, again on the same port.
    package func start() throws {
        guard let program = Self.program else { throw DidNotStart(log: "mosquitto is not installed") }
        let pipe = Pipe()
        let process = try TestProcess(
            program, ["-c", directory.path + "/mosquitto.conf"], output: .pipe(pipe), errors: .pipe(pipe))
        let log = ProcessLog(pipe.fileHandleForReading)
        guard log.wait(for: " running") else {
            process.kill()
            throw DidNotStart(log: log.text)
        }
        running.withLock { $0 = Running(process: process, log: log) }
    }

    /// Kills the broker, as a power failure would.
    package func kill() { running.withLock { $0?.process }?.kill() }

    /// Makes the broker write sessions and their messages to disk, and waits until it has done so. Otherwise it saves some of
    /// them only occasionally.
    package func save() throws {
        let file = directory.path + "/mosquitto.db"
        // The broker writes a temporary file and renames it, so the file is complete as soon as it exists.
        unlink(file)
        signal(SIGUSR1)
        while access(file, F_OK) != 0 {
            guard running.withLock({ $0?.process.isRunning ?? false }) else { throw DidNotStart(log: log) }
            sched_yield()
        }
    }

    /// Suspends the broker until `resume()`: connections stay open, but nothing is answered.
    package func pause() { signal(SIGSTOP) }
    package func resume() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        running.withLock { $0?.process.signal(number) }
    }

    private func configure() throws {
        var lines = ["listener \(port) 127.0.0.1", "log_dest stderr", "allow_anonymous \(options.users.isEmpty)"]
        // Run by root, mosquitto would switch to another user, who cannot read the directory.
        if geteuid() == 0 { lines.append("user root") }
        if options.isPersistent {
            lines += [
                "persistence true", "persistence_location \(directory.path)/", "autosave_on_changes true", "autosave_interval 1",
            ]
        }
        if let certificate = options.certificate {
            lines += ["certfile \(certificate.certificate)", "keyfile \(certificate.key)"]
        }
        if !options.users.isEmpty {
            // mosquitto's own tool replaces the passwords in the file with hashes.
            let file = try directory.write(options.users.map { "\($0):\($1)\n" }.joined(), to: "passwords")
            let tool = try TestProcess("/usr/bin/mosquitto_passwd", ["-U", file])
            tool.waitUntilExit()
            lines.append("password_file \(file)")
        }
        if !options.accessList.isEmpty {
            let file = try directory.write(options.accessList.joined(separator: "\n") + "\n", to: "access")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            lines.append("acl_file \(file)")
        }
        try directory.write((lines + options.lines).joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }
}
