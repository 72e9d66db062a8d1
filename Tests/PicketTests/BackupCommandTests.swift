import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Backup commands")
struct BackupCommandTests {
    @Test("A backup is written, verified and restored by command")
    func roundTrip() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let file = try shell.file("x", "") + ".backup"
        let made = try shell.picket.run("backup", file)
        #expect(made.status == 0 && made.output.contains("1 geofence"), "\(made)")
        #expect(try shell.picket.run("backup", file).status == 2)
        #expect(try shell.picket.run("backup", file, "--force", "--json").status == 0)
        #expect(try shell.picket.run("check", file).status == 0)
        try shell.picket.run("geofence", "remove", "home")
        let restored = try shell.picket.run("restore", file)
        #expect(restored.status == 0 && restored.output.contains("is kept in"))
        #expect(try shell.picket.run("geofence", "list", "--json").lines.count == 1)
        let check = try shell.picket.run("check", "--json")
        #expect(try check.status == 0 && JSONParser.parse(check.output)["isSound"]?.bool == true)
        try Connection(path: shell.picket.data + "/picket.sqlite", access: .write).execute(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO device_state (device, time, latitude, longitude) VALUES (9, 0, 0, 0)
            """)
        let unsound = try shell.picket.run("check")
        #expect(unsound.status == 1 && unsound.output.contains("Dangling"))
    }

    @Test("A backup names what it does not contain, and a restore writes the settings or lists those that differ")
    func settings() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "anna")
        try Data("timezone = Europe/Berlin\nmqtt-ca = /tls/ca.pem\nmqtt = mqtts://u:hush@broker.example\n".utf8)
            .write(to: URL(filePath: shell.picket.data + "/picket.conf"))
        let file = shell.directory.path + "/all.backup"
        let made = try shell.picket.run("backup", file)
        #expect(made.output.contains("Not in the backup: mqtt-ca (/tls/ca.pem)"), "\(made)")
        let json = try JSONParser.parse(try shell.picket.run("backup", file, "--force", "--json").output)
        #expect(json["notIncluded"]?.array?.first?["source"] == "/tls/ca.pem")
        let same = try JSONParser.parse(try shell.picket.run("restore", file, "--json").output)
        let differences = try #require(same["settings"]?["differences"]?.array)
        #expect(!differences.contains { $0["file"]?.string?.hasPrefix(shell.picket.data) == true })
        try Data("timezone = Europe/Paris\n".utf8).write(to: URL(filePath: shell.picket.data + "/picket.conf"))
        let listed = try shell.picket.run("restore", file)
        #expect(listed.status == 0 && listed.output.contains("differ from those here"), "\(listed)")
        #expect(listed.output.contains("Europe/Berlin") && listed.output.contains("Europe/Paris"))
        #expect(!listed.output.contains("hush"))
        let elsewhere = Program(data: shell.directory.path + "/elsewhere")
        let restored = try elsewhere.run("restore", file)
        #expect(restored.status == 0 && restored.output.contains("elsewhere/picket.conf"), "\(restored)")
        #expect(try elsewhere.run("config").output.contains("Europe/Berlin"))
    }

    @Test("A killed restore leaves the old or the new store, never half of one")
    func killed() throws {
        let shell = try Shell()
        let file = try shell.file("x", "") + ".backup"
        let count = 3_000
        var rows = "id,name,latitude,longitude,radius\n"
        for number in 0..<count { rows += "f\(number),Fence \(number),52.5,13.4,\(number % 900 + 10)\n" }
        let fences = try shell.file("fences.csv", rows)
        try shell.picket.run("geofence", "import", fences, "--json")
        try shell.picket.run("backup", file)
        try shell.picket.run("restore", file)
        var random = SeededRandom(seed: 20)
        var seen: Set<Int> = []
        let log = shell.picket.data + "/picket.sqlite-wal"
        for round in 0..<8 {
            // The directory contains something that the backup does not.
            try shell.picket.run("geofence", "add", "--id", "own", "--name", "Own", "--circle", "52.5,13.4,100")
            let running = try shell.picket.start(["restore", file])
            // The process is killed at once, or when the log has reached a random size, or after the end if the log never does.
            let limit = round == 0 ? 0 : Int.random(in: 0...600_000, using: &random)
            var status = stat()
            while running.process.isRunning, (stat(log, &status) == 0 ? Int(status.st_size) : 0) < limit { sched_yield() }
            running.kill()
            let fences = try shell.picket.run("geofence", "list", "--json").lines.count
            #expect(fences == count || fences == count + 1)
            seen.insert(fences)
            #expect(try shell.picket.run("check").status == 0)
            try shell.picket.run("geofence", "remove", "own")
        }
        #expect(seen.contains(count + 1))
    }
}

@Suite("Commands for a device's data")
struct DeviceDataCommandTests {
    private static let walk =
        "device,timestamp,latitude,longitude\nanna,2026-05-01T10:00:00Z,52.51,13.4\nanna,2026-05-01T10:01:00Z,52.52,13.4\n"

    @Test("Keeping positions for less than an hour needs a confirmation, which names the number and time of the deletions")
    func shortKeeping() throws {
        let shell = try Shell()
        try shell.picket.run("feed", try shell.file("walk.csv", Self.walk))
        for words in [["edit", "anna"], ["add", "ben"]] {
            let slip = try shell.picket.run(["device"] + words + ["--keep-positions", "3m"])
            let count = words[0] == "edit" ? "2 of 2 stored positions" : "0 of 0 stored positions"
            #expect(slip.status == 2)
            #expect(slip.errors.contains("3 min") && slip.errors.contains(count), "\(slip.errors)")
            #expect(slip.errors.contains("90d") && slip.errors.contains("--yes"), "\(slip.errors)")
        }
        #expect(try shell.picket.run("device", "show", "anna").output.contains("positions are kept forever, by default"))
        #expect(try shell.picket.run("device", "edit", "anna", "--keep-positions", "0").status == 2)
        let meant = try shell.picket.run("device", "edit", "anna", "--keep-positions", "3m", "--yes")
        #expect(meant.status == 0)
        #expect(meant.output.contains("2 of 2 positions will be deleted when the service runs"), "\(meant.output)")
        let long = try shell.picket.run("device", "edit", "anna", "--keep-positions", "100d", "--json")
        #expect(try JSONParser.parse(long.output)["deletion"]?["positions"]?.double == 2)
        #expect(try shell.picket.run("device", "add", "new", "--keep-positions", "0").status == 0, "it has none to lose")
    }

    @Test("Joining a group that keeps positions for less than an hour needs a confirmation, too", arguments: [1, 2])
    func groupKeeping(devices count: Int) throws {
        let shell = try Shell()
        try shell.picket.run("feed", try shell.file("walk.csv", Self.walk))
        try shell.picket.run("device", "add", "ben")
        try shell.picket.run("group", "edit", "kids", "--keep-positions", "3m", "--yes")
        let words = ["device", "edit"] + ["anna", "ben"].prefix(count) + ["--groups", "kids"]
        let slip = try shell.picket.run(words)
        #expect(slip.status == 2 && slip.errors.contains("--groups 'kids'"), "\(slip.errors)")
        #expect(slip.errors.contains("2 of 2 stored positions"), "\(slip.errors)")
        #expect(try shell.picket.run("device", "show", "anna").output.contains("positions are kept forever, by default"))
        #expect(try shell.picket.run(words + ["--yes"]).status == 0)
        #expect(try shell.picket.run("device", "show", "anna").output.contains("from the group 'kids'"))
    }

    @Test("A service with a retention below an hour needs a confirmation")
    func shortKeepingOfService() throws {
        let shell = try Shell()
        try shell.picket.run("feed", try shell.file("walk.csv", Self.walk))
        let slip = try shell.picket.run("serve", "--listen", "127.0.0.1:0", "--keep-positions", "3m")
        #expect(slip.status == 2 && slip.errors.contains("2 of 2 stored positions"), "\(slip.errors)")
    }

    @Test("A device is exported, its positions are kept as long as asked for, and it is erased on confirmation")
    func all() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "anna", "--keep-positions", "90d")
        let device = try JSONParser.parse(
            try shell.picket.run("device", "edit", "anna", "--keep-positions", "0", "--json").output)
        #expect(device["keepPositions"]?.double == 0)
        #expect(try shell.picket.run("device", "edit", "anna", "--keep-positions", "soon").status == 2)
        #expect(try shell.picket.run("device", "edit", "anna", "--keep-positions", "forever").status == 0)
        #expect(try shell.picket.run("device", "show", "anna").output.contains("kept forever"))
        let track = try shell.file(
            "walk.csv", "device,timestamp,latitude,longitude\nanna,2026-05-01T10:00:00Z,52.51,13.4\n")
        try shell.picket.run("feed", track)
        let file = try shell.file("x", "") + ".ndjson"
        let exported = try shell.picket.run("device", "export", "anna", file)
        #expect(exported.status == 0 && exported.output.contains("1 position"), "\(exported)")
        #expect(try shell.picket.run("device", "export", "anna").lines.last?.contains("summary") == true)
        let help = try shell.picket.run("device", "export", "--help").output
        for kind in [
            "device", "state", "fix", "seen", "event", "visit", "evidence", "refusedInput", "journal", "repair", "health",
            "phone",
            "token", "summary",
        ] { #expect(help.contains(kind), "\(kind)") }
        let unasked = try shell.picket.run("device", "erase", "anna")
        #expect(unasked.status == 2 && unasked.errors.contains("--yes"))
        let erased = try shell.picket.run("device", "erase", "anna", "--yes")
        #expect(erased.status == 0 && erased.output.contains("1 position"), "\(erased)")
        #expect(try shell.picket.run("device", "export", "anna").status == 2)
        #expect(try shell.picket.run("compact", "--json").status == 0)
    }
}
