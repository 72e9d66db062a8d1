import Service

/// The English texts of commands.
struct EnglishTerminal: TerminalCatalog {
    var refused: String { "Refused" }
    var note: String { "Note" }
    func furtherEntries(_ count: Int) -> String { "and \(Format.number(count)) more" }
    func line(_ number: Int) -> String { "line \(number)" }

    var simulated: String { "simulated" }
    func failures(_ count: Int) -> String { count == 1 ? "once" : "\(Format.number(count)) times" }
    var escalated: String { "escalated" }
    var dismissed: String { "dismissed" }
    var noProblem: String { "No open problems." }
    func problemDismissed(_ id: String) -> String {
        "Dismissed problem \(id). It is shown again when it changes, or after a day."
    }

    func notManaged(_ devices: Int) -> String {
        "\(Format.count(devices, one: "device is", many: "devices are")) not managed: "
            + "\(devices == 1 ? "its registry is" : "their registries are") none."
    }

    var nothingManaged: (heading: String, ways: [(what: String, command: String)]) {
        (
            "No device is managed.",
            [
                ("For a real phone with the OwnTracks app:", "picket device add jane/phone --platform ios --registry owntracks"),
                ("For a real phone whose app reports its regions:", "picket device add my-phone --platform ios --registry app"),
                ("To try it out on a simulated one:", "picket device add test --platform ios"),
            ]
        )
    }

    func nobodyKnows(saved: Int) -> String {
        "\(Format.count(saved, one: "geofence", many: "geofences")); the registered regions are unknown"
    }

    func counts(registered: Int, saved: Int, missing: Int, orphaned: Int) -> [String] {
        [
            "\(Format.number(registered)) registered", "\(Format.number(saved)) active", "\(Format.number(missing)) missing",
            "\(Format.number(orphaned)) orphaned",
        ]
    }

    func authorization(_ status: String) -> String { "authorization '\(status)'" }
    func location(isOn: Bool) -> String { "location \(isOn ? "on" : "off")" }
    func reported(at time: String) -> String { "reported \(time)" }

    func reported(_ count: Int, of all: Int, geofence: String) -> String {
        "phone reported \(Format.number(count)) of \(Format.number(all)) enters and exits of \(geofence)"
    }

    var chosenByPriority: String { "No position yet: the registered geofences were chosen by priority." }
    func more(_ findings: Int) -> String { "and \(Format.number(findings)) more; --json names them" }

    func leftOut(_ geofences: Int) -> String {
        "\(Format.count(geofences, one: "geofence is", many: "geofences are")) left out because of the limit of regions; --explain says why"
    }

    func noHealth(matching filter: String?) -> String {
        filter.map { "No recorded health matches \($0)." } ?? "No health is recorded yet."
    }

    var noDeviceManaged: String { "No device is managed." }
    var nothingToDo: String { "Nothing to do." }
    func changesPlanned(_ count: Int) -> String { "\(Format.count(count, one: "change", many: "changes")) would be made." }
    var planUnknown: String { "The phone did not answer, so the plan is unknown." }
    var appMakesCalls: String { "The app carries out these operations the next time it reports. Open it on the phone." }
    func callsMade(_ count: Int) -> String { "\(Format.count(count, one: "operation", many: "operations")) done." }
    func calls(_ count: Int) -> String { Format.count(count, one: "operation", many: "operations") }
    var needsFix: String { "The device has left the sentinel's area; waiting for its next position." }

    func noRepairs(matching filter: String?) -> String { filter.map { "No repairs match \($0)." } ?? "No repairs yet." }

    func removeQuestion(_ device: String, _ contents: DeviceContents) -> String {
        "Remove device \(device) with \(positions(contents)) and its registrations? This cannot be undone. \(rest(contents))"
    }

    func removed(_ device: String, _ contents: DeviceContents) -> String {
        "Removed device \(device) with \(positions(contents)). \(rest(contents))"
    }

    private func positions(_ contents: DeviceContents) -> String {
        Format.count(contents.positions, one: "position", many: "positions")
    }

    /// The sentence about what is kept.
    private func rest(_ contents: DeviceContents) -> String {
        "Its \(Format.count(contents.events, one: "event", many: "events")) and "
            + "\(Format.count(contents.visits, one: "visit", many: "visits")) are kept."
    }

    func removePositionsQuestion(_ removal: PositionRemoval, since: String) -> String {
        "Remove \(Format.count(removal.positions, one: "position", many: "positions")) of device "
            + "\(Format.printable(removal.deviceId)) since \(since)? This cannot be undone."
    }

    func removedPositions(_ removal: PositionRemoval, since: String) -> String {
        "Removed \(Format.count(removal.positions, one: "position", many: "positions")) of device "
            + "\(Format.printable(removal.deviceId)) since \(since): "
            + "\(Format.count(removal.retracted ?? 0, one: "event", many: "events")) retracted, \(Format.number(removal.new ?? 0)) new."
    }

    func eraseQuestion(_ device: String) -> String {
        "Erase device \(device) and all its data? This cannot be undone."
    }

    var yesOrNo: (hint: String, yes: [String]) { ("[y/N]", ["y", "yes"]) }

    var columns: [String] { ["TIME", "PLACE", "BOUNDARY", "ACCURACY", "COUNTED", "SAYS", "STATE", "BECAUSE"] }
    func place(_ length: String, isInside: Bool) -> String { "\(length) \(isInside ? "in" : "out")" }
    func reading(_ name: String) -> String {
        switch name {
        case "band": "near the boundary"
        case "coarse": "too coarse"
        default: name
        }
    }

    func state(_ state: Explanation.State) -> String { state.rawValue }
    func since(_ time: String) -> String { "since \(time)" }
    func notSeenSince(_ time: String) -> String { "not seen since \(time)" }
    func thisVisit(_ visit: String) -> String { "This visit: \(visit)." }

    func visits(before: String?, after: String?) -> String {
        let parts = [before.map { "last visit \($0)" }, after.map { "next visit \($0)" }].compactMap(\.self)
        let text = parts.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + "; use --at to ask about \(parts.count == 1 ? "it" : "them")."
    }

    var policy: String { "Policy" }
    func source(_ source: Explanation.PolicyParameter.Source) -> String { source.rawValue }
    var unlimited: String { "none" }
    var remedyCommands: (change: String, trial: String) { ("To change it:", "To try it on the past first:") }
}
