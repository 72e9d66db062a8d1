import Client
import Core
import Model
import Places
import Service
import ToolSupport

/// `picket device edit` for several devices.
enum DeviceBulkEdit {
    /// The devices that ids, `--group` or `--all` select.
    ///
    /// - Throws: `Problem.usage` when none or more than one of these is given.
    static func selection(_ invocation: Invocation) throws(Problem) -> DevicePatch.Selection {
        try invocation.checkSelection(
            or: "--group", "--all", missing: Phrase("'picket device edit' needs the devices: one or more IDs, --group or --all"))
        if let group = invocation.value("--group") { return .group(group) }
        return invocation.has("--all") ? .all : .devices(invocation.words)
    }

    /// Changes the devices, and prints the outcome for each.
    static func run(
        _ selection: DevicePatch.Selection, patch: JSONValue, _ invocation: Invocation
    ) throws(Problem) -> ExitStatus {
        let service = try invocation.editor()
        let change = DevicePatch(selection, patch: patch)
        let isDry = invocation.has("--dry-run")
        if !isDry, !invocation.has("--yes") { try confirmDeletion(of: change, service, invocation) }
        let result = try service.patchDevices(change, isDry: isDry)
        if invocation.isJSON {
            invocation.output.print(result.json(in: invocation.language).description)
        } else {
            print(result, isDry: isDry, when: service.timeOfDeletion, invocation)
        }
        return result.isRefused ? .wrongUsage : .done
    }

    /// The positions that a change would delete; nil if it changes for no device how long positions are kept.
    ///
    /// - Throws: `Problem.validationFailed` when positions would be kept for less than an hour and `--yes` is missing.
    @discardableResult
    static func confirmDeletion(
        of change: DevicePatch, _ service: ServiceClient, _ invocation: Invocation
    ) throws(Problem) -> PositionDeletion? {
        guard change.changesRetention else { return nil }
        let result = try service.patchDevices(change, isDry: true)
        let deletions = result.devices.filter { $0.deletion != nil }
        guard let seconds = deletions.compactMap(\.newRetention).min() else { return nil }
        let total = deletion(result)
        let field = invocation.has("--keep-positions") ? "--keep-positions" : "--groups"
        try total.confirm(
            seconds, invocation.value(field) ?? "", field: field, isConfirmed: invocation.has("--yes"),
            when: service.timeOfDeletion)
        return total
    }

    private static func deletion(_ result: DevicePatchResult) -> PositionDeletion {
        result.devices.compactMap(\.deletion).reduce(into: PositionDeletion(positions: 0, of: 0)) { total, one in
            total.positions += one.positions
            total.of += one.of
        }
    }

    private static func print(
        _ result: DevicePatchResult, isDry: Bool, when time: PositionDeletion.Time, _ invocation: Invocation
    ) {
        let output = invocation.output
        for entry in result.devices {
            switch entry.outcome {
            case .unchanged: invocation.print(Phrase("\(entry.id): unchanged"))
            case .changed:
                let changes = entry.changes.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
                output.print("\(entry.id): \(changes)")
            case .refused:
                let message = entry.problem.map { $0.message.text(in: invocation.language) } ?? ""
                let refused = Color.red(invocation.text(Phrase("refused")), on: output)
                output.print("\(entry.id): \(refused): \(Format.printable(message, atMost: 500))")
            }
        }
        let changed = Phrase.devices(result.devices.count { $0.outcome == .changed })
        if result.isRefused, !result.isApplied {
            let refused = result.devices.count { $0.outcome == .refused }
            invocation.print(
                Phrase(
                    refused, one: "Nothing was changed: \(refused) device is refused.",
                    other: "Nothing was changed: \(refused) devices are refused."))
        } else {
            invocation.print(isDry ? Phrase("Would change \(changed).") : Phrase("Changed \(changed)."))
        }
        let deleted = deletion(result)
        if deleted.positions > 0, result.isApplied || isDry && !result.isRefused {
            invocation.print(deleted.line(isApplied: !isDry, when: time))
        }
        for event in result.events { output.print("  " + Format.line(event, for: invocation)) }
    }
}

extension PositionDeletion {
    /// How many positions are or would be deleted, for people.
    func line(isApplied: Bool, when time: Time) -> Phrase {
        let part = Phrase(of, one: "\(positions) of \(of) position", other: "\(positions) of \(of) positions")
        guard isApplied else { return Phrase("\(part) would be deleted.") }
        return switch time {
        case .withinMinute: Phrase("\(part) will be deleted within a minute.")
        case .whenServiceRuns: Phrase("\(part) will be deleted when the service runs.")
        }
    }

    /// How many positions of a changed device will be deleted, for people.
    func announcement(when time: Time) -> Phrase {
        let part = Phrase(of, one: "\(positions) of \(of) position", other: "\(positions) of \(of) positions")
        return switch time {
        case .withinMinute: Phrase("\(part) will be deleted within a minute, and others as they grow older.")
        case .whenServiceRuns: Phrase("\(part) will be deleted when the service runs, and others as they grow older.")
        }
    }
}
