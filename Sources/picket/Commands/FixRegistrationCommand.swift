import Client
import Core
import Model
import Reconciler
import Registrations
import Service
import ToolSupport

/// `picket fix-registration`: repairs the regions that phones have registered.
enum FixRegistrationCommand {
    static let command = Command(
        name: "fix-registration", summary: "Repair the registered regions of phones.",
        options: [
            Option("--device", value: "ID", help: "Only this device; default: all managed devices"),
            Option("--dry-run", "Change nothing; print what would be done. The exit status is 1 if there is something to do"),
            Option("--history", "Show past repairs, newest first"),
        ] + Option.client,
        discussion: """
            Reads the registered regions, plans the fewest calls that correct them, makes the calls, reads the regions again and reports.
            Regions of other SDKs are never changed, and a correct region is never removed. The command can be stopped at any moment and
            run again. If everything is correct, it makes no call.
            """,
        examples: ["picket fix-registration --dry-run", "picket fix-registration --device anna-phone"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        if invocation.has("--history") { return try history(invocation) }
        let isDry = invocation.has("--dry-run")
        let service = try isDry ? invocation.reader() : invocation.editor()
        let devices = try service.managedDevices(invocation.value("--device"))
        var status = ExitStatus.done
        let progress = Progress(Phrase("Repairing"), of: invocation)
        for (number, device) in devices.enumerated() {
            let report: RepairResult
            do throws(Problem) {
                report = try result(of: device, service, isDry, invocation)
            } catch {
                // A phone that does not answer does not stop the repair of the others.
                status = .needsAttention
                progress.clear()
                invocation.output.flush()
                invocation.report(error, remark: Format.simulated(device.registry, in: invocation.language))
                continue
            }
            progress.update(number + 1, of: devices.count)
            if isDry ? !report.steps.isEmpty : report.isManaged && report.isHealthy != true { status = .needsAttention }
            if report.isHealthy == nil, report.isManaged { status = .needsAttention }
            progress.clear()
            if invocation.isJSON {
                invocation.output.print(report.json.description)
            } else {
                show(report, isDry, invocation)
            }
        }
        if devices.isEmpty, !invocation.isJSON { invocation.print(Phrase("No device is managed.")) }
        return status
    }

    /// The report of a repair or of a plan, as JSON; see `RepairOutcome.json(in:)` for its members.
    private struct RepairResult {
        var json: JSONValue

        var before: JSONValue { json["before"] ?? .null }
        var after: JSONValue { json["after"] ?? .null }
        var steps: [JSONValue] { json["operations"]?.array ?? [] }
        var calls: Int { Int(json["calls"]?.double ?? 0) }
        /// Whether the device is healthy after the repair; nil when that is unknown.
        var isHealthy: Bool? { after["isHealthy"]?.bool }
        var isManaged: Bool { after["registry"]?.string != Device.Registry.none.rawValue }
        var needsFix: Bool { json["needsFix"]?.bool == true }
        /// Whether the app makes the planned calls.
        var waitsForApp: Bool { json["waitsForApp"]?.bool == true }
        var problem: Problem? { json["problem"].flatMap(Problem.init(document:)) }
    }

    /// Plans or performs the repair of a device.
    private static func result(
        of device: Device, _ service: ServiceClient, _ isDry: Bool, _ invocation: Invocation
    ) throws(Problem) -> RepairResult {
        guard device.registry != .none else {
            let report = RepairOutcome(nothingDone: .notManaged(device), at: SystemClock().now())
            return RepairResult(json: report.json(in: invocation.language))
        }
        return RepairResult(json: try service.repair(device, isDry: isDry))
    }

    private static func show(_ report: RepairResult, _ isDry: Bool, _ invocation: Invocation) {
        let output = invocation.output
        let printer = HealthPrinter(invocation)
        guard report.isManaged else { return printer.print(report.after) }
        let id = Format.printable(report.after["deviceId"]?.string ?? "")
        let simulated = Format.simulated(
            report.after["registry"]?.string.flatMap(Device.Registry.init(rawValue:)), in: invocation.language)
        output.print("\(Color.bold(id, on: output))\(simulated): \(report.before["statusSummary"]?.string ?? "")")
        let language = invocation.language
        for step in report.steps {
            func text(_ name: String) -> String { step[name]?.string ?? "" }
            let call = RegistryOperation.Call.Name(rawValue: text("operation"))
            let operation = call?.phrase.text(in: language) ?? text("operation")
            let result = RepairOutcome.Step.Outcome(rawValue: text("outcome"))
            let resultText = result?.phrase.text(in: language) ?? text("outcome")
            let outcome = isDry || report.waitsForApp ? "" : "  \((result == .done ? Color.green : .red)(resultText, on: output))"
            let error = text("error").isEmpty ? "" : " (\(text("error")))"
            output.print(
                "  \(operation.padding(12)) \(Format.printable(text("identifier")).padding(20)) \(text("reason"))\(outcome)\(error)"
            )
        }
        if isDry, report.isHealthy == nil {
            invocation.print(Phrase("The phone did not answer, so the plan is unknown."))
            return
        }
        if isDry {
            let count = report.steps.count
            invocation.print(
                count == 0
                    ? Phrase("Nothing to do.")
                    : Phrase(count, one: "\(count) change would be made.", other: "\(count) changes would be made."))
            return
        }
        invocation.print(
            report.waitsForApp
                ? Phrase("The app carries out these operations the next time it reports. Open it on the phone.")
                : Phrase(report.calls, one: "\(report.calls) operation done.", other: "\(report.calls) operations done."))
        if report.needsFix {
            invocation.print(Phrase("The device has left the sentinel's area; waiting for its next position."))
        }
        printer.print(report.after)
        if let problem = report.problem {
            output.flush()
            invocation.report(problem, remark: simulated)
        }
    }

    private static func history(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var count = 0
        func show(_ device: Device, _ report: JSONValue) {
            count += 1
            if invocation.isJSON { return invocation.output.print(report.description) }
            let calls = Int(report["calls"]?.double ?? 0)
            invocation.output.print(
                "\(report["finishedAt"]?.string ?? "")  \((device.id + Format.simulated(device.registry, in: invocation.language)).padding(14))  "
                    + "\(report["before"]?["statusSummary"]?.string ?? "") → \(report["after"]?["statusSummary"]?.string ?? ""), "
                    + invocation.text(Phrase(calls, one: "\(calls) operation", other: "\(calls) operations")))
        }
        let service = try invocation.reader()
        for device in try service.managedDevices(invocation.value("--device")) {
            try service.forEachRepair(of: device.id) { show(device, $0) }
        }
        if count == 0, !invocation.isJSON {
            invocation.print(
                invocation.filter("--device").map { Phrase("No repairs match \($0).") } ?? Phrase("No repairs yet."))
        }
        return .done
    }
}
