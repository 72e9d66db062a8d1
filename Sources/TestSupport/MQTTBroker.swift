import Foundation
import Synchronization

/// A mosquitto broker of one test's own, on a free port of 127.0.0.1, ended with the test at the latest.
public final class MQTTBroker: Sendable {
    public struct Options: Sendable {
        /// Passwords by user. Empty: everybody may connect.
        public var users: [String: String] = [:]
        /// Speak TLS with this certificate.
        public var certificate: SelfSignedCertificate?
        /// Lines of an access list (mosquitto.conf(5), `acl_file`). Empty: everybody may do everything.
        public var accessList: [String] = []
        /// Whether sessions and retained messages survive `kill()`.
        public var isPersistent = false
        /// Further lines of mosquitto.conf(5).
        public var lines: [String] = []

        public init() {}
    }

    public struct DidNotStart: Error {
        public var log: String
    }

    public let port: Int
    private let options: Options
    private let directory: TemporaryDirectory
    private let running = Mutex<Running?>(nil)

    private struct Running {
        var process: TestProcess
        var log: ProcessLog
    }

    /// Starts it, and waits until it accepts connections.
    ///
    /// - Parameter port: Nil: a free one.
    public init(port: Int? = nil, _ options: Options = Options()) throws {
        self.port = try port ?? FreePort.take()
        self.options = options
        directory = try TemporaryDirectory()
        try configure()
        try start()
    }

    deinit { kill() }

    /// Whether mosquitto is on this machine. `tools/test` installs it.
    public static var isInstalled: Bool { program != nil }

    private static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// As `mqtt://127.0.0.1:1883`, or `mqtts://localhost:8883`.
    public var url: String { url(user: nil) }

    /// The URL with a user of `Options.users` and the password in it.
    public func url(user: String?) -> String {
        let signIn = user.map { "\($0):\(options.users[$0] ?? "")@" } ?? ""
        return options.certificate == nil ? "mqtt://\(signIn)127.0.0.1:\(port)" : "mqtts://\(signIn)localhost:\(port)"
    }

    /// What it has written to its log since it was started last.
    public var log: String { running.withLock { $0?.log.text } ?? "" }

    /// Starts it again, on the same port.
    public func start() throws {
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

    /// Ends it at once, as a power cut would.
    public func kill() { running.withLock { $0?.process }?.kill() }

    /// Has it write sessions and their messages to disk, and waits until it has. While it runs, it saves some of them only now and then.
    public func save() throws {
        let file = directory.path + "/mosquitto.db"
        // It writes another file and gives it this name, so the file is whole as soon as it is there.
        unlink(file)
        signal(SIGUSR1)
        while access(file, F_OK) != 0 {
            guard running.withLock({ $0?.process.isRunning ?? false }) else { throw DidNotStart(log: log) }
            sched_yield()
        }
    }

    /// Has it do nothing until `resume()`: connections stay, and nobody answers.
    public func pause() { signal(SIGSTOP) }
    public func resume() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        running.withLock { $0?.process.signal(number) }
    }

    private func configure() throws {
        var lines = ["listener \(port) 127.0.0.1", "log_dest stderr", "allow_anonymous \(options.users.isEmpty)"]
        // As root it would become another user, who may not read the directory.
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
            // Hashed in place by mosquitto's own tool.
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
