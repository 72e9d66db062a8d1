import Core
import Model
import Places
import Presence
import Routing
import Service

/// Routes of changes to several geofences or devices at once, whose answers contain the events, and of erasure.
enum EditRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [geofences, devices, erase]

    private static let geofences = Route(
        "POST", "/v1/geofences:edit", access: .admin,
        about: .init(
            "Changes any number of geofences, all or none, and returns the events that result. If-Match and "
                + "If-None-Match apply to each of them",
            query: [.asWritten], body: [("application/json", "GeofenceEdits")], answer: "EditAnswer",
            hasConditionsForEach: true),
        work: .task { _, call throws(Problem) in
            let options = Queries.GeofenceOptions(asWritten: try call.flag("asWritten"))
            let (wanted, condition) = (try edits(call.json()), try call.condition())
            let following = FollowingEvents()
            let notes = try await call.perform { service throws(Problem) in
                var notes: [GeofenceNote] = []
                let edits = try wanted.map { edit throws(Problem) -> Queries.GeofenceEdit in
                    switch edit {
                    case .put(let json, let id):
                        let (geofence, note) = try service.geofence(of: json, id: id, options)
                        if let note { notes.append(note) }
                        return .save(geofence)
                    case .remove(let id): return .remove(id: id)
                    }
                }
                try service.apply(edits, condition, following: following)
                return notes
            }
            return answer(following.all, notes.map { $0.json(in: call.head.language) })
        })

    private static let devices = Route(
        "POST", "/v1/devices:edit", access: .admin,
        about: .init(
            "Creates, replaces and removes devices in order, and returns the events that result; changes before one that "
                + "fails are kept. With 'patch', changes the same fields of many devices, and returns the result for each; none is "
                + "changed if one cannot be. "
                + "If-Match and If-None-Match apply to each device",
            query: [.init("dryRun", "With 'patch': change nothing, and return what would change", type: "boolean")],
            body: [("application/json", "DeviceEdits")], answer: "DeviceEditAnswer", otherStatuses: [422],
            hasConditionsForEach: true),
        work: .task { _, call throws(Problem) in
            let condition = try call.condition()
            let isDry = try call.flag("dryRun")
            if try call.json()["patch"] != nil { return try await patch(call, condition, isDry: isDry) }
            if isDry {
                throw .validationFailed(
                    field: "dryRun", value: "true", reason: .goWith("dryRun", "patch"), expected: .trueOrFalse)
            }
            let edits = try edits(call.json())
            if edits.contains(where: \.isRemoval) { await call.store.writer.prepareRemoval() }
            var events = BoundedList<Event>.noEvents
            // The edits are made in parts, so that positions are stored in between.
            for part in edits.parts(of: call.store.writer.devicesAtOnce) {
                events += try await call.perform { service throws(Problem) in
                    var events: [Event] = []
                    for edit in part { events += try service.apply(edit, condition) }
                    return events
                }
            }
            return answer(events)
        })

    private static func patch(
        _ call: Call, _ condition: EditCondition, isDry: Bool
    ) async throws(Problem) -> Response {
        let change = try DevicePatch(json: call.json())
        let preview = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
            try service.previewPatch(change, condition)
        }
        let result = isDry ? preview : try await call.store.writer.patchDevices(change, condition, preview: preview)
        return .json(result.json(in: call.head.language), status: result.isRefused && !result.isApplied ? 422 : 200)
    }

    private static let erase = Route(
        "POST", "/v1/devices/{id}:erase", access: .admin,
        about: .init(
            "Erases a device and all its data from the store and its files. This cannot be undone. If another program may have left copies of "
                + "removed data in the files, they are rewritten, and incoming positions wait until that is done",
            query: [
                .init(
                    "keepFiles", "Never rewrite the files, even if another program may have left copies in them", type: "boolean")
            ],
            answer: "Erasure"),
        work: .task { api, call throws(Problem) in
            let (id, isRewriting) = (call.id, !(try call.flag("keepFiles")))
            let erasure = try await api.eraseDevice(id: id, rewriting: isRewriting)
            return .json(erasure.json)
        })

    // MARK: - What is asked for

    fileprivate enum Edit {
        case put(JSONValue, id: String)
        case remove(String)

        var isRemoval: Bool { if case .remove = self { true } else { false } }
    }

    private static func edits(_ json: JSONValue) throws(Problem) -> [Edit] {
        guard let list = json["edits"]?.array else {
            throw .validationFailed(
                field: "edits", value: "", reason: .noSuchList,
                expected: .like(#"{"edits":[{"put":{"id":…}},{"remove":"ID"}]}"#))
        }
        return try list.map { edit throws(Problem) in
            if let put = edit["put"], let id = put["id"]?.string { return .put(put, id: id) }
            if let id = edit["remove"]?.string { return .remove(id) }
            throw .validationFailed(
                field: "edits", value: String(edit.description.prefix(60)), reason: .notAnEdit,
                expected: .oneOf([#"{"put":{"id":…}}"#, #"{"remove":"ID"}"#]))
        }
    }

    private static func answer(_ events: BoundedList<Event>, _ notes: [JSONValue] = []) -> Response {
        @Sendable func json(_ events: BoundedList<Event>, _ notes: [JSONValue]) -> JSONValue {
            .compact([
                ("events", .array(events.map(\.json))), ("eventCount", events.totalUnlessKept.map { JSONValue($0) }),
                ("notes", notes.isEmpty ? nil : .array(notes)),
            ])
        }
        return .json(json(events, notes), orShort: { json(BoundedList([], total: events.total), []) })
    }
}

extension ServiceWriter {
    /// Applies edits if each geofence meets a condition; see `apply(_:areOutlinesChecked:following:)`.
    fileprivate func apply(
        _ edits: [GeofenceEdit], _ condition: EditCondition, following: FollowingEvents
    ) throws(Problem) {
        for edit in edits {
            try condition.check(kind: .geofence, id: edit.id, tag: try knownGeofence(id: edit.id)?.json.tag)
        }
        try apply(edits, following: following)
    }

    /// Applies an edit of a device if the device meets a condition. Returns the events that follow.
    fileprivate func apply(_ edit: EditRoutes.Edit, _ condition: EditCondition) throws(Problem) -> [Event] {
        switch edit {
        case .put(let json, let id): try saveDevice(json, id: id, condition).events
        case .remove(let id): try removeDevice(id, condition)
        }
    }
}
