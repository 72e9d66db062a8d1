import Client
import Core
import Foundation
import Model
import Places
import Reconciler
import Registrations
import Registry
import Service
import ToolSupport
import Workers

/// `picket health`: shows whether phones have registered the right regions.
enum HealthCommand {
    static let command = Command(
        name: "health", summary: "Check whether each phone's operating system monitors the geofences that it should.",
        options: [
            Option("--device", value: "ID", help: "Only this device"),
            Option("--explain", "Explain for each geofence why it is registered or not"),
            Option("--watch", "Keep running, and print changes"),
            Option("--history", "Show past changes of health, newest first"),
        ] + Option.client,
        discussion: """
            Compares the regions that should be registered with a phone's operating system with those that are, and lists the missing,
            orphaned and wrong ones. Devices without a registry are not managed, and are not counted. The exit status is 1 if a device
            is unhealthy or gave no answer. 'picket fix-registration' repairs the registrations.
            """,
        examples: ["picket health", "picket health --device anna-phone --explain"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        if invocation.has("--history") { return try history(invocation) }
        var shown = PrintedHealth()
        guard invocation.has("--watch") else {
            return try checkDevices(invocation, invocation.reader(), shown: &shown) ? .done : .needsAttention
        }
        let followed = try invocation.followedAPI()
        let reconnector = invocation.reconnector(.always, to: try followed.client(), .liveUpdates)
        while true {
            func show() throws(Problem) {
                // Output is flushed before each wait.
                defer { invocation.output.flush() }
                _ = try checkDevices(invocation, followed.client(), shown: &shown)
            }
            if followed.isRunning { try reconnector.untilAnswered(show) } else { try show() }
            invocation.clock.sleep(invocation.clock.now() + 0.5)
        }
    }

    /// The health of one device; see `HealthDocument`.
    private struct DeviceHealth {
        var id: String
        var json: JSONValue
        /// For each saved geofence, why it is or is not registered; nil when that was not requested or is unknown.
        var standings: [JSONValue]?
        /// Why the regions could not be read.
        var problem: Problem?

        /// - Parameter json: The answer of `GET /v1/devices/{id}/health`, or an element of `GET /v1/health`.
        init(_ json: JSONValue) {
            id = json["deviceId"]?.string ?? ""
            self.json = .object((json.members ?? []).filter { !["standings", "problem"].contains($0.name) })
            standings = json["standings"]?.array
            problem = json["problem"].flatMap(Problem.init(document:))
        }

        var isManaged: Bool { json["registry"]?.string != Device.Registry.none.rawValue }
        var isHealthy: Bool { json["isHealthy"]?.bool == true }
    }

    /// What has been printed so far.
    private struct PrintedHealth {
        /// The JSON text printed last, by device id.
        var devices: [String: String] = [:]
        /// Whether the number of unmanaged devices was printed.
        var hasPrintedUnmanaged = false
    }

    /// Checks each device once, and prints those whose health differs from `shown`.
    ///
    /// - Parameter shown: Updated as devices are printed, even when the pass fails in the middle.
    /// - Returns: Whether all managed devices are healthy.
    private static func checkDevices(
        _ invocation: Invocation, _ service: ServiceClient, shown: inout PrintedHealth
    ) throws(Problem) -> Bool {
        let wanted = invocation.value("--device")
        var unmanaged = 0
        var count = 0
        var isWell = true
        var seen: Set<String> = []
        try forEachHealth(invocation, service) { look in
            count += 1
            if look.isManaged, !look.isHealthy { isWell = false }
            let text = look.json.description
            seen.insert(look.id)
            let isNews = shown.devices.updateValue(text, forKey: look.id) != text
            if !look.isManaged, wanted == nil, !invocation.isJSON {
                unmanaged += 1
                return
            }
            if isNews { printHealth(look, invocation: invocation) }
        }
        shown.devices = shown.devices.filter { seen.contains($0.key) }
        if !invocation.isJSON, !shown.hasPrintedUnmanaged {
            shown.hasPrintedUnmanaged = true
            if unmanaged > 0 {
                invocation.print(
                    Phrase(
                        unmanaged, one: "\(unmanaged) device is not managed: its registry is none.",
                        other: "\(unmanaged) devices are not managed: their registries are none."))
            }
            if unmanaged == count {
                let ways = [
                    (
                        Phrase("For a real phone with the OwnTracks app:"),
                        "picket device add jane/phone --platform ios --registry owntracks"
                    ),
                    (
                        Phrase("For a real phone whose app reports its regions:"),
                        "picket device add my-phone --platform ios --registry app"
                    ),
                    (Phrase("To try it out on a simulated one:"), "picket device add test --platform ios"),
                ].map { (what: invocation.text($0), command: $1) }
                let width = ways.map(\.what.count).max() ?? 0
                invocation.print(Phrase("No device is managed."))
                for way in ways { invocation.output.print("\(way.what.padding(width))  \(way.command)") }
            }
        }
        return isWell
    }

    private static func printHealth(_ look: DeviceHealth, invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON {
            let standings = look.standings.map { [JSONValue.Member("standings", .array($0))] } ?? []
            output.print(JSONValue.object((look.json.members ?? []) + standings).description)
        } else {
            HealthPrinter(invocation).print(look.json)
        }
        if let problem = look.problem { invocation.report(problem) }
        guard !invocation.isJSON else { return }
        for standing in (look.standings ?? []).prefix(200) {
            output.print("  \(standing["geofenceId"]?.string?.padding(24) ?? "") \(standing["standing"]?.string ?? "")")
        }
    }

    /// Passes the health of each device to `body`. Without a service, a changed health is then recorded in the store.
    private static func forEachHealth(
        _ invocation: Invocation, _ service: ServiceClient, body: (DeviceHealth) -> Void
    ) throws(Problem) {
        let wanted = invocation.value("--device")
        let isExplained = invocation.has("--explain")
        if wanted != nil || isExplained {
            let devices = if let wanted { [wanted] } else { try service.devices().map(\.id) }
            for id in devices {
                do throws(Problem) {
                    body(DeviceHealth(try service.health(of: id, explaining: isExplained)))
                } catch .notFound(_, _, _) where wanted == nil {
                    // Another client has removed it meanwhile.
                }
            }
        } else {
            let isWatching = invocation.has("--watch")
            let unmanaged = isWatching ? [] : try service.devices().filter { $0.registry == .none }
            var all = try service.health(countingReports: !isWatching)
            all += unmanaged.map { GeofenceHealthStatus.notManaged($0).json(in: invocation.language) }
            for json in all.map(DeviceHealth.init).sorted(by: { $0.id < $1.id }) { body(json) }
        }
        try service.recordHealth(ofDevice: wanted)
    }

    private static func history(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.reader()
        var count = 0
        for device in try service.managedDevices(invocation.value("--device")) {
            try service.forEachHealthChange(of: device.id) { entry throws(Problem) in
                count += 1
                if invocation.isJSON { return invocation.output.print(entry.json.description) }
                let simulated = Format.simulated(device.registry, in: invocation.language)
                invocation.output.print(
                    "\(Format.time(try entry.instant("at"), in: invocation.timeZone))  \((device.id + simulated).padding(14))  "
                        + (try entry.text("statusSummary")))
            }
        }
        if count == 0, !invocation.isJSON {
            invocation.print(
                invocation.filter("--device").map { Phrase("No recorded health matches \($0).") }
                    ?? Phrase("No health is recorded yet."))
        }
        return .done
    }
}

/// Prints the health of devices for a person.
struct HealthPrinter {
    private let output: Output
    /// How many findings are printed one by one; the rest are counted.
    private static let maximumFindings = 30

    private let language: Language
    private let zone: LocalTimeZone

    init(_ invocation: Invocation) {
        output = invocation.output
        language = invocation.language
        zone = invocation.timeZone
    }

    /// - Parameter health: A `HealthDocument` in the same language.
    func print(_ health: JSONValue) {
        let isManaged = health["registry"]?.string != Device.Registry.none.rawValue
        let isHealthy = health["isHealthy"]?.bool
        let color: Color = isHealthy == true ? .green : isManaged ? .red : .dim
        let platform = health["platform"]?.string.flatMap(Device.Platform.init(rawValue:))
        let system = isManaged ? platform.map { " (\(PlatformProfile($0).name))" } ?? "" : ""
        let simulated = Format.simulated(
            health["registry"]?.string.flatMap(Device.Registry.init(rawValue:)), in: language)
        let id = Format.printable(health["deviceId"]?.string ?? "")
        output.print(
            "\(Color.bold(id, on: output))\(system)\(simulated): \(color(health["statusSummary"]?.string ?? "", on: output))")
        guard isManaged else { return }
        func number(_ name: String) -> Int { Int(health[name]?.double ?? 0) }
        func count(_ name: String) -> Int { health[name]?.array?.count ?? 0 }
        guard isHealthy != nil else {
            let saved = number("savedCount")
            return print(
                Phrase(
                    saved, one: "\(saved) geofence; the registered regions are unknown",
                    other: "\(saved) geofences; the registered regions are unknown"))
        }
        var parts = [
            Phrase("\(count("registeredWithOS")) registered"), Phrase("\(number("savedCount")) active"),
            Phrase("\(count("missingFromOS")) missing"), Phrase("\(count("orphanedInOS")) orphaned"),
        ]
        if let status = health["authorizationStatus"]?.string { parts.append(Phrase("authorization '\(status)'")) }
        if let isOn = health["locationServicesEnabled"]?.bool {
            parts.append(isOn ? Phrase("location on") : Phrase("location off"))
        }
        if let reported = health["reportedAt"]?.string.flatMap(Instant.init) {
            parts.append(Phrase("reported \(Format.time(reported, in: zone))"))
        }
        output.print("  " + parts.map { $0.text(in: language) }.joined(separator: ", "))
        for reported in health["reported"]?.array ?? [] {
            let name = Format.printable(reported["name"]?.string ?? "")
            func number(_ member: String) -> Int { Int(reported[member]?.double ?? 0) }
            print(Phrase("phone reported \(number("reported")) of \(number("events")) enters and exits of \(name)"))
        }
        let overBudget = number("overBudgetCount")
        if health["lacksFix"]?.bool == true, overBudget > 0, count("registeredWithOS") > 0 {
            print(Phrase("No position yet: the registered geofences were chosen by priority."))
        }
        // Geofences that the region limit leaves out are expected, so only their number is printed.
        let findings = (health["findings"]?.array ?? []).filter { finding in
            let kind = finding["finding"]?.string
            return kind != Finding.Kind.overBudget.rawValue && kind != Finding.Kind.surplus.rawValue
        }
        for finding in findings.prefix(Self.maximumFindings) { output.print("  " + line(finding)) }
        if findings.count > Self.maximumFindings {
            print(Phrase("and \(findings.count - Self.maximumFindings) more; --json names them"))
        }
        if overBudget > 0 {
            print(
                Phrase(
                    overBudget,
                    one: "\(overBudget) geofence is left out because of the limit of regions; --explain says why",
                    other: "\(overBudget) geofences are left out because of the limit of regions; --explain says why"))
        }
    }

    /// Prints a text about the device below its first line.
    private func print(_ phrase: Phrase) { output.print("  " + phrase.text(in: language)) }

    private func line(_ finding: JSONValue) -> String {
        let code = finding["finding"]?.string ?? ""
        let known = Finding.Kind(rawValue: code)
        let kind = known?.phrase.text(in: language) ?? code
        let color: Color =
            switch known?.severity {
            case .unhealthy?: .red
            case .warning?: .yellow
            case .healthy?, nil: .dim
            }
        let what = [
            finding["name"]?.string.map { Format.printable($0) },
            finding["geofenceId"]?.string.map { "(\(Format.printable($0)))" },
        ].compactMap { $0 }.joined(separator: " ")
        let cause = finding["cause"]?.string ?? ""
        let action = finding["recoveryAction"]?.string.flatMap(Problem.RecoveryAction.init(rawValue:))
        let advice = action.map { $0 == .dismiss ? "" : "  → \($0.label.text(in: language))" } ?? ""
        return "\(color(kind.padding(11), on: output)) \(what.isEmpty ? "" : what + ": ")\(cause)\(advice)"
    }
}
