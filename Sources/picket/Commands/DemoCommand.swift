import Core
import Foundation
import Model
import Places
import Presence
import Service
import ToolSupport

/// `picket demo`: shows geofences, transitions, visits and repairs of a simulated phone on sample data.
enum DemoCommand {
    static let command = Command(
        name: "demo", summary: "Show everything with sample data, in a separate directory.",
        options: [Option("--sample", value: "DIR", help: "Directory of other sample data; default: that of the program")],
        discussion: "Starts from the beginning each time. The data directory is picket-demo beside the default one, or --data.",
        noServer: .needsNoService(Phrase("it creates its own data directory")), examples: ["picket demo"], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let output = invocation.output
        // A folder without sample data is refused before an earlier demo's files are removed.
        let installed = try installedSample(invocation)
        let directory =
            invocation.has("--data") ? invocation.directory : DataDirectory(path: invocation.directory.path + "-demo")
        try removeEarlierDemo(directory)
        let sample = if let installed { installed } else { try embeddedSample(directory) }
        func say(_ text: String) { if !invocation.isJSON { output.print(text) } }
        func heading(_ title: Phrase) {
            say("")
            say(Color.bold(invocation.text(title), on: output))
        }
        let status = try runFirstHalf(directory, sample, invocation, say, heading)
        if !invocation.isJSON { try PhoneDemo(directory: directory, sample: sample, invocation: invocation).run() }
        heading(Phrase("What to try next"))
        let path = directory.path
        let picket = programName
        let hints: [(command: String, why: Phrase)] = [
            ("\(picket) --data \(path) events --device anna-phone", Phrase("what happened, one by one")),
            ("\(picket) --data \(path) visits --geofence school", Phrase("who was at school")),
            ("\(picket) --data \(path) geofence overlaps", Phrase("which geofences overlap")),
            ("\(picket) --data \(path) health --explain", Phrase("why each geofence is registered or not")),
            (
                "\(picket) --data \(path) registry drop 3",
                Phrase("make the phone lose three regions; then repair it with fix-registration")
            ),
            (
                "\(picket) --data \(path) feed \(sample.folder)/tracks --policy exact",
                Phrase("all sample tracks, with exact positions")
            ),
            ("\(picket) geofence add --name Home --circle 52.5163,13.3777,100", Phrase("your own first geofence")),
            ("\(picket) feed YOUR.gpx --device me", Phrase("and your own track")),
        ]
        for (command, why) in hints {
            say("  \(command)")
            say(Color.dim("      \(invocation.text(why))", on: output))
        }
        return status
    }

    /// The first half of the demo: feeds positions and prints the transitions and visits.
    private static func runFirstHalf(
        _ directory: DataDirectory, _ sample: SampleData, _ invocation: Invocation, _ say: (String) -> Void,
        _ heading: (Phrase) -> Void
    ) throws(Problem) -> ExitStatus {
        let output = invocation.output
        let service = try ServiceWriter(directory, purpose: "demo")
        heading(Phrase("1. Geofences: places to watch"))
        let imported = try GeofenceFile.importing(sample.geofences, into: service)
        say(
            invocation.text(
                Phrase("\(imported.count) geofences of a city are in the store: circles and polygons, some with holes.")))

        heading(Phrase("2. Devices: who is watched"))
        for device in try sample.devices() where device.groups.contains("family") {
            try service.save(device)
            say("  \(device.id.padding(14)) \(device.name)")
        }

        heading(Phrase("3. A day of positions comes in; Picket decides who entered and left"))
        say(
            invocation.text(
                Phrase(
                    """
                    Positions vary by some meters, and outliers by kilometers. Picket records a change when it is confirmed.
                    """)))
        say("")
        let printer = FeedPrinter(invocation)
        let summary = FileFeed.run(
            [sample.path(ofTrack: SampleData.familyDay)], into: service, options: .init(), observer: printer.observer)
        say("")
        printer.printSummary(summary)
        if let failure = summary.failure { throw failure }
        if invocation.isJSON { return printer.status }

        heading(Phrase("4. The day as visits"))
        var table = Table(Phrase("WHO|WHERE|FROM|TO|FOR"), numeric: [4], in: invocation.language)
        try service.forEachVisit(.init()) { visit in
            guard let exitedAt = visit.exitedAt, let seen = visit.seenSeconds, seen >= 600 else { return }
            table.add([
                visit.deviceId, visit.geofenceName, Format.time(visit.enteredAt, in: invocation.timeZone),
                Format.time(exitedAt, in: invocation.timeZone),
                invocation.language.duration(seen),
            ])
        }
        table.print(to: output)
        say(
            invocation.text(
                Phrase("(Visits of ten minutes and more. Each is an enter and an exit that belong together.)")))

        heading(Phrase("5. Who is where now"))
        for line in try service.deviceStatuses() {
            say("  \(line.device.id.padding(14)) \(invocation.text(QueryCommands.location(of: line, in: invocation.timeZone)))")
        }
        return printer.status
    }

    /// How a person can call this program from the current directory: the path in argument 0, shortened to a relative path where possible.
    private static var programName: String {
        let called = CommandLine.arguments[0]
        let here = FileManager.default.currentDirectoryPath + "/"
        return called.hasPrefix(here) ? String(called.dropFirst(here.count)) : called
    }

    /// The sample data in the folder given by `--sample`, else in the one beside the program (in a checkout, or where a package installs
    /// it). Nil if there is neither.
    private static func installedSample(_ invocation: Invocation) throws(Problem) -> SampleData? {
        guard let folder = invocation.value("--sample") ?? InstalledFiles.sampleData else { return nil }
        return try SampleData(folder: folder)
    }

    /// The sample data within the program, written into the demo's directory, so that a person can look at it and feed it again.
    private static func embeddedSample(_ directory: DataDirectory) throws(Problem) -> SampleData {
        let folder = directory.path + "/sample"
        try EmbeddedSample.write(to: folder)
        return try SampleData(folder: folder)
    }

    /// Removes the store and the registry of an earlier demo.
    ///
    /// - Throws: `Problem.conflict` when the directory has a store that was not made by a demo, or when a demo still runs in it.
    private static func removeEarlierDemo(_ directory: DataDirectory) throws(Problem) {
        let marker = directory.path + "/demo"
        if try directory.hasStore(), access(marker, F_OK) != 0 {
            throw .conflict(
                kind: .directory, id: directory.path,
                reason: Phrase(
                    """
                    contains a store that 'picket demo' did not create, and was not changed. Choose another directory with \
                    --data
                    """))
        }
        // The lock is refused while another demo still runs in this directory.
        let lock = try DirectoryLock(directory, purpose: "demo")
        defer { withExtendedLifetime(lock) {} }
        do {
            try Data("'picket demo' created these files, and replaces them each time.\n".utf8).write(
                to: URL(filePath: marker))
        } catch {
            throw .fileFailed(path: marker, reason: Phrase("it cannot be written"))
        }
        for file in [directory.storePath, directory.registryFilePath].flatMap({ [$0, $0 + "-wal", $0 + "-shm"] })
        where FileManager.default.fileExists(atPath: file) {
            guard unlink(file) == 0 else { throw .fileFailed(path: file, reason: .verbatim(String(cString: strerror(errno)))) }
        }
    }
}
