import Foundation
import Model
import Reconciler
import Service

/// `picket health`
enum HealthCommand {
    static let command = Command(
        name: "health", summary: "Does each phone's system watch the geofences that it should?",
        options: [
            Option("--device", "ID", "Only of this device"),
            Option("--explain", "Say of each saved geofence why it is or is not registered now"),
            Option("--watch", "Go on, and tell when something changes"),
            Option("--history", "When it was how, the newest first"),
        ],
        discussion: """
            Compares what should be registered with a phone's operating system with what is, and names what is missing, orphaned
            or wrong. Devices without a registry are not managed and count nowhere. Exit status 1 when one is unhealthy or
            gave no answer. 'picket fix-registration' repairs.
            """,
        examples: ["picket health", "picket health --device anna-phone --explain"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        if invocation.has("--history") { return try history(invocation) }
        let first = try pass(invocation, known: [:])
        guard invocation.has("--watch") else { return first.isWell ? .done : .notWell }
        var known = first.summaries
        while true {
            invocation.output.flush()
            usleep(500_000)
            known = try pass(invocation, known: known).summaries
        }
    }

    /// Looks at each device once, and prints those that are not as `known` says.
    private static func pass(
        _ invocation: Invocation, known: [String: String]
    ) throws(Problem) -> (isWell: Bool, summaries: [String: String]) {
        let service = try invocation.readingService()
        let wanted = invocation.value("--device")
        let devices = if let wanted { [try service.device(id: wanted)] } else { try service.devices() }
        var unmanaged = 0
        var isWell = true
        var summaries: [String: String] = [:]
        var changed: [GeofenceHealthStatus] = []
        for device in devices {
            let (status, assessment) = try service.health(of: device)
            if status.isManaged, try service.isNews(status) { changed.append(status) }
            if status.isManaged, status.isHealthy != true { isWell = false }
            let json = status.json()
            summaries[device.id] = json.description
            if known[device.id] == json.description { continue }
            if invocation.isJSON {
                var members = json.members ?? []
                if invocation.has("--explain"), let assessment {
                    let standings = status.savedInApp.prefix(1000).map { id -> JSONValue in
                        ["geofenceId": .string(id), "standing": .string(assessment.standing(of: id).words(assessment.profile))]
                    }
                    members.append(.init("standings", .array(standings)))
                }
                invocation.output.print(JSONValue.object(members).description)
                if let problem = service.registryProblem {
                    Picket.report(problem, isJSON: true, in: invocation.language, invocation.environment)
                }
                continue
            }
            if !status.isManaged, wanted == nil {
                unmanaged += 1
                continue
            }
            HealthPrinter(invocation.output, in: invocation.language).print(status)
            if let problem = service.registryProblem {
                Picket.report(problem, isJSON: false, in: invocation.language, invocation.environment)
            }
            if invocation.has("--explain"), let assessment {
                for id in status.savedInApp.prefix(200) {
                    let standing = assessment.standing(of: id).words(assessment.profile)
                    invocation.output.print("  \(id.padding(24)) \(standing)")
                }
            }
        }
        try keep(changed, invocation)
        if !invocation.isJSON, known.isEmpty {
            if unmanaged > 0 {
                invocation.output.print(
                    "\(Wording.count(unmanaged, "device is", "devices are")) not managed: their registry is none.")
            }
            if unmanaged == devices.count {
                invocation.output.print("No device is managed. Make one:  picket device add my-phone --platform ios")
            }
        }
        return (isWell, summaries)
    }

    /// Keeps what has changed, unless somebody else is writing: then the next look will.
    private static func keep(_ changed: [GeofenceHealthStatus], _ invocation: Invocation) throws(Problem) {
        if changed.isEmpty { return }
        do {
            let service = try invocation.writingService()
            for status in changed { try service.record(status) }
        } catch .storeBusy(let path, _) where path == invocation.directory.path {
            return
        }
    }

    private static func history(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.readingService()
        for device in try service.managedDevices(invocation.value("--device")) {
            for entry in try service.healthHistory(of: device) {
                if invocation.isJSON {
                    let json: JSONValue = [
                        "deviceId": .string(device.id), "at": JSONValue(entry.at),
                        "isHealthy": entry.isHealthy.map(JSONValue.bool) ?? .null, "statusSummary": .string(entry.summary),
                    ]
                    invocation.output.print(json.description)
                } else {
                    invocation.output.print("\(Wording.time(entry.at))  \(device.id.padding(14))  \(entry.summary)")
                }
            }
        }
        return .done
    }
}

/// Prints the health of devices for people.
struct HealthPrinter {
    private let output: Output
    /// So many findings that concern health are named one by one, and so many of the others.
    private static let shown = 30

    private let language: Language

    init(_ output: Output, in language: Language) {
        self.output = output
        self.language = language
    }

    func print(_ status: GeofenceHealthStatus) {
        let color: Color = status.isHealthy == true ? .green : status.isManaged ? .red : .dim
        let system = status.system.map { " (\($0))" } ?? ""
        output.print("\(Color.bold(status.device.id, on: output))\(system): \(color(status.statusSummary, on: output))")
        guard status.isManaged else { return }
        guard status.isHealthy != nil else {
            return output.print("  \(Wording.number(status.savedCount)) saved; what is registered nobody can say now")
        }
        var parts = [
            "\(Wording.number(status.registeredWithOS.count)) registered", "\(Wording.number(status.savedCount)) saved",
            "\(Wording.number(status.missingFromOS.count)) missing", "\(Wording.number(status.orphanedInOS.count)) orphaned",
        ]
        if let authorization = status.authorizationStatus { parts.append("authorization '\(authorization.rawValue)'") }
        if let enabled = status.locationServicesEnabled { parts.append("location \(enabled ? "on" : "off")") }
        output.print("  " + parts.joined(separator: ", "))
        if status.lacksFix, status.overBudgetCount > 0, !status.registeredWithOS.isEmpty {
            output.print("  No fix yet: what is registered was chosen by priority.")
        }
        // Those that the limit leaves out are as they should be: a number says enough.
        let findings = status.findings.filter { $0.kind != .overBudget && $0.kind != .surplus }
        for finding in findings.prefix(Self.shown) { output.print("  " + line(finding, status)) }
        if findings.count > Self.shown {
            output.print("  and \(Wording.number(findings.count - Self.shown)) more; --json names them")
        }
        if status.overBudgetCount > 0 {
            let many = Wording.count(status.overBudgetCount, "geofence is", "geofences are")
            output.print("  \(many) left out because the slots are few; --explain says why")
        }
    }

    private func line(_ finding: Finding, _ status: GeofenceHealthStatus) -> String {
        let color: Color =
            switch finding.kind.severity {
            case .unhealthy: .red
            case .warning: .yellow
            case .healthy: .dim
            }
        let what = [finding.name.map { Wording.printable($0) }, finding.geofenceID.map { "(\(Wording.printable($0)))" }]
            .compactMap {
                $0
            }.joined(separator: " ")
        let cause = finding.json(.init(status.device.platform ?? .ios))["cause"]?.string ?? ""
        let action =
            finding.recoveryAction == .dismiss ? "" : "  → \(language.words.label(finding.recoveryAction))"
        return "\(color(finding.kind.rawValue.padding(11), on: output)) \(what.isEmpty ? "" : what + ": ")\(cause)\(action)"
    }
}
