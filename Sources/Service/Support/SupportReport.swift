import Delivery
import Foundation
import Model
import Observability
import Settings
import Store

/// What a person sends to whoever helps with Picket: versions, settings, facts of the store, what is wrong, how connections are, and the
/// end of the log.
///
/// It holds no secret and no position. Settings and addresses are masked, what devices have sent is not repeated, and of answers of
/// sinks, which may repeat what they were sent, there is only the kind.
public struct SupportReport: Sendable {
    private var members: [JSONValue.Member]

    /// - Parameters:
    ///   - version: Picket's.
    ///   - versions: Of the system and of libraries.
    public init(version: String, versions: [LibraryVersions.Version], at now: Instant) {
        members = [
            .init("madeAt", JSONValue(now)),
            .init(
                "versions",
                .object(([("picket", version)] + versions).map { .init($0.0, .string($0.1)) })),
        ]
    }

    /// - Parameter language: Of what it says about itself.
    public func json(in language: Language) -> JSONValue {
        .object([.init("contents", .string(language.words.reportContents))] + members)
    }

    private mutating func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }

    // MARK: - Settings

    /// Every setting and where it came from, as `picket config` shows them.
    public mutating func add(_ settings: Settings) {
        add("contact", settings.supportContact.map { .string($0.description) } ?? .null)
        add(
            "settings",
            .array(
                settings.values.map { value in
                    // A number to call may be somebody's own.
                    let shown = value.setting.name == .emergencyNumber && value.text != nil ? "(hidden)" : value.shown
                    return [
                        "name": .string(value.setting.name.rawValue), "value": shown.map(JSONValue.string) ?? .null,
                        "from": .string(value.source.text),
                    ]
                }))
    }

    /// Why the settings cannot be used, without the value that is wrong: it may be a secret in the wrong place.
    public mutating func add(settingsProblem problem: Problem) { add("settingsProblem", Self.json(problem, details: true)) }

    // MARK: - The store

    /// What lies in the data directory, and what the store holds.
    public mutating func add(_ directory: DataDirectory, _ store: Result<Queries, Problem>) {
        var facts: [(String, JSONValue?)] = [
            ("path", .string(directory.store)), ("bytes", JSONValue(DataDirectory.size(directory.store))),
            ("logBytes", JSONValue(DataDirectory.size(directory.store + "-wal"))),
            ("freeBytes", Self.freeBytes(directory).map { JSONValue($0) }),
            ("supportedSchema", JSONValue(RegionStore.newestVersion)),
        ]
        do throws(Problem) {
            let service = try store.get()
            if service.hasStore {
                let totals = try service.totals()
                facts += [
                    ("schema", JSONValue(try service.store.version())), ("identity", try service.identity().json),
                    ("geofences", JSONValue(totals.geofences)), ("devices", JSONValue(totals.devices)),
                    ("fixes", JSONValue(totals.fixes)), ("events", JSONValue(totals.events)),
                ]
            }
        } catch {
            facts.append(("problem", Self.json(error, details: true)))
        }
        add("store", .compact(facts))
    }

    /// Room on the disk of a directory, for users other than root; nil when the system does not say.
    private static func freeBytes(_ directory: DataDirectory) -> Int? {
        var status = statvfs()
        return statvfs(directory.path, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : nil
    }

    // MARK: - What is wrong

    /// The standing problems, dismissed ones, too; so many at most.
    public mutating func add(problems: [Queries.StandingProblem], at now: Instant) {
        add(
            "problems",
            .array(
                problems.map { standing in
                    // What a sink has answered may repeat what it was sent.
                    let isOfSink = standing.source.hasPrefix(Sink.problemSource(""))
                    let problem = standing.problem.map { Self.json($0, details: !isOfSink) } ?? ["code": .string(standing.code)]
                    return .object(
                        [
                            .init("id", .string(String(standing.id))), .init("source", .string(standing.source)),
                            .init("failures", JSONValue(standing.failures)), .init("isEscalated", .bool(standing.isEscalated)),
                            .init("isDismissed", .bool(standing.isDismissed(at: now))),
                            .init("firstAt", JSONValue(standing.firstAt)), .init("lastAt", JSONValue(standing.lastAt)),
                        ] + (problem.members ?? []))
                }))
    }

    /// A problem without what somebody sent.
    private static func json(_ problem: Problem, details isWithDetails: Bool) -> JSONValue {
        .compact([
            ("code", .string(problem.code)), ("severity", .string(problem.severity.rawValue)),
            ("message", .string(problem.messageWithoutInput)),
            ("details", isWithDetails ? problem.details.map(JSONValue.string) : nil),
        ])
    }

    /// So many problems are told at most.
    public static let mostProblems = 200

    // MARK: - Connections

    /// The sinks and how they do, by server alone: paths hold keys, and addresses of mail are people's.
    ///
    /// - Parameter statuses: What a running service knows of them, by id; nil when none runs.
    public mutating func add(sinks: [Queries.StoredSink], _ statuses: [String: SinkStatus]?) {
        add(
            "sinks",
            .array(
                sinks.map { stored in
                    let status = statuses?[stored.sink.id]
                    return .compact([
                        ("id", .string(stored.sink.id)), ("kind", .string(stored.sink.target.kind.rawValue)),
                        ("server", .string(stored.sink.target.server)), ("isPaused", .bool(stored.pausedAt != nil)),
                        ("connection", status.map { Self.json($0.connection) }),
                        ("waiting", status.map { JSONValue($0.waiting) }), ("parked", JSONValue(stored.parked)),
                        ("delivered", JSONValue(status?.delivered ?? stored.delivered)),
                        ("lastDeliveredAt", (status?.deliveredAt ?? stored.deliveredAt).map { JSONValue($0) }),
                    ])
                }))
    }

    private static func json(_ connection: ConnectionStatus) -> JSONValue {
        .compact([
            ("state", .string(connection.state.name.rawValue)), ("attempt", connection.state.attempt.map { JSONValue($0) }),
            ("since", JSONValue(connection.since)), ("problem", connection.problem.map { .string($0.code) }),
        ])
    }

    /// How the connection to the broker is; see `MQTTIntake.json(in:)`.
    public mutating func add(broker: JSONValue?) {
        guard let broker else { return }
        add(
            "mqtt",
            .object(
                (broker.members ?? []).map { member in
                    member.name == "problem" ? .init("problem", member.value["code"] ?? .null) : member
                }))
    }

    // MARK: - The service and its log

    /// The service that has made the report, and the end of its log.
    public mutating func add(serviceAt address: String, startedAt: Instant, _ log: Log) {
        add("service", ["isRunning": true, "address": .string(address), "startedAt": JSONValue(startedAt)])
        add("log", ["lines": .array(log.recentLines.map(JSONValue.string)), "lostLines": JSONValue(log.lostLines)])
    }

    /// That no service answers, so that there is no log.
    ///
    /// - Parameter problem: Why a service that the settings name gave no report.
    public mutating func addNoService(_ problem: Problem? = nil) {
        add(
            "service",
            .compact([("isRunning", false), ("problem", problem.map { Self.json($0, details: true) })]))
        add(
            "log",
            [
                "lines": [],
                "note": .string(
                    "No running service was asked, so there is no log here. A service writes it to standard error; under systemd, "
                        + "'journalctl -u picket' shows it."),
            ])
    }
}

extension SinkTarget {
    /// Who is talked to, without user, path and query; the path of a file or a program.
    fileprivate var server: String {
        switch self {
        case .web(let target): WebAddress.peer(target.url)
        case .mail(let target): WebAddress.peer(target.server)
        case .mqtt(let target): WebAddress.peer(target.url)
        case .positions(let target): WebAddress.peer(target.url)
        case .file, .command: place
        }
    }
}

extension Queries {
    /// What the service knows by its store alone, for a report: the problems that stand, and the sinks.
    public func addFindings(
        to report: inout SupportReport, _ statuses: [String: SinkStatus]?
    ) throws(Problem) {
        let now = clock.now()
        report.add(problems: try problems(withDismissed: true, after: nil, limit: SupportReport.mostProblems).items, at: now)
        report.add(sinks: try sinks(), statuses)
    }
}
