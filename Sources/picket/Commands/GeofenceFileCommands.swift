import Client
import Core
import Geometry
import Ingest
import Model
import Places
import Service
import ToolSupport

/// `picket geofence import`, `export` and `overlaps`: commands for many geofences.
extension GeofenceCommands {
    static let importing = Command(
        name: "geofence import", summary: "Import geofences from files.", arguments: "FILE…", count: 1...10_000,
        options: [
            Option("--replace", "If an entry without id has the name of an existing geofence, replace the existing one"),
            Option("--rename", "If an entry without id has the name of an existing geofence, give it a free id such as depot-2"),
            Option("--mend", "Correct polygons that cross themselves (with GEOS) instead of refusing them"), asWritten,
            Option("--radius", value: "METERS", help: "Radius of points without a radius"),
            Option("--columns", value: "LIST", help: "Names of CSV columns, for example name=Ort,latitude=Breite"),
        ] + Option.client,
        discussion: """
            Reads GeoJSON (a circle is a Point with a property radius in meters), CSV (id,name,latitude,longitude,radius, or a column
            WKT), well-known text, KML and KMZ, the waypoints of GPX and OwnTracks, and the answer of Traccar's /api/geofences or its
            areas alone. A geofence whose id exists is replaced. A geofence without id is identified by its name: if another geofence has
            the name, in the store or earlier in the file, it is refused unless --replace or --rename is given. A new one gets an id
            derived from its name. An identical geofence changes nothing. All valid geofences of a file are imported together; the others
            are listed. The result says where the geofences are, and which of them are far from all others.
            """,
        examples: [
            "picket geofence import places.geojson", "picket geofence import depots.csv --rename",
            "picket geofence import districts.geojson --mend", "picket geofence import yards.kmz --radius 150",
            "picket geofence import favorites.gpx --radius 100",
        ]
    ) { invocation throws(Problem) in
        let options = try importOptions(invocation)
        let service = try invocation.editor()
        let output = invocation.output
        var status = ExitStatus.done
        for path in invocation.words {
            let result: GeofenceFile.Imported
            do throws(Problem) {
                result = try service.importGeofences([UInt8](try GeofenceFile.read(path)), source: path, options)
            } catch {
                // A file that cannot be read does not stop the import of the next one.
                switch error {
                case .validationFailed, .decodingFailed, .unsupportedFormat, .tooLarge:
                    if status == .done { status = .needsAttention }
                case .fileFailed(path, _): status = .failed
                default: throw error
                }
                output.flush()
                invocation.report(error)
                continue
            }
            if !result.refusals.isEmpty, status == .done { status = .needsAttention }
            if invocation.isJSON {
                for refusal in result.refusals { output.print(refusal.json.description) }
            } else {
                output.flush()
                Picket.warn(result.refusals, in: invocation.language, invocation.environment)
            }
            printImport(result, of: path, invocation: invocation)
        }
        return status
    }

    private static func importOptions(_ invocation: Invocation) throws(Problem) -> GeofenceFile.ImportOptions {
        var options = GeofenceFile.ImportOptions()
        switch (invocation.has("--replace"), invocation.has("--rename")) {
        case (true, true):
            throw .usage(reason: .exclude("--replace", "--rename"), help: "picket geofence import --help")
        case (true, false): options.onConflict = .replace
        case (false, true): options.onConflict = .rename
        case (false, false): break
        }
        options.repairsOutlines = invocation.has("--mend")
        options.asWritten = invocation.has("--as-written")
        options.decoding = GeofenceDecodingOptions(
            columns: try CSVColumns.mapping(of: invocation.value("--columns") ?? ""),
            radius: try invocation.number("--radius", in: Geofence.radii, .metersIn(1, 1_000_000)))
        return options
    }

    /// Prints the result of one file's import.
    private static func printImport(_ result: GeofenceFile.Imported, of path: String, invocation: Invocation) {
        let output = invocation.output
        /// Prints the number of entries of a list that the lines before leave out.
        func printRest(_ list: BoundedList<some Any>) {
            if list.total > list.count {
                output.print("  " + invocation.text(Phrase("and \(list.total - list.count) more")))
            }
        }
        if invocation.isJSON {
            output.print(
                JSONValue.object([
                    .init("summary", result.summary(ofFile: path, in: invocation.language))
                ]).description)
            return
        }
        let (count, refused) = (result.count, result.refusals.total)
        var parts = [Phrase(count, one: "\(path): \(count) geofence imported", other: "\(path): \(count) geofences imported")]
        if result.unchanged > 0 { parts.append(Phrase("\(result.unchanged) of them already there, unchanged")) }
        if result.replaced > 0 { parts.append(Phrase("\(result.replaced) of them replacing another with the same id")) }
        if result.repaired > 0 { parts.append(Phrase("\(result.repaired) of them fixed")) }
        if refused > 0 { parts.append(Phrase("\(refused) refused")) }
        invocation.print(Phrase("\(Phrase.joined(parts, separator: ", "))."))
        for replacement in result.replacements {
            let (old, new) = (replacement.old, replacement.new)
            let line = Phrase(
                """
                \(new.id): was '\(Format.printable(old.name))', \(old.shape.place); now '\(Format.printable(new.name))', \
                \(new.shape.place)
                """)
            output.print("  " + invocation.text(line))
        }
        printRest(result.replacements)
        for renamed in result.renamed {
            let line = Phrase("'\(Format.printable(renamed.name))' got the id \(renamed.id): \(renamed.wanted) is taken")
            output.print("  " + invocation.text(line))
        }
        printRest(result.renamed)
        for note in result.notes { output.print("  " + note.message.text(in: invocation.language)) }
        printRest(result.notes)
        for remark in result.remarks {
            output.print("  " + invocation.text(Phrase("Note: \(remark).")))
        }
        for event in result.events { output.print("  " + Format.line(event, for: invocation)) }
        printRest(result.events)
    }

    static let export = Command(
        name: "geofence export", summary: "Export all geofences as GeoJSON.", arguments: "[FILE]", count: 0...1,
        options: Option.client,
        discussion: "Without FILE, writes to standard output. Importing an exported file changes nothing.",
        examples: ["picket geofence export places.geojson"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        guard let path = invocation.words.first, path != "-" else {
            _ = try service.exportGeofences { invocation.output.write($0) }
            return .done
        }
        let count = try service.exportGeofences(to: path)
        invocation.print(
            ["summary": ["file": .string(path), "exported": JSONValue(count)]],
            or: Phrase(count, one: "\(path): \(count) geofence exported.", other: "\(path): \(count) geofences exported."))
        return .done
    }

    static let overlaps = Command(
        name: "geofence overlaps", summary: "List geofences that touch, overlap or contain each other.", arguments: "[ID]",
        count: 0...1, options: Option.client,
        discussion: "With an ID, only pairs with that geofence. Inactive geofences are left out.",
        examples: ["picket geofence overlaps", "picket geofence overlaps school"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let output = invocation.output
        let progress = Progress(Phrase("Comparing"), of: invocation)
        let language = invocation.language
        func share(_ share: Double) -> String { Phrase("\(decimal: Format.decimal(share * 100, 1)) %").text(in: language) }
        var table = Table(Phrase("A|RELATION|B|SHARED|OF A|OF B"), numeric: [3, 4, 5], in: language)
        var count = 0
        try service.forEachOverlap(of: invocation.words.first, progress: { progress.update($0, of: $1) }) { pair in
            count += 1
            if invocation.isJSON {
                output.print(pair.json.description)
            } else {
                table.add([
                    pair.a, name(of: pair.overlap.relation).text(in: language), pair.b,
                    Phrase("\(decimal: Format.area(pair.overlap.sharedArea))").text(in: language), share(pair.overlap.shareOfA),
                    share(pair.overlap.shareOfB),
                ])
            }
        }
        progress.clear()
        if invocation.isJSON { return .done }
        if count == 0 {
            invocation.print(
                invocation.words.first.map { Phrase("No other geofence touches '\($0)'.") } ?? Phrase("No two geofences touch."))
        } else {
            table.print(to: output)
            invocation.print(Phrase(count, one: "\(count) pair", other: "\(count) pairs"))
        }
        return .done
    }

    private static func name(of relation: Overlap.Relation) -> Phrase {
        switch relation {
        case .disjoint: Phrase("disjoint")
        case .touches: Phrase("touches")
        case .overlaps: Phrase("overlaps")
        case .contains: Phrase("contains")
        case .within: Phrase("within")
        case .equals: Phrase("equals")
        }
    }
}
