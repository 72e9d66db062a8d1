import Core
import Delivery
import Foundation
import Model
import Observability
import Presence
import Settings
import Store

/// The report that a person sends to get help with Picket: versions, settings, facts about the store, problems, connections, and the end of
/// the log.
///
/// The report contains no secrets and no positions. Settings and addresses are masked, the input of devices is left out, and of the
/// responses of sinks, which may repeat what was sent, only the kind is included.
package struct SupportBundle: Sendable {
    private var members: [JSONValue.Member]

    /// Sentences that say what a report contains and what it does not.
    static let contents = Phrase(
        """
        This report contains the versions of Picket, of the system and of libraries; the settings without passwords, tokens and keys; paths \
        on this machine; the size of the store and counts of what is in it; problems, with ids of devices and names of tokens; sinks with \
        their servers; and the last lines of the log, with addresses of clients. It contains no positions and nothing that devices sent. \
        Read it before you send it.
        """)

    /// - Parameters:
    /// - version: Picket's version.
    ///   - versions: The versions of the system and of libraries.
    package init(version: String, versions: [LibraryVersions.Version], at now: Instant) {
        members = [
            .init("madeAt", JSONValue(now)),
            .init(
                "versions",
                .object(([("picket", version)] + versions).map { .init($0.0, .string($0.1)) })),
        ]
    }

    /// - Parameter language: The language of the description in `contents`.
    ///
    package func json(in language: Language) -> JSONValue {
        .object([.init("contents", .string(Self.contents.text(in: language)))] + members)
    }

    /// Adds a section.
    mutating func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }

    // MARK: - Settings

    /// Adds all settings with their sources, as `picket config` prints them.
    package mutating func add(_ settings: Settings) {
        add("contact", settings.supportContact.map { .string($0.description) } ?? .null)
        add(
            "settings",
            .array(
                settings.values.map { value in
                    // The emergency number may be a private one.
                    let shown = value.setting.name == .emergencyNumber && value.text != nil ? "(hidden)" : value.shown
                    return [
                        "name": .string(value.setting.name.rawValue), "value": shown.map(JSONValue.string) ?? .null,
                        "from": .string(value.source.phrase.text(in: .english)),
                    ]
                }))
    }

    /// Adds why the settings are invalid, without the invalid value, which may be a misplaced secret.
    package mutating func add(settingsProblem problem: Problem) { add("settingsProblem", Self.json(problem, details: true)) }

    // MARK: - The store

    /// Adds facts about the data directory and the store.
    package mutating func add(_ directory: DataDirectory, _ store: Result<Queries, Problem>) {
        var facts: [(String, JSONValue?)] = [
            ("path", .string(directory.storePath)), ("bytes", JSONValue(DataDirectory.size(directory.storePath))),
            ("logBytes", JSONValue(DataDirectory.size(directory.storePath + "-wal"))),
            ("freeBytes", directory.freeBytes.map { JSONValue($0) }),
            ("supportedSchema", JSONValue(PicketStore.newestVersion)),
        ]
        do throws(Problem) {
            let service = try store.get()
            if service.hasStore {
                let totals = try service.totals()
                facts += [
                    ("schema", JSONValue(try service.store.schemaVersion())), ("identity", try service.identity().json),
                    ("geofences", JSONValue(totals.geofences)), ("devices", JSONValue(totals.devices)),
                    ("fixes", JSONValue(totals.fixes)), ("events", JSONValue(totals.events)),
                ]
            }
        } catch {
            facts.append(("problem", Self.json(error, details: true)))
        }
        add("store", .compact(facts))
    }

    // MARK: - Problems

    /// Adds the open problems, including dismissed ones.
    mutating func add(problems: [Queries.OpenProblem], at now: Instant) {
        add(
            "problems",
            .array(
                problems.map { standing in
                    // The response of a sink may repeat what was sent to it.
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

    /// A problem without the input that caused it.
    private static func json(_ problem: Problem, details isWithDetails: Bool) -> JSONValue {
        .compact([
            ("code", .string(problem.code)), ("severity", .string(problem.severity.rawValue)),
            ("message", .string(problem.messageWithoutInput)),
            ("details", isWithDetails ? problem.details(in: .english).map(JSONValue.string) : nil),
        ])
    }

    /// The maximum number of problems in a report.
    static let mostProblems = 200

    // MARK: - The service and its log

    /// Adds the service that has made the report, and the end of its log.
    mutating func add(serviceAt address: String, startedAt: Instant, _ log: Log) {
        add("service", ["isRunning": true, "address": .string(address), "startedAt": JSONValue(startedAt)])
        add("log", ["lines": .array(log.recentLines.map(JSONValue.string)), "lostLines": JSONValue(log.lostLines)])
    }

    /// Adds that no service was queried, so that there is no log.
    ///
    /// - Parameter problem: Why the service in the settings gave no report; nil if there is none.
    package mutating func addNoService(_ problem: Problem?) {
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

extension Queries {
    /// Adds the open problems to a report.
    package func addProblems(to report: inout SupportBundle) throws(Problem) {
        let now = clock.now()
        report.add(problems: try problems(withDismissed: true, after: nil, limit: SupportBundle.mostProblems).items, at: now)
    }
}
