import Chaos
import Model
import Reconciler
import Registry
import Service
import SimulatedOS
import ToolSupport

/// `picket registry chaos`: the random life of a simulated phone.
enum ChaosCommand {
    static let command = Command(
        name: "registry chaos", summary: "Simulate a random life of a phone, with faults, edits and repairs.",
        options: [
            Option("--seed", value: "N", help: "What everything follows from; default: 1"),
            Option("--hours", value: "H", help: "How long the life is, 1 to 8760 hours; default: 24"),
            Option("--device", value: "ID", help: "Simulate a phone like this device's, with the geofences for it"),
            Option("--platform", value: "PLATFORM", help: "ios or android; default: the device's, else ios")
                .choosing(Device.Platform.self),
            Option("--limit", value: "N", help: "The maximum number of regions; default: the profile's"),
        ] + ProfileOptions.ofSimulation,
        discussion: """
            The phone moves among the geofences of the data directory, or among random ones if there are none. It restarts, loses and
            refuses regions, and a person changes permissions and geofences. Its regions are repaired as a service does it: when the
            sentinel is left, after each edit and every 15 minutes. Prints each event with the health after it, and compares what the app
            learns with what a phone with every geofence registered tells. Everything happens in memory: the data directory is read, and
            nothing in it is changed. At the end faults stop, the person grants what is missing, and one repair follows. Exit status 1
            unless the phone is then healthy and every enter and exit was told or is explained by a fault.
            """,
        noServer: .simulatesPhone,
        examples: ["picket registry chaos --seed 7 --hours 720", "picket registry chaos --profile clmonitor --json"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var life = ChaosLife(try configuration(invocation))
        let output = invocation.output
        let progress = Progress("Simulating", environment: invocation.environment)
        var table = Table(["TIME", "WHAT HAPPENED", "HEALTH"])
        var shownHealth: HealthSummary?
        let report = life.run { hours, total in
            progress.update(Int(hours), of: Int(total.rounded(.up)), note: "\(Int(hours)) h")
        } record: { entry in
            if invocation.isJSON {
                progress.clear()
                output.print(entry.json(in: AnswerLocale(invocation.language)).description)
                return
            }
            // Of the repairs only those are shown that change the health.
            if case .repair = entry.content, entry.health == shownHealth { return }
            shownHealth = entry.health
            table.add([time(entry.at), entry.words, entry.health.sentence(in: invocation.language)])
        }
        progress.clear()
        if invocation.isJSON {
            output.print(report.json(in: AnswerLocale(invocation.language)).description)
        } else {
            printHead(report, to: output)
            table.print(to: output)
            printResult(report, invocation.language, to: output)
        }
        return report.isPassed ? .done : .notWell
    }

    private static func configuration(_ invocation: Invocation) throws(Problem) -> ChaosLife.Configuration {
        let service = try invocation.readingService()
        let seed = try invocation.integer("--seed", in: 0...Int.max) ?? 1
        let hours = try invocation.integer("--hours", in: 1...8760) ?? 24
        var device = Device(id: "chaos", platform: .ios, registry: .simulated)
        if let id = invocation.value("--device") { device = try service.device(id: id) }
        let platform = try invocation.oneOf("--platform", Device.Platform.self) ?? device.platform ?? .ios
        var profile = try ProfileOptions.simulated(by: invocation, platform: platform)
        let isChosen = ["--platform", "--profile", "--limit"].contains(where: invocation.has)
        if !isChosen, device.registry == .simulated, invocation.has("--device") {
            profile = try service.simulatedOS(of: device).profile
        }
        device.platform = platform
        let geofences = try service.geofences(limit: 1_000_000).items.filter { $0.applies(to: device) }
        return ChaosLife.Configuration(
            profile: profile, device: device, geofences: geofences.contains(where: \.isActive) ? geofences : nil,
            seed: UInt64(seed), hours: Double(hours))
    }

    // MARK: - Printing

    /// Days and the time of day since the beginning of the life: `0d 01:05:30`.
    private static func time(_ moment: Instant) -> String {
        let seconds = Int(moment - ChaosLife.start)
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(seconds / 86_400)d \(digits(seconds / 3600 % 24)):\(digits(seconds / 60 % 60)):\(digits(seconds % 60))"
    }

    private static func printHead(_ report: ChaosReport, to output: Output) {
        output.print(
            "\(report.profile.fullName), \(report.profile.limit) regions, "
                + "\(Format.count(report.geofenceCount, one: "geofence", many: "geofences")), "
                + "\(Format.count(Int(report.hours), one: "hour", many: "hours")), seed \(report.seed).")
    }

    private static func printResult(_ report: ChaosReport, _ language: Language, to output: Output) {
        output.print(
            "\(Format.count(report.eventCount, one: "event", many: "events")), "
                + "\(Format.count(report.editCount, one: "edit", many: "edits")), "
                + "\(Format.count(report.repairCount, one: "repair", many: "repairs")) with "
                + "\(Format.count(report.callCount, one: "call", many: "calls")), "
                + "\(Format.count(report.fixCount, one: "position", many: "positions")).")
        let end = report.endHealth.sentence(in: language)
        output.print("Healthy for \(percent(report.healthyShare)) of the time; at the end: \(end).")
        let transitions = Format.count(report.transitionCount, one: "enter or exit", many: "enters and exits")
        output.print(
            "With every geofence registered, a phone tells \(transitions). Told: \(Format.number(report.toldCount)). "
                + "Not told: \(Format.number(report.untold.count))\(report.untold.isEmpty ? "." : ", because:")")
        for (words, count) in report.explanations { output.print("  \(Format.number(count).leading(3))  \(words)") }
        for lost in report.unexplained {
            output.print("Unexplained: \(lost.isEnter ? "enter" : "exit") \(lost.geofence) at \(time(lost.at))")
        }
        for violation in report.violations { output.print("Must not happen: \(violation)") }
    }

    /// A share with one decimal; never rounded up, so that 100.0 % is all.
    private static func percent(_ share: Double) -> String { Format.decimal((share * 1000).rounded(.down) / 10, 1) + " %" }
}
