import Foundation
import TestSupport
import Testing

/// A notification socket like that of systemd.
private final class NotifySocket {
    let path: String
    private let descriptor: Int32

    init(in directory: TemporaryDirectory) throws {
        path = directory.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0, "\(String(cString: strerror(errno)))")
        // With a timeout, a service that sends nothing fails the test instead of blocking it.
        var patience = timeval(tv_sec: Int(Watchdog.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The lines of the next notification; empty when there is none for too long.
    func next() -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The next notification other than the watchdog's.
    func nextChange() -> [String] {
        var said = next()
        while said == ["WATCHDOG=1"] { said = next() }
        return said
    }
}

@Suite("Service under systemd")
struct ServiceManagerTests {
    @Test("The service reports that it is ready, alive, reloading and stopping", .timeLimit(.minutes(60)))
    func life() throws {
        let directory = try TemporaryDirectory()
        let manager = try NotifySocket(in: directory)
        var picket = Program(data: directory.path + "/data")
        picket.environment = ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "600000", "PICKET_LOG_LEVEL": "error"]
        let service = try picket.start(["serve", "--listen", "127.0.0.1:0"])
        let process = service.process.processIdentifier
        defer { service.kill() }
        let ready = manager.next()
        #expect(ready.first == "READY=1" && ready.last?.hasPrefix("STATUS=serves at http://127.0.0.1:") == true, "\(ready)")
        #expect(manager.next() == ["WATCHDOG=1"])
        #expect(manager.next() == ["WATCHDOG=1"])
        kill(process, SIGHUP)
        let reloading = manager.nextChange()
        #expect(reloading.first == "RELOADING=1" && reloading.last?.hasPrefix("MONOTONIC_USEC=") == true, "\(reloading)")
        #expect(manager.nextChange().first == "READY=1")
        kill(process, SIGTERM)
        #expect(manager.nextChange() == ["STOPPING=1"])
        service.process.waitUntilExit()
        #expect(service.process.terminationStatus == 0)
    }

    @Test("The service listens on a socket that systemd passes to it, and answers what was sent before it started")
    func socketActivation() throws {
        let directory = try TemporaryDirectory()
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let port = try FreePort.find()
        try #require(Self.listen(descriptor, port: port))
        let early = try RawConnection(port: port)
        early.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // systemd sets LISTEN_PID to the process of the service. The shell replaces itself by the service, which keeps the number.
        func start(files: String, passing file: Int32) throws -> (TestProcess, Pipe) {
            let pipe = Pipe()
            let command = "LISTEN_PID=$$ LISTEN_FDS=\(files) exec '\(Program.path)' serve --data '\(directory.path)/data'"
            return (try TestProcess("/bin/sh", ["-c", command], output: .pipe(pipe), errors: .pipe(pipe), passing: file), pipe)
        }
        let (service, output) = try start(files: "1", passing: descriptor)
        let log = ProcessLog(output.fileHandleForReading)
        defer { service.kill() }
        #expect(log.wait(for: "http://127.0.0.1:\(port)"), "\(log.text)")
        #expect(try early.answer()?.status == 200)
        service.terminate()
        #expect(service.terminationStatus == 0)

        // Others could reach this address, and there is no token.
        let everywhere = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(everywhere) }
        try #require(Self.listen(everywhere, address: "0.0.0.0", port: 0))
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        for (files, passed, reason) in [
            ("1", everywhere, "no token yet"), ("2", descriptor, "LISTEN_FDS"), ("1", file, "is not a TCP socket"),
        ] {
            let (refused, output) = try start(files: files, passing: passed)
            let log = ProcessLog(output.fileHandleForReading)
            #expect(log.wait(for: reason), "\(log.text)")
            #expect(refused.terminationStatus == 2)
        }
    }

    /// Makes a socket listen at an IPv4 address.
    private static func listen(_ descriptor: Int32, address: String = "127.0.0.1", port: Int) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = inet_addr(address)
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && Foundation.listen(descriptor, 16) == 0
            }
        }
    }

    @Test("SIGHUP opens the log's file again, even when the settings cannot be used", .timeLimit(.minutes(60)))
    func logFile() throws {
        let directory = try TemporaryDirectory()
        let manager = try NotifySocket(in: directory)
        let log = directory.path + "/picket.log"
        var picket = Program(data: directory.path + "/data")
        picket.environment = ["NOTIFY_SOCKET": manager.path]
        let service = try picket.start(["serve", "--listen", "127.0.0.1:0", "--log-file", log])
        defer { service.kill() }
        #expect(manager.next().first == "READY=1")
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("started: The service is listening."))
        func rotate(to name: String, settings: String) throws {
            try FileManager.default.moveItem(atPath: log, toPath: directory.path + "/" + name)
            try Data(settings.utf8).write(to: URL(filePath: picket.data + "/picket.conf"))
            kill(service.process.processIdentifier, SIGHUP)
            #expect(manager.nextChange().first == "RELOADING=1")
            #expect(manager.nextChange().first == "READY=1")
        }
        try rotate(to: "picket.log.1", settings: "log-level = loud\n")
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "")
        try rotate(to: "picket.log.2", settings: "")
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("reloaded: "))
    }

    @Test("The settings template changes no setting")
    func template() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        let before = try picket.run("config", "--json").lines
        let template = try picket.run("config", "--template").output
        try directory.write(template, to: "picket.conf")
        #expect(try picket.run("config", "--json").lines == before)
        // Each default in the template is valid.
        let lines = template.split(separator: "\n").filter { $0.hasPrefix("# ") && $0.contains(" = ") }.map { $0.dropFirst(2) }
        let names = lines.compactMap { $0.split(separator: " ").first }
        #expect(names.count > 10 && names.contains("listen") && !names.contains("token"))
        let usable = lines.filter { line in
            line.split(separator: " ").last.map { $0 != $0.uppercased() || $0.contains("0") } == true
        }
        try directory.write(usable.joined(separator: "\n"), to: "picket.conf")
        let result = try picket.run("config")
        #expect(result.status == 0, "\(result.errors)")
    }
}
