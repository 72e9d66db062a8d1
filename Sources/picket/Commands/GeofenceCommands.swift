import Client
import Core
import Foundation
import Geodesy
import Geometry
import Model
import Places
import Service
import ToolSupport

/// The commands `picket geofence …`.
enum GeofenceCommands {
    static let all = [add, list, show, edit, remove, importing, export, overlaps]

    /// `--as-written`, for commands that read outlines.
    static let asWritten = Option(
        "--as-written", "Use edges of more than 180° of longitude as written, not the short way across the antimeridian")

    /// The options of `add` and `edit` that set the properties of a geofence.
    private static let fields =
        [
            Option("--circle", value: "LAT,LON,RADIUS", help: "Circle: degrees, and a radius from 1 to 1000000 meters"),
            Option("--geometry", value: "FILE", help: "File with a Polygon or MultiPolygon in GeoJSON; - for standard input"),
            asWritten,
        ] + FieldOptions.of(Geofence.fields) + [
            Option("--property", value: "KEY=VALUE", isRepeatable: true, help: "Property that is copied to events")
        ]

    // MARK: - Add

    static let add = Command(
        name: "geofence add", summary: "Add a geofence.",
        options: [
            Option("--id", value: "ID", help: "Id, 1 to 64 characters of A-Z a-z 0-9 . _ -; default: derived from the name"),
            Option("--rename", "Without --id: use a free id such as depot-2 if another geofence has the same name"),
        ] + fields + [Option("--inactive", "Keep the geofence, but do not monitor it")] + Option.client,
        discussion: """
            Devices that are already inside enter it immediately (cause fenceChanged). Without --id, if another geofence has the same name,
            the new one is refused unless --rename is given. If an identical geofence exists, nothing changes.
            """,
        examples: [
            "picket geofence add --id home --name Home --circle 52.5163,13.3777,100",
            "picket geofence add --name 'Tempelhofer Feld' --geometry field.geojson --dwell 600",
        ]
    ) { invocation throws(Problem) in
        guard let (shape, isAsWritten) = try shape(invocation) else {
            throw .usage(
                reason: Phrase("A geofence needs a shape: --circle LAT,LON,RADIUS or --geometry FILE"),
                help: "picket geofence add --help"
            )
        }
        guard let name = invocation.value("--name") ?? invocation.value("--id") else {
            throw .usage(reason: Phrase("A geofence needs a --name or an --id"), help: "picket geofence add --help")
        }
        if invocation.has("--rename"), invocation.value("--id") != nil {
            throw .usage(reason: Phrase("'--rename' can be used only without '--id'"), help: "picket geofence add --help")
        }
        let service = try invocation.editor()
        let id = invocation.value("--id") ?? Identifier.derivedOrDefault(from: name)
        var geofence = Geofence(id: id, name: name, shape: shape, isActive: !invocation.has("--inactive"))
        try change(&geofence, invocation)
        var note = geofence.readOutline(asWritten: isAsWritten, context: GEOSContext())
        if invocation.value("--id") == nil {
            // A flaw of the geofence is reported before a conflict of its id.
            if let flaw = geofence.flaw { throw flaw }
            if let same = try assignFreeID(to: &geofence, service: service, invocation: invocation) {
                note = note?.with(geofenceId: same.id)
                printChange(
                    Phrase("Unchanged: geofence \(same.id) already exists: \(describe(same))"), geofence: same, events: [],
                    note: note, invocation: invocation)
                return .done
            }
        } else if try service.knownGeofence(id: id) != nil {
            throw .conflict(
                kind: .geofence, id: id,
                reason: Phrase("already exists. Change it with 'picket geofence edit \(id)', or choose another --id"))
        }
        note = note?.with(geofenceId: geofence.id)
        let events = try service.apply([.save(geofence)], .isNew)
        printChange(
            Phrase("Added geofence \(geofence.id): \(describe(geofence))"), geofence: geofence, events: events, note: note,
            invocation: invocation)
        return .done
    }

    /// Gives a geofence whose id was derived from its name a free id, if needed and allowed by `--rename`.
    ///
    /// - Returns: The same geofence, if it is stored already.
    /// - Throws: `Problem.conflict` when another geofence has the name and `--rename` is absent.
    private static func assignFreeID(
        to geofence: inout Geofence, service: ServiceClient, invocation: Invocation
    ) throws(Problem) -> Geofence? {
        var naming = GeofenceNaming(
            known: { id throws(Problem) in try service.knownGeofence(id: id) },
            named: { name throws(Problem) in try service.geofences(named: name) })
        switch try naming.outcome(for: geofence) {
        case .new(let id):
            geofence.id = id
            return nil
        case .same(let same): return same
        case .taken(let other, let next):
            guard invocation.has("--rename") else {
                throw .conflict(
                    kind: .geofence, id: other.id,
                    reason: .advised(
                        GeofenceNaming.conflict(geofence, heldBy: other),
                        Phrase(
                            """
                            Choose an --id, get a free one with --rename, or change the other one with 'picket geofence edit \
                            \(other.id)'
                            """)))
            }
            geofence.id = next
            return nil
        }
    }

    // MARK: - Edit

    static let edit = Command(
        name: "geofence edit", summary: "Change one geofence, or several at once.", arguments: "[ID…]", count: 0...10_000,
        options: fields + [
            Option("--active", "Monitor the geofence"), Option("--inactive", "Keep the geofence, but do not monitor it"),
            Option("--matching", value: "TEXT", help: "Change all geofences whose id or name contains this text"),
            Option("--all", "Change all geofences"),
        ] + Option.client,
        discussion:
            "Other fields stay unchanged. Devices that are now inside or outside, and were not before, enter or exit immediately.\n"
            + "Of several geofences, 500 at a time are changed together: all or none.",
        examples: [
            "picket geofence edit home --circle 52.5163,13.3777,150", "picket geofence edit home --inactive",
            "picket geofence edit --matching site --dwell 2h",
        ]
    ) { invocation throws(Problem) in
        let service = try invocation.editor()
        guard invocation.words.count == 1, !invocation.has("--matching"), !invocation.has("--all") else {
            return try editSeveral(service, invocation)
        }
        let old = try service.geofence(id: invocation.words[0])
        var geofence = old
        var note: GeofenceNote?
        if let (shape, isAsWritten) = try shape(invocation) {
            geofence.shape = shape
            note = geofence.readOutline(asWritten: isAsWritten, context: GEOSContext())
        }
        setActive(&geofence, invocation)
        try change(&geofence, invocation)
        let events = try service.apply([.save(geofence)], .isTagged([old.json.tag]))
        printChange(
            Phrase("Changed geofence \(geofence.id): \(describe(geofence))"), geofence: geofence, events: events, note: note,
            invocation: invocation)
        return .done
    }

    /// The number of geofences that are changed together, so that the versions of all fit in the head of a request.
    private static let changedTogether = 500

    /// Changes the geofences that ids, `--matching` or `--all` select.
    private static func editSeveral(_ service: ServiceClient, _ invocation: Invocation) throws(Problem) -> ExitStatus {
        let help = "picket geofence edit --help"
        for option in ["--circle", "--geometry", "--name"] where invocation.has(option) {
            throw .usage(reason: Phrase("'\(option)' can be used only with the ID of one geofence"), help: help)
        }
        try invocation.checkSelection(
            or: "--matching", "--all",
            missing: Phrase("'picket geofence edit' needs the geofences: one or more IDs, --matching or --all"))
        var olds: [Geofence] = []
        if invocation.words.isEmpty {
            try service.forEachGeofence(matching: invocation.value("--matching")) { olds.append($0) }
        } else {
            for id in invocation.words { olds.append(try service.geofence(id: id)) }
        }
        var changes: [(old: Geofence, new: Geofence)] = []
        for old in olds {
            var new = old
            setActive(&new, invocation)
            try change(&new, invocation)
            if new != old { changes.append((old, new)) }
        }
        var events: [Event] = []
        for part in changes.parts(of: changedTogether) {
            events += try service.apply(part.map { .save($0.new) }, .isTagged(part.map(\.old.json.tag)))
        }
        if invocation.isJSON {
            for (_, new) in changes { invocation.output.print(new.json.description) }
            return .done
        }
        invocation.print(Phrase("Geofences changed: \(changes.count) of \(olds.count)."))
        for event in events { invocation.output.print("  " + Format.line(event, for: invocation)) }
        return .done
    }

    private static func setActive(_ geofence: inout Geofence, _ invocation: Invocation) {
        if invocation.has("--active") { geofence.isActive = true }
        if invocation.has("--inactive") { geofence.isActive = false }
    }

    private static func change(_ geofence: inout Geofence, _ invocation: Invocation) throws(Problem) {
        try FieldOptions.change(&geofence, Geofence.fields, by: invocation)
        for property in invocation.all("--property") {
            let parts = property.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw .validationFailed(
                    field: "--property", value: property, reason: .noEqualsSign, expected: Phrase("KEY=VALUE"))
            }
            geofence.properties.removeAll { $0.name == parts[0] }
            geofence.properties.append(.init(String(parts[0]), .string(String(parts[1]))))
        }
    }

    /// The shape that the options give, and whether its outline is to be kept as written; nil when they give none.
    private static func shape(_ invocation: Invocation) throws(Problem) -> (shape: Shape, isAsWritten: Bool)? {
        if invocation.has("--as-written"), invocation.value("--geometry") == nil {
            throw .usage(reason: .goWith("--as-written", "--geometry"), help: "picket \(invocation.command.name) --help")
        }
        if let text = invocation.value("--circle") {
            return (.circle(try Invocation.circle(text, field: "--circle")), true)
        }
        guard let path = invocation.value("--geometry") else { return nil }
        let json = try InputFile.json(path)
        // The file holds a geometry, a feature, or a collection of exactly one feature.
        let features = json["features"]?.array
        if let features, features.count != 1 {
            throw .validationFailed(
                field: "--geometry", value: path,
                reason: Phrase(
                    features.count, one: "it contains \(features.count) feature", other: "it contains \(features.count) features"),
                expected: Phrase("one geometry; 'picket geofence import' takes many"))
        }
        let feature = features?.first ?? json
        let radius = feature["properties"]?["radius"]?.double ?? json["radius"]?.double
        let shape = try Shape(geometry: feature["geometry"] ?? feature, radius: radius)
        return (shape, invocation.has("--as-written") || Geofence.isAsWritten(feature))
    }

    /// - Parameters:
    ///   - change: What was done, as a sentence.
    ///   - note: What was changed when the outline was read, if anything.
    private static func printChange(
        _ change: Phrase, geofence: Geofence, events: [Event], note: GeofenceNote?, invocation: Invocation
    ) {
        let output = invocation.output
        if invocation.isJSON {
            output.print(ShownGeofence(geofence, note).json(in: AnswerLocale(invocation.language)).description)
        } else {
            invocation.print(change)
            if let note { output.print("  " + note.message.text(in: invocation.language)) }
            for event in events { output.print("  " + Format.line(event, for: invocation)) }
        }
    }

    private static func describe(_ geofence: Geofence) -> Phrase {
        let place = Phrase("\(geofence.name), \(geofence.shape.place)")
        return geofence.isActive ? place : Phrase("\(place), inactive")
    }

    // MARK: - List, show, remove

    static let list = Command(
        name: "geofence list", summary: "List the geofences.",
        options: [
            Option("--matching", value: "TEXT", help: "Only geofences whose id or name contains this text"), GroupCommands.option,
        ]
            + Option.client,
        examples: ["picket geofence list --matching school"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let output = invocation.output
        func forEach(_ body: (Geofence) throws(Problem) -> Void) throws(Problem) {
            let text = invocation.value("--matching")
            guard let group = invocation.value("--group") else { return try service.forEachGeofence(matching: text, body) }
            try service.forEachGeofence(inGroup: group, matching: text, body)
        }
        if invocation.isJSON {
            try forEach { output.print($0.json.description) }
            return .done
        }
        let language = invocation.language
        var table = Table(Phrase("ID|NAME|RADIUS|LATITUDE|LONGITUDE|"), numeric: [2, 3, 4], in: language)
        var count = 0
        try forEach { geofence in
            count += 1
            var remarks: [Phrase] = geofence.isActive ? [] : [Phrase("inactive")]
            if let seconds = geofence.dwell { remarks.append(Phrase("dwell \(duration: seconds)")) }
            let remark = Phrase.joined(remarks, separator: ", ").text(in: language)
            let (radius, center) =
                switch geofence.shape {
                case .circle(let circle): (Phrase("\(length: circle.radius)"), circle.center)
                case .polygons: (Phrase("polygon"), geofence.shape.boundingBox.center)
                }
            table.add([
                geofence.id, geofence.name, radius.text(in: language), Format.decimal(center.latitude, 6),
                Format.decimal(center.longitude, 6), remark,
            ])
        }
        if count == 0, let filter = invocation.filter("--matching", "--group") {
            invocation.print(Phrase("No geofence in \(service.location) matches \(filter)."))
        } else if count == 0 {
            invocation.print(
                .emptyList(
                    Phrase("No geofences in \(service.location)."), hint: Phrase("Create one:"),
                    command: "picket geofence add --name Home --circle 52.5163,13.3777,100"))
        } else {
            table.print(to: output)
            invocation.print(.geofences(count))
        }
        return .done
    }

    static let show = Command(
        name: "geofence show", summary: "Show a geofence, with the devices inside.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket geofence show home"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let geofence = try service.geofence(id: invocation.words[0])
        let output = invocation.output
        if invocation.isJSON {
            output.print(geofence.json.description)
            return .done
        }
        let name = Color.bold(Format.name(geofence.name), on: output)
        let heading = "\(name) (\(geofence.id))"
        output.print(geofence.isActive ? heading : invocation.text(Phrase("\(heading), inactive")))
        output.print("  " + invocation.text(describe(geofence)))
        for line in Geofence.fields.compactMap({ $0.line(geofence) }) { output.print("  " + invocation.text(line)) }
        for member in geofence.properties { output.print("  \(member.name): \(member.value)") }
        let inside = try service.deviceStatuses(deviceId: nil, geofenceId: geofence.id, counting: false)
        for device in inside {
            guard let visit = device.inside.first(where: { $0.geofenceId == geofence.id }) else { continue }
            let line = Phrase("\(device.device.id) is in it since \(Format.time(visit.enteredAt, in: invocation.timeZone))")
            let unseen = visit.notSeenSince.map {
                Phrase("\(line), not seen since \(Format.time($0, in: invocation.timeZone))")
            }
            output.print("  " + invocation.text(unseen ?? line))
        }
        if inside.isEmpty { output.print("  " + invocation.text(Phrase("no device is in it"))) }
        return .done
    }

    static let remove = Command(
        name: "geofence remove", summary: "Remove geofences.", arguments: "ID…", count: 1...10_000, options: Option.client,
        discussion: "Devices that are inside exit (cause fenceRemoved). Past events are kept.",
        examples: ["picket geofence remove home"]
    ) { invocation throws(Problem) in
        let service = try invocation.editor()
        var ids: [String] = []
        for id in invocation.words where !ids.contains(id) { ids.append(id) }
        let events = try service.apply(ids.map { .remove(id: $0) }, .always)
        if invocation.isJSON {
            invocation.output.print(
                JSONValue.object([.init("removed", .array(ids.map(JSONValue.string)))]).description)
        } else {
            invocation.print(Phrase("Removed \(Phrase.geofences(ids.count))."))
            for event in events { invocation.output.print("  " + Format.line(event, for: invocation)) }
        }
        return .done
    }
}
