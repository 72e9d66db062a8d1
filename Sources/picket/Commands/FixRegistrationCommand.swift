import Model
import Reconciler
import Service

/// `picket fix-registration`
enum FixRegistrationCommand {
    static let command = Command(
        name: "fix-registration", summary: "Put a phone's registered regions right.",
        options: [
            Option("--device", "ID", "Only of this device; else of all that are managed"),
            Option("--dry-run", "Only say what would be done; exit status 1 when that is anything"),
            Option("--history", "The repairs so far, the newest first"),
        ],
        discussion: """
            Reads what is registered, plans the fewest calls that make it right, makes them, reads back and reports. Regions of
            others are never touched, and a region that is right is never taken away. It can be stopped at any moment and run
            again; when all is well it makes no call.
            """,
        examples: ["picket fix-registration --dry-run", "picket fix-registration --device anna-phone"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        if invocation.has("--history") { return try history(invocation) }
        let isDry = invocation.has("--dry-run")
        let wanted = invocation.value("--device")
        let devices: [Device]
        let repair: (Device) throws(Problem) -> RepairReport
        if isDry {
            let service = try invocation.readingService()
            devices = try service.managedDevices(wanted)
            repair = { device throws(Problem) in try service.plan(device) }
        } else {
            let desk = RepairDesk(try LocalService(invocation.directory, purpose: invocation.command.name))
            devices = try blocking { try await desk.devices(wanted) }
            repair = { device throws(Problem) in try blocking { try await desk.repair(device) } }
        }
        var status = ExitStatus.done
        let progress = Progress("Repairing", environment: invocation.environment)
        for (number, device) in devices.enumerated() {
            let report: RepairReport
            do throws(Problem) {
                report = try repair(device)
            } catch {
                // One phone that cannot be asked keeps nobody from the others.
                status = .notWell
                progress.clear()
                invocation.output.flush()
                Picket.report(error, isJSON: invocation.isJSON, in: invocation.language, invocation.environment)
                continue
            }
            progress.update(number + 1, of: devices.count)
            if isDry ? !report.steps.isEmpty : report.after.isManaged && !report.isComplete { status = .notWell }
            if report.after.isHealthy == nil, report.after.isManaged { status = .notWell }
            progress.clear()
            if invocation.isJSON {
                invocation.output.print(report.json.description)
            } else {
                show(report, isDry, invocation)
            }
        }
        if devices.isEmpty, !invocation.isJSON { invocation.output.print("No device is managed.") }
        return status
    }

    private static func show(_ report: RepairReport, _ isDry: Bool, _ invocation: Invocation) {
        let output = invocation.output
        let printer = HealthPrinter(output, in: invocation.language)
        guard report.after.isManaged else { return printer.print(report.after) }
        output.print("\(Color.bold(report.after.device.id, on: output)): \(report.before.statusSummary)")
        for step in report.json["operations"]?.array ?? [] {
            func text(_ name: String) -> String { step[name]?.string ?? "" }
            let outcome =
                isDry ? "" : "  \((text("outcome") == "done" ? Color.green : .red)(text("outcome"), on: output))"
            let error = text("error").isEmpty ? "" : " (\(text("error")))"
            output.print(
                "  \(text("operation").padding(12)) \(Wording.printable(text("identifier")).padding(20)) \(text("reason"))\(outcome)\(error)"
            )
        }
        if isDry, report.after.isHealthy == nil {
            output.print("What would be done nobody can say now: the phone gave no answer.")
            return
        }
        if isDry {
            output.print(
                report.steps.isEmpty
                    ? "Nothing to do." : "\(Wording.count(report.steps.count, "change", "changes")) would be made.")
            return
        }
        output.print("\(Wording.count(report.calls, "call", "calls")) made.")
        if report.needsFix { output.print("The device has left the guarded area meanwhile: its next position will tell more.") }
        printer.print(report.after)
        if let problem = report.problem {
            output.flush()
            Picket.report(problem, isJSON: false, in: invocation.language, invocation.environment)
        }
    }

    private static func history(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.readingService()
        for device in try service.managedDevices(invocation.value("--device")) {
            try service.forEachRepair(of: device) { report in
                if invocation.isJSON {
                    invocation.output.print(report.description)
                } else {
                    invocation.output.print(
                        "\(report["finishedAt"]?.string ?? "")  \(device.id.padding(14))  "
                            + "\(report["before"]?["statusSummary"]?.string ?? "") → \(report["after"]?["statusSummary"]?.string ?? ""), "
                            + "\(report["calls"]?.description ?? "0") calls")
                }
            }
        }
        return .done
    }
}
