import Foundation
import Geodesy
import Model
import Observability
import Service
import Settings
import Synchronization
import TestSupport

@testable import Server

/// A server on a port of its own over a directory of its own, and a way to talk to it.
final class ServerBench {
    let directory: TemporaryDirectory
    let server: Server
    let clock: Clock
    var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    /// A clock that a test sets.
    final class Clock: WallClock {
        private let time = Mutex(Instant("2026-11-20T12:00:00Z")!)
        func set(_ now: Instant) { time.withLock { $0 = now } }
        func now() -> Instant { time.withLock { $0 } }
    }

    /// What the service has written to its log so far.
    var log: String {
        get throws { try String(contentsOfFile: directory.path + "/log", encoding: .utf8) }
    }

    /// - Parameters:
    ///   - logLevel: From which on the log is kept, see `log`.
    ///   - flags: Further settings.
    ///   - dashboard: The folder of the dashboard's files.
    ///   - prepare: What is done to the data directory before.
    init(
        logLevel: LogLevel = .error, flags: [String: String] = [:], dashboard: String? = nil,
        prepare: (DataDirectory, Clock) throws -> Void = { _, _ in }
    ) throws {
        directory = try TemporaryDirectory()
        clock = Clock()
        try prepare(DataDirectory(path: directory.path + "/data"), clock)
        let settings = try Settings(
            flags: ["listen": "127.0.0.1:0", "durability": "normal", "log-level": "error"].merging(flags) { $1 },
            environment: [:],
            dataDirectory: directory.path + "/data", systemFile: directory.path + "/none")
        let file = open(directory.path + "/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        server = try Server(
            settings, version: "test", dashboard: dashboard, clock: clock,
            log: Log(level: logLevel, descriptor: file, clock: clock))
    }

    deinit {
        // Not here: this may be one of the few threads that the server's own tasks need to come to their end.
        let (server, directory) = (server, directory)
        Thread {
            server.stop()
            withExtendedLifetime(directory) {}
        }.start()
    }

    var port: Int { server.url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Does something that blocks on a thread of its own: tests run on the few threads that the server's own tasks need.
    func apart<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await Self.apart(body)
    }

    static func apart<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    /// Asks for something over a connection of its own.
    @discardableResult
    func ask(
        _ method: String, _ target: String, _ body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> Wire.Answer {
        let port = port
        return try await apart { try Self.ask(port, method, target, body, type: type, headers: headers) }
    }

    static func ask(
        _ port: Int, _ method: String, _ target: String, _ body: String?, type: String = "application/json",
        headers: [String: String] = [:]
    ) throws -> Wire.Answer {
        let wire = try Wire(port: port)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for header in headers.sorted(by: { $0.key < $1.key }) { head += "\(header.key): \(header.value)\r\n" }
        if let body { head += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n" }
        wire.send(head + "\r\n" + (body ?? ""))
        return try wire.answer(hasBody: method != "HEAD")
    }

    /// Asks, and reads the answer as JSON.
    func json(_ target: String, headers: [String: String] = [:]) async throws -> JSONValue {
        try await ask("GET", target, headers: headers).json()
    }

    /// Makes a circle.
    @discardableResult
    func add(_ id: String, _ latitude: Double, _ longitude: Double, radius: Double = 100, _ more: String = "") async throws
        -> Wire.Answer
    {
        try await ask(
            "POST", "/v1/geofences",
            "{\"id\":\"\(id)\",\"name\":\"\(id)\",\"latitude\":\(latitude),\"longitude\":\(longitude),\"radius\":\(radius)\(more)}"
        )
    }

    /// Sends one position.
    @discardableResult
    func move(_ device: String, to latitude: Double, _ longitude: Double, at time: String) async throws -> Wire.Answer {
        try await ask(
            "POST", "/v1/positions?policy=exact",
            "{\"device\":\"\(device)\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":\(longitude)}")
    }
}

/// Something that the live stream tells.
struct StreamNotice: Sendable {
    var kind: String
    var json: JSONValue
}

extension ServerBench {
    /// What the live stream tells while something is done, up to and including the last one that is meant.
    func notices(
        in language: Language = .english, while body: () async throws -> Void,
        until isLast: @escaping @Sendable (StreamNotice) -> Bool
    ) async throws -> [StreamNotice] {
        let port = port
        let open = server.api.streams.count
        let head = "Host: 127.0.0.1\r\nAccept-Language: \(language.rawValue)\r\n\r\n"
        async let told = Self.apart { () throws -> [StreamNotice] in
            let wire = try Wire(port: port)
            wire.send("GET /v1/events/stream?notices=true HTTP/1.1\r\n\(head)")
            var told: [StreamNotice] = []
            var kind = ""
            while told.last.map(isLast) != true {
                let line = try wire.line()
                if line.hasPrefix("event: ") { kind = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") {
                    told.append(.init(kind: kind, json: try JSONParser.parse(String(line.dropFirst(6)))))
                }
            }
            return told
        }
        while server.api.streams.count == open { await Task.yield() }
        try await body()
        return try await told
    }
}

extension JSONValue {
    /// The texts of one member of each element of a list.
    func column(_ list: String, _ name: String) -> [String] { (self[list]?.array ?? []).compactMap { $0[name]?.string } }
}
