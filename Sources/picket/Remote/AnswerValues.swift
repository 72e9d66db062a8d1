import Geodesy
import Model
import Service

// Values decoded from answers, in the form that `Representation` writes.

extension Event {
    init(_ answer: Answer) throws(Problem) {
        self.init(
            id: try answer.text("id"), sequence: Int64(try answer.integer("sequence")), type: try answer.enumValue("type"),
            deviceId: try answer.text("deviceId"), geofenceId: answer.json["geofenceId"]?.string,
            geofenceName: answer.json["geofenceName"]?.string, occurredAt: try answer.instant("occurredAt"),
            recordedAt: try answer.instant("recordedAt"), confirmedAt: try answer.instant("confirmedAt"),
            crossedAt: try answer.optionalInstant("crossedAt"), cause: try answer.enumValue("cause"),
            inferred: try answer.flag("inferred"), fix: try Self.fix(answer),
            enteredAt: try answer.optionalInstant("enteredAt"), duration: answer.json["duration"]?.double,
            lastHeard: try answer.optionalInstant("lastHeard"), retracts: answer.json["retracts"]?.string,
            properties: answer.json["properties"]?.members ?? [],
            alarm: answer.json["alarm"] == nil ? nil : try Alarm(answer.object("alarm"), hasPosition: answer.json["fix"] != nil),
            rule: try answer.json["rule"].map { json throws(Problem) in
                try MissedRule(json: json, hasPosition: answer.json["fix"] != nil)
            })
    }

    /// The event's fix. An alarm or a missed event without one gets a fix at latitude 0, longitude 0.
    private static func fix(_ answer: Answer) throws(Problem) -> Fix {
        if answer.json["alarm"] != nil || answer.json["rule"] != nil, answer.json["fix"] == nil {
            return Fix(time: try answer.instant("occurredAt"), coordinate: Coordinate(latitude: 0, longitude: 0))
        }
        return try Fix(answer.object("fix"))
    }
}

extension Alarm {
    init(_ answer: Answer, hasPosition: Bool) throws(Problem) {
        var inside: [Place] = []
        for place in try answer.list("inside") {
            inside.append(Place(geofenceId: try place.text("geofenceId"), geofenceName: try place.text("geofenceName")))
        }
        let acknowledgedAt = try answer.optionalInstant("acknowledgedAt")
        self.init(
            kind: try answer.text("kind"), inside: inside, hasPosition: hasPosition,
            emergencyNumber: try answer.text("emergencyNumber"),
            acknowledgement: acknowledgedAt.map { Acknowledgement(at: $0, by: answer.json["acknowledgedBy"]?.string) })
    }
}

extension Fix {
    init(_ answer: Answer) throws(Problem) {
        let place = Coordinate(latitude: try answer.number("latitude"), longitude: try answer.number("longitude"))
        self.init(time: try answer.instant("timestamp"), coordinate: place, accuracy: answer.json["accuracy"]?.double)
    }
}

extension Visit {
    init(_ answer: Answer) throws(Problem) {
        self.init(
            deviceId: try answer.text("deviceId"), geofenceId: try answer.text("geofenceId"),
            geofenceName: try answer.text("geofenceName"), enteredAt: try answer.instant("enteredAt"),
            exitedAt: try answer.optionalInstant("exitedAt"), enterCause: try answer.enumValue("enterCause"),
            exitCause: answer.json["exitCause"] == nil ? nil : try answer.enumValue("exitCause"),
            lastSeenAt: try answer.optionalInstant("lastSeenAt"), seenSeconds: answer.json["seenSeconds"]?.double,
            notSeenSince: try answer.optionalInstant("notSeenSince"))
    }

    /// An open visit in a device's status. The status does not contain why the visit began.
    fileprivate init(inside answer: Answer, deviceId: String) throws(Problem) {
        self.init(
            deviceId: deviceId, geofenceId: try answer.text("geofenceId"), geofenceName: try answer.text("geofenceName"),
            enteredAt: try answer.instant("enteredAt"), exitedAt: nil, enterCause: .moved, exitCause: nil,
            lastSeenAt: try answer.optionalInstant("lastSeenAt"), seenSeconds: answer.json["seenSeconds"]?.double,
            notSeenSince: try answer.optionalInstant("notSeenSince"))
    }
}

extension Queries.DeviceStatus {
    /// Decodes an answer, which contains only the id and the name of the device.
    init(_ answer: Answer) throws(Problem) {
        let id = try answer.text("deviceId")
        var inside: [Visit] = []
        for visit in try answer.list("inside") { inside.append(try Visit(inside: visit, deviceId: id)) }
        self.init(
            device: Device(id: id, name: try answer.text("name")),
            newest: answer.json["lastFix"] == nil ? nil : try Fix(answer.object("lastFix")),
            isOutlierCandidate: answer.json["isDoubted"]?.bool ?? false, inside: inside,
            silentSince: try answer.optionalInstant("silentSince"))
    }
}

extension GeofenceFile.Imported {
    /// - Parameter file: The file that was sent.
    init(_ answer: Answer, file: String) throws(Problem) {
        self.init()
        count = try answer.integer("imported")
        unchanged = try answer.integer("unchanged")
        replaced = try answer.integer("replaced")
        repaired = try answer.integer("mended")
        for refused in try answer.list("refused") {
            refusals.append(try Refusal(refused, file: file, line: refused.json["line"]?.double.flatMap { Int(exactly: $0) }))
        }
        for replacement in try answer.list("replacements") {
            let id = try replacement.text("id")
            replacements.append(
                .init(
                    old: try Geofence(json: replacement.object("old").json, id: id),
                    new: try Geofence(json: replacement.object("new").json, id: id)))
        }
        for one in try answer.list("renamed") {
            renamed.append(.init(name: try one.text("name"), wanted: try one.text("wanted"), id: try one.text("id")))
        }
        for note in try answer.list("notes") { notes.append(try GeofenceNote(note)) }
    }
}

extension GeofenceNote {
    init(_ answer: Answer) throws(Problem) {
        self.init(
            try answer.enumValue("code"), geofenceId: try answer.text("geofenceId"), west: try answer.number("west"),
            east: try answer.number("east"))
    }
}

extension Refusal {
    /// - Parameters:
    ///   - file: The file that the refused input comes from.
    ///   - line: The line in that file.
    init(_ answer: Answer, file: String? = nil, line: Int? = nil) throws(Problem) {
        self.init(
            file: file, line: line, field: try answer.text("field"), value: try answer.text("value"),
            reason: try answer.reason("reason"))
    }
}
