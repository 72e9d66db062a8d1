import Model

/// The same change of the fields of several devices.
package struct DevicePatch: Hashable, Sendable {
    /// The devices to change.
    package enum Selection: Hashable, Sendable {
        case devices([String])
        case group(String)
        case all
    }

    package var selection: Selection
    /// A merge patch (RFC 7396) of each device.
    package var patch: JSONValue

    package init(_ selection: Selection, patch: JSONValue) {
        self.selection = selection
        self.patch = patch
    }

    /// Reads `{"devices":[…],"patch":{…}}`; instead of `devices`, `group` or `all` selects the devices.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue) throws(Problem) {
        let example = Expectation.like(#"{"group":"family","patch":{"silentAfter":7200}}"#)
        var fields = try JSONFields(json, of: "a change of devices")
        let isForIDs = fields.value("devices") != nil
        let ids = try fields.texts("devices")
        let group = try fields.text("group")
        let isForAll = try fields.flag("all") ?? false
        let patch = fields.value("patch")
        try fields.finish()
        guard let patch, let members = patch.members, !members.isEmpty else {
            throw .validationFailed(
                field: "patch", value: patch.map { String($0.description.prefix(60)) } ?? "",
                reason: patch == nil ? .missing : patch?.members == nil ? .notAnObject : .empty, expected: .objectOfChanges)
        }
        switch (isForIDs, group, isForAll) {
        case (true, nil, false):
            if ids.isEmpty { throw .validationFailed(field: "devices", value: "", reason: .empty, expected: example) }
            selection = .devices(ids)
        case (false, let group?, false): selection = .group(group)
        case (false, nil, true): selection = .all
        case (false, nil, false): throw .validationFailed(field: "devices", value: "", reason: .missing, expected: example)
        default:
            let given = [isForIDs ? "devices" : nil, group == nil ? nil : "group", isForAll ? "all" : nil].compactMap(\.self)
            throw .validationFailed(
                field: given[1], value: "", reason: .exclude(given[0], given[1]), expected: example)
        }
        self.patch = patch
    }

    package var json: JSONValue {
        switch selection {
        case .devices(let ids): ["devices": .array(ids.map(JSONValue.string)), "patch": patch]
        case .group(let name): ["group": .string(name), "patch": patch]
        case .all: ["all": true, "patch": patch]
        }
    }
}

extension ServiceWriter {
    /// Changes the same fields of several devices in one transaction: all of them, or none if one cannot be changed so.
    ///
    /// - Parameters:
    ///   - isDry: Whether only to say what would change.
    ///   - condition: The condition that each device must meet.
    /// - Throws: `Problem.notFound` if there is no such group.
    package func patchDevices(
        _ change: DevicePatch, isDry: Bool, _ condition: EditCondition = .always
    ) throws(Problem) -> DevicePatchResult {
        var entries: [DevicePatchResult.Entry] = []
        var changed: [Device] = []
        for id in try ids(of: change.selection) {
            do throws(Problem) {
                let old = try device(id: id)
                try condition.check(kind: "device", id: id, tag: old.json.tag)
                var new = try old.patched(with: change.patch)
                new.inherit(try inheritedDefaults(ofGroups: new.groups))
                if old == new {
                    entries.append(.init(id: id, outcome: .unchanged))
                    continue
                }
                changed.append(new)
                var entry = DevicePatchResult.Entry(id: id, outcome: .changed, changes: new.json.changes(from: old.json))
                if let seconds = new.keepPositions, seconds.isFinite, seconds != old.keepPositions {
                    entry.deletion = try countDeletable(ofDevice: id, keeping: seconds)
                }
                entries.append(entry)
            } catch {
                switch error {
                case .notFound, .validationFailed, .preconditionFailed:
                    entries.append(.init(id: id, outcome: .refused, problem: error))
                default: throw error
                }
            }
        }
        var result = DevicePatchResult(devices: entries, isApplied: false, events: [])
        if isDry || result.isRefused { return result }
        result.events = try save(changed)
        result.isApplied = true
        return result
    }

    /// The ids of the selected devices, sorted, each once.
    private func ids(of selection: DevicePatch.Selection) throws(Problem) -> [String] {
        switch selection {
        case .devices(let ids): Set(ids).sorted()
        case .group(let name): try devices(inGroup: name).map(\.id)
        case .all: try devices().map(\.id)
        }
    }
}

extension Device {
    /// The device with the changes of a merge patch (RFC 7396).
    package func patched(with patch: JSONValue) throws(Problem) -> Device {
        guard patch.members != nil else {
            throw .validationFailed(
                field: "body", value: String(patch.description.prefix(60)), reason: .notAnObject,
                expected: .objectOfChanges)
        }
        // What the device inherits is not its own, unless the patch says so.
        let inherited = ["inherited"] + (json["inherited"]?.members?.map(\.name) ?? [])
        let members = (json.members ?? []).filter { !inherited.contains($0.name) }
        return try Device(json: JSONValue.object(members).merged(with: patch), id: id)
    }
}

extension JSONValue {
    /// The members of an object that differ from those of another one; null for members that are only in the other one.
    func changes(from old: JSONValue) -> [Member] {
        let mine = (members ?? []).filter { $0.name != "inherited" }
        let gone = (old.members ?? []).filter { member in
            member.name != "inherited" && !mine.contains { $0.name == member.name }
        }
        return mine.filter { old[$0.name] != $0.value } + gone.map { .init($0.name, .null) }
    }
}
