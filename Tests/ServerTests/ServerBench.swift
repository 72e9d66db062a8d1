import Foundation
import HTTPServer
import Model
import Observability
import Presence
import Service
import Settings
import TestSupport

@testable import Core
@testable import Server

/// A server with its own data directory. Requests go to its routes in this process; connections are accepted only after
/// `takeConnections()`.
final class ServerBench: TestClient {
    let directory: TemporaryDirectory
    let server: Server
    let clock: TestClock
    private var takesConnections = false
    private var otherSockets: [ListeningSocket] = []
    private let serverLog: Log
    var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    /// The service's log so far.
    var log: String {
        get throws {
            serverLog.flush(within: Watchdog.seconds)
            return try String(contentsOfFile: directory.path + "/log", encoding: .utf8)
        }
    }

    /// - Parameters:
    ///   - logLevel: The level from which lines are logged; see `log`.
    ///   - flags: More settings.
    ///   - dashboard: The folder of the dashboard's files.
    ///   - clocks: The clocks of the machine, which replace `clock`.
    ///   - prepare: Called with the data directory before the server starts.
    init(
        logLevel: LogLevel = .error, flags: [String: String] = [:], dashboard: String? = nil, clocks: (any MachineClocks)? = nil,
        prepare: (DataDirectory, TestClock) throws -> Void = { _, _ in }
    ) throws {
        directory = try TemporaryDirectory()
        clock = TestClock()
        try prepare(DataDirectory(path: directory.path + "/data"), clock)
        let settings = try Settings(
            flags: ["listen": "127.0.0.1:0", "durability": "normal", "log-level": "error"].merging(flags) { $1 },
            environment: ["TZ": "UTC"],
            dataDirectory: directory.path + "/data", systemFile: directory.path + "/none")
        let file = open(directory.path + "/log", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        serverLog = Log(level: logLevel, descriptor: file, clock: clock)
        let clock: any WallClock = if let clocks { ServiceClock(clocks) } else { self.clock }
        server = try Server(settings, version: "test", dashboard: dashboard, clock: clock, log: serverLog)
    }

    private var isStopped = false

    /// Stops the server before the bench ends, so that a test can use its data.
    func stop() {
        if !isStopped { server.stop() }
        isStopped = true
    }

    deinit {
        for socket in otherSockets { socket.close() }
        if isStopped { return }
        // The server is stopped on another thread, because this may be one of the few threads that the server's tasks need to finish.
        let (server, directory) = (server, directory)
        Thread {
            server.stop()
            withExtendedLifetime(directory) {}
        }.start()
    }

    /// Runs the first tick of a new `Housekeeping`, which includes what is done once a minute, and waits for its work in the writer and for
    /// the journal.
    func tick(keepPositions: Double? = nil) async throws {
        Housekeeping(server.api, data, keepPositions: keepPositions).tick()
        for _ in 0..<4 { try await server.api.store.writer.perform { _ in } }
        _ = try await server.api.store.readers.ask { service throws(Problem) in try service.newestSequence() }
    }

    /// Starts to accept connections.
    ///
    /// - Returns: The port.
    @discardableResult
    func takeConnections() throws -> Int {
        if !takesConnections { try server.start() }
        takesConnections = true
        return server.api.site.address.port
    }

    /// Accepts connections at another port, where other limits on the memory for bodies and answers apply.
    ///
    /// - Returns: The HTTP server of that port, which the test has to stop, and the port.
    func serve(with budget: MemoryBudget) throws -> (daemon: HTTPDaemon, port: Int) {
        let daemon = HTTPDaemon(HTTPDaemon.Limits(budget: budget), responder: server.api)
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        otherSockets.append(socket)
        try socket.listen()
        try daemon.start(socket, tls: nil)
        return (daemon, socket.port)
    }

    /// A client of the service that can be used from other tasks.
    var client: InProcessClient { InProcessClient(api: server.api) }

    func answer(_ request: TestRequest) async throws -> TestAnswer { try await client.answer(request) }

    /// Creates a circular geofence.
    @discardableResult
    func add(
        _ id: String, _ latitude: Double, _ longitude: Double, radius: Double = 100, _ more: String = ""
    ) async throws -> TestAnswer {
        try await ask(
            "POST", "/v1/geofences",
            body:
                "{\"id\":\"\(id)\",\"name\":\"\(id)\",\"latitude\":\(latitude),\"longitude\":\(longitude),\"radius\":\(radius)\(more)}"
        )
    }

    /// Sends one position.
    @discardableResult
    func move(_ device: String, to latitude: Double, _ longitude: Double, at time: String) async throws -> TestAnswer {
        try await ask(
            "POST", "/v1/positions?policy=exact",
            body: "{\"device\":\"\(device)\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":\(longitude)}")
    }
}

/// A message of the live stream.
struct StreamNotice: Sendable {
    var kind: String
    var json: JSONValue
}

extension ServerBench {
    /// The messages of the live stream while `body` runs, up to the first one for which `isLast` returns true.
    func notices(
        _ query: String = "notices=true", in language: Language = .english, while body: () async throws -> Void,
        until isLast: @escaping @Sendable (StreamNotice) -> Bool
    ) async throws -> [StreamNotice] {
        let port = try takeConnections()
        let open = server.api.streams.count
        async let received = BlockingCall.run { () throws -> [StreamNotice] in
            let stream = try Self.stream(port, query, in: language)
            var received: [StreamNotice] = []
            var kind = ""
            while received.last.map(isLast) != true {
                let line = try stream.line()
                if line.hasPrefix("event: ") { kind = String(line.dropFirst(7)) }
                if line.hasPrefix("data: "), kind != "heartbeat" {
                    received.append(.init(kind: kind, json: try JSONParser.parse(String(line.dropFirst(6)))))
                }
            }
            return received
        }
        while server.api.streams.count == open { await Task.yield() }
        try await body()
        return try await received
    }

    /// Opens a live stream with HTTP/1.0, so that the response is not chunked.
    static func stream(
        _ port: Int, _ query: String = "", after id: String? = nil, in language: Language = .english
    ) throws -> RawConnection {
        // Other tests may delay the service for minutes.
        let connection = try RawConnection(port: port, seconds: 1200)
        connection.send(
            "GET /v1/events/stream?\(query) HTTP/1.0\r\nHost: localhost:\(port)\r\nAccept-Language: \(language.rawValue)\r\n"
                + (id.map { "Last-Event-ID: \($0)\r\n" } ?? "") + "\r\n")
        return connection
    }
}

extension JSONValue {
    /// The strings of one member in all elements of a list.
    func column(_ list: String, _ name: String) -> [String] { (self[list]?.array ?? []).compactMap { $0[name]?.string } }
}
