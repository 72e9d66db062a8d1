import Model
import Service
import ToolSupport

/// `picket replay --geofence` and `--all`: evaluates the past with the present geofences.
struct PastReplay {
    private let invocation: Invocation
    private let correction: PastCorrection
    private let isApplied: Bool

    init(_ invocation: Invocation, _ correction: PastCorrection) {
        self.invocation = invocation
        self.correction = correction
        isApplied = invocation.has("--apply")
    }

    func run() throws(Problem) -> ExitStatus {
        let progress = Progress(Phrase("Replaying"), of: invocation)
        defer { progress.clear() }
        var unlisted = 0
        let counts: ReplayCounts
        if isApplied {
            (counts, unlisted) = try invocation.commandBackend().correctPast(
                correction, progress: { progress.update($0, of: $1) }, report: { print($0, progress) })
        } else if let service = try invocation.namedService() {
            (counts, unlisted) = try service.simulateCorrection(correction) { print($0, progress) }
        } else {
            let service = try invocation.readingService()
            try ReplayCommand.orderFixes(service, invocation: invocation)
            counts = try service.simulateCorrection(
                correction, progress: { progress.update($0, of: $1) }, report: { print($0, progress) })
        }
        progress.clear()
        if unlisted > 0, !invocation.isJSON {
            invocation.output.print("… \(Format.count(unlisted, one: "more device", many: "more devices"))")
        }
        return ReplayCommand.printSummary(counts, isApplied: isApplied, invocation: invocation)
    }

    private func print(_ finding: PastFinding, _ progress: Progress) {
        if finding.isEmpty { return }
        progress.clear()
        let output = invocation.output
        defer { output.flush() }
        if invocation.isJSON { return output.print(finding.json.description) }
        switch finding.passedOver {
        case .positionsMissing: output.print("\(finding.deviceId): left out, because none of its positions are left.")
        case .recordDiffers:
            output.print(
                "\(finding.deviceId): left out, because its events at other geofences do not follow from its positions. "
                    + "See 'picket replay --device \(finding.deviceId)'.")
        case nil: break
        }
        let (back, come) = isApplied ? ("retracted", "new") : ("would be retracted", "would be new")
        let since = finding.since.map { ", from \(Format.time($0, in: invocation.timeZone)) on" } ?? ""
        for change in finding.changes {
            output.print(
                "\(finding.deviceId) at \(change.geofenceName): "
                    + "\(Format.count(change.retracted, one: "event", many: "events")) \(back), "
                    + "\(Format.number(change.new)) \(come)\(since)")
            for example in change.examplesByTime {
                let mark = example.isNew ? Color.green("+", on: output) : Color.red("-", on: output)
                output.print("  \(mark) \(Format.line(example.event, for: invocation))")
            }
            let more = change.retracted + change.new - change.examples.count
            if more > 0 { output.print("  … \(Format.number(more)) more") }
        }
    }
}
