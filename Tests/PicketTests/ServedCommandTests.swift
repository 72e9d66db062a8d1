import Foundation
import Model
import TestSupport
import Testing

/// A running service, and commands on its data directory. The service ends with the instance.
final class ServedShell {
    let shell: Shell
    private(set) var url: String
    private var service: Program.Running
    private let options: [String]

    var picket: Program { shell.picket }

    /// - Parameter prepare: Called with the data directory before the service starts.
    init(_ options: String..., prepare: (Program) throws -> Void = { _ in }) throws {
        shell = try Shell()
        try prepare(shell.picket)
        self.options = options
        (service, url) = try Self.start(shell.picket, options)
    }

    private static func start(_ picket: Program, _ options: [String]) throws -> (Program.Running, url: String) {
        let service = try picket.start(
            ["serve", "--listen", "127.0.0.1:0", "--json", "--log-level", "error"] + options)
        let line = try #require(service.nextLine())
        return (service, try #require(try JSONParser.parse(line)["url"]?.string))
    }

    /// Kills the service, and starts it again at another address.
    func restart() throws {
        kill()
        (service, url) = try Self.start(shell.picket, options)
    }

    var process: Int32 { service.process.processIdentifier }

    /// Kills the service.
    func kill() { service.kill() }

    deinit { kill() }

    /// A connection to the service.
    func connect() throws -> RawConnection { try RawConnection(port: url.split(separator: ":").last.flatMap { Int($0) } ?? 0) }

    /// Requests a path from the service with the token of local commands.
    func get(_ path: String) throws -> JSONValue { try send("GET", path, nil) }

    /// Posts a body of NDJSON to the service.
    func post(_ path: String, _ body: String) throws -> JSONValue { try send("POST", path, body) }

    private func send(_ method: String, _ path: String, _ body: String?) throws -> JSONValue {
        let text = try String(contentsOfFile: picket.data + "/service.json", encoding: .utf8)
        let token = try #require(try JSONParser.parse(text)["token"]?.string)
        let answer = try #require(
            try connect().send(
                method, path, body: body, type: "application/x-ndjson", headers: ["Authorization": "Bearer \(token)"]))
        #expect(answer.status == 200, "\(path): \(answer.text)")
        return try answer.json()
    }

    func ids(_ path: String, _ list: String) throws -> [String] {
        (try get(path)[list]?.array ?? []).compactMap { $0["id"]?.string }
    }
}

@Suite("Commands beside a running service")
struct ServedCommandTests {
    private static let positions = """
        device,timestamp,latitude,longitude,accuracy,sat
        anna,2026-05-01T10:00:00Z,52.5,13.4,5,12
        anna,2026-05-01T10:01:00Z,52.5,13.4,5,11
        anna,2026-05-01T10:05:00Z,92.5,13.4,5,12
        anna,2026-05-01T10:09:00Z,52.6,13.4,5,12
        anna,2999-05-01T10:09:00Z,52.6,13.4,5,12
        """

    @Test("status --ready is for health checks: it is fine only while a service can accept positions")
    func ready() throws {
        let running = try ServedShell { try $0.run("token", "create", "me", "--role", "admin") }
        let ready = try running.picket.run("status", "--ready")
        #expect(ready.status == 0 && ready.output == "The service is ready.\n")
        #expect(try running.picket.run("status", "--ready", "--server", running.url, "--token", "picket_wrong").status == 0)
        running.kill()
        let stopped = try running.picket.run("status", "--ready")
        #expect(stopped.status == 1 && stopped.output == "No service runs on \(running.picket.data).\n")
        let unreachable = try running.picket.run("status", "--ready", "--server", running.url)
        #expect(unreachable.status == 3 && unreachable.errors.contains("cannot be reached"))
    }

    @Test("Geofences are changed through the service")
    func geofences() throws {
        let served = try ServedShell()
        let picket = served.picket
        let added = try picket.run("geofence", "add", "--name", "My home", "--circle", "52.5,13.4,100")
        #expect(added.output == "Added geofence my-home: My home, 100 m around 52.5, 13.4\n", "\(added.errors)")
        try picket.run("geofence", "add", "--name", "My home", "--circle", "52.7,13.4,100", "--rename")
        #expect(try served.ids("/v1/geofences", "geofences") == ["my-home", "my-home-2"])
        #expect(try picket.run("geofence", "list", "--json").lines.count == 2)

        try picket.run("feed", served.shell.file("a.csv", Self.positions), "--policy", "exact")
        #expect(try picket.run("geofence", "edit", "my-home", "--circle", "52.6,13.4,150").output.contains("entered   My home"))
        #expect(try served.get("/v1/geofences/my-home")["radius"]?.double == 150)
        #expect(try picket.run("geofence", "edit", "my-home", "--inactive").output.contains("left      My home"))
        let bow = #"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#
        let file = try served.shell.file(
            "f.geojson",
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"id\":\"bow\",\"geometry\":\(bow),\"properties\":{}}]}"
        )
        let refused = try picket.run("geofence", "import", file)
        #expect(refused.status == 1 && refused.errors.contains("geofence 'bow': geometry: its outline crosses"))
        #expect(refused.errors.contains(file))
        #expect(try picket.run("geofence", "import", file, "--mend").output.contains("1 of them fixed"))
        #expect(try picket.run("geofence", "remove", "bow", "nobody").status == 2)
        #expect(try picket.run("geofence", "remove", "bow", "my-home-2").status == 0)
        #expect(try served.ids("/v1/geofences", "geofences") == ["my-home"])
    }

    @Test("Devices are changed through the service, and simulated phones beside it")
    func devices() throws {
        let served = try ServedShell()
        let picket = served.picket
        #expect(try picket.run("device", "add", "anna", "--platform", "ios", "--keep-positions", "90d").status == 0)
        let slip = try picket.run("device", "edit", "anna", "--keep-positions", "3m")
        #expect(slip.status == 2 && slip.errors.contains("0 of 0 stored positions within a minute"), "\(slip.errors)")
        #expect(try picket.run("device", "add", "anna").status == 2)
        #expect(try picket.run("device", "edit", "anna", "--groups", "team").output == "Changed device anna.\n")
        let device = try served.get("/v1/devices/anna")
        #expect(device["groups"]?.array == ["team"] && device["registry"]?.string == "simulated")
        #expect(device["keepPositions"]?.double == 7_776_000.0)
        let orphaned = try picket.run("registry", "add-orphan", "old", "52.5,13.4,100")
        #expect(orphaned.status == 0, "\(orphaned.errors)")
        #expect(try picket.run("registry", "show", "--json").output.contains("\"identifier\":\"old\""))
        #expect(try picket.run("health").output.contains("1 orphan region(s) in iOS"))
        #expect(try picket.run("device", "add", "ben").status == 0)
        #expect(try picket.run("device", "erase", "ben", "--yes").status == 0)
        #expect(
            try picket.run("device", "remove", "anna", "--yes").output
                == "Removed device anna with 0 positions. Its 0 events and 0 visits are kept.\n")
        #expect(try served.ids("/v1/devices", "devices") == [])
        #expect(try picket.run("device", "remove", "anna", "--yes").status == 2)
    }

    @Test("Positions are fed through the service, and refusals name their line")
    func feed() throws {
        let served = try ServedShell { try $0.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100") }
        let file = try served.shell.file("a.csv", Self.positions)
        let fed = try served.picket.run("feed", file, "--policy", "exact", "--json")
        #expect(fed.status == 1)
        let lines = try fed.lines.map { try JSONParser.parse($0) }
        #expect(lines.compactMap { $0["type"]?.string } == ["enter", "exit"])
        let refused = lines.compactMap { $0["refused"] }
        #expect(refused.map { $0["line"]?.double } == [4, 6])
        #expect(refused.map { $0["field"]?.string } == ["latitude", "timestamp"])
        #expect(refused.allSatisfy { $0["file"]?.string == file })
        let summary = try #require(lines.last?["summary"])
        #expect(["fixes", "accepted", "refused", "events"].map { summary[$0]?.double } == [5, 3, 2, 2])
        #expect(try served.picket.run("device", "export", "anna").output.contains(#"{"sat":"12"}"#))
        let again = try served.picket.run("feed", file)
        #expect(again.output.contains("3 duplicates"))
    }

    /// Positions of some devices that enter and leave a fence, with all optional fields. They are of the last hours, so that no device
    /// becomes silent.
    private static func walk(seed: UInt64) -> String {
        var random = SeededRandom(seed: seed)
        var lines = ""
        let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1000 - 12_000_000)
        for number in 0..<12_000 {
            let time = start + Double(number)
            var line = "{\"device\":\"d\(number % 7)\",\"timestamp\":\"\(time)\""
            line += ",\"latitude\":\(52.5 + random.normal() * 0.002),\"longitude\":\(13.4 + random.normal() * 0.002)"
            if number % 3 > 0 { line += ",\"accuracy\":\(Double.random(in: 1...60, using: &random))" }
            if number % 5 == 0 { line += ",\"speed\":3.25,\"course\":0,\"battery\":1,\"altitude\":-7.5e1" }
            if number % 11 == 0 { line += ",\"sat\":\(number % 13),\"deep\":{\"a\":[1,\"x\\ny\"]},\"id\":\"own \(number)\"" }
            lines += line + "}\n"
            if number % 4000 == 17 { lines += "{\"device\":\"d1\",\"latitude\":1}\n" }
        }
        return lines
    }

    @Test("Feeding through the service gives the result of feeding the store")
    func oracle() throws {
        let seed: UInt64 = 41
        let own = try Shell()
        let served = try ServedShell()
        let file = try own.file("walk.ndjson", Self.walk(seed: seed))
        let results = try [own.picket, served.picket].map { picket in
            for id in ["home", "away"] {
                try picket.run(
                    "geofence", "add", "--id", id, "--circle", "52.5,13.\(id == "home" ? 4 : 402),150")
            }
            return try picket.run("feed", file, "--policy", "exact", "--json")
        }
        #expect(results.map(\.status) == [1, 1])
        func counts(_ result: Program.Result) throws -> [Double?] {
            let summary = try JSONParser.parse(try #require(result.lines.last))["summary"]
            return ["fixes", "accepted", "duplicates", "late", "refused", "events"].map { summary?[$0]?.double }
        }
        #expect(try counts(results[0]) == counts(results[1]))
        #expect(try #require(try counts(results[0])[5]) > 100)
        func printed(_ picket: Program, _ command: [String]) throws -> [String] {
            try picket.run(command).lines.map { line in
                let members = try #require(try JSONParser.parse(line).members)
                // The time of recording differs, and so does the order of events of different devices.
                return JSONValue.object(members.filter { !["recordedAt", "sequence"].contains($0.name) }).description
            }
        }
        #expect(
            try printed(own.picket, ["events", "--json"]).sorted() == printed(served.picket, ["events", "--json"]).sorted(),
            "seed \(seed)")
        for device in ["d0", "d3"] {
            #expect(
                try printed(own.picket, ["device", "export", device]).filter {
                    $0.contains("\"fix\":") && !$0.contains("\"event\":")
                }
                    == printed(served.picket, ["device", "export", device]).filter {
                        $0.contains("\"fix\":") && !$0.contains("\"event\":")
                    }, "seed \(seed)")
        }
    }

    @Test("A repair through the service gives the output of a repair on the store")
    func repair() throws {
        func prepare(_ picket: Program) throws {
            try picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,150")
            try picket.run("device", "add", "anna", "--platform", "ios")
            try picket.run("device", "add", "ben")
        }
        let own = try Shell()
        try prepare(own.picket)
        let served = try ServedShell("--auto-repair-interval", "0", prepare: prepare)
        let remote = ["--server", served.url]
        let steps: [[String]] = [
            ["health"], ["health", "--explain"], ["fix-registration", "--dry-run"], ["fix-registration"], ["health"],
            ["registry", "authorize", "denied"], ["fix-registration", "--device", "anna"],
            ["fix-registration", "--device", "ben"],
            ["fix-registration", "--device", "zzz"],
        ]
        for words in steps {
            let (here, there) = try (own.picket.run(words), served.picket.run(words))
            #expect(there.output == here.output && there.errors == here.errors && there.status == here.status, "\(words)")
            guard words[0] != "registry" else { continue }
            // Without a device, the output would contain the number of unmanaged devices.
            let named = words.contains("--device") ? words : words + ["--device", "anna"]
            let (near, far) = try (own.picket.run(named), served.picket.run(named + remote))
            #expect(far.output == near.output && far.errors == near.errors && far.status == near.status, "\(named)")
        }
        #expect(try served.picket.run(["fix-registration", "--history", "--json"] + remote).lines.count >= 2)
        #expect(try served.picket.run("registry", "show", "--json").output.contains("\"identifier\":\"home\""))
    }

    @Test("New and revoked tokens are effective at once")
    func tokens() throws {
        let served = try ServedShell()
        let picket = served.picket
        let made = try JSONParser.parse(try picket.run("token", "create", "anna", "--role", "admin", "--json").output)
        let secret = try #require(made["secret"]?.string)
        let id = try #require(made["id"]?.string)
        #expect(made.members?.map(\.name) == ["id", "name", "role", "madeAt", "secret"])
        func status(_ secret: String?) throws -> Int? {
            let headers = secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
            return try served.connect().send("GET", "/v1/geofences", headers: headers)?.status
        }
        #expect(try status(secret) == 200)
        #expect(try status(nil) == 401)
        #expect(try picket.run("token", "list", "--json").lines.count == 1)
        #expect(try picket.run("token", "revoke", id).output == "Revoked token \(id) of anna.\n")
        #expect(try status(secret) == 401)
        // Commands on this machine are still accepted.
        #expect(try picket.run("device", "add", "ben").status == 0)
        #expect(try picket.run("token", "revoke", "nobody").status == 2)
    }

    @Test(
        "A failure has the same message and status through the service as on the store",
        arguments: [
            ["geofence", "add", "--id", "home", "--circle", "1,2,3"], ["geofence", "add", "--id", "x", "--circle", "1,2,0.5"],
            ["geofence", "edit", "hom", "--priority", "3"], ["geofence", "edit", "home", "--circle", "91,2,30"],
            ["geofence", "remove", "zzz"], ["device", "add", "anna"], ["device", "edit", "ann", "--groups", "x"],
            ["device", "edit", "anna", "--name", ""], ["device", "remove", "zzz"], ["device", "erase", "zzz", "--yes"],
            ["token", "create", "", "--role", "admin"], ["token", "revoke", "zzz"], ["feed", "/nowhere.csv"],
            ["geofence", "import", "/nowhere.csv"], ["geofence", "add", "--id", "", "--circle", "1,2,3"],
            ["device", "add", ".."], ["geofence", "edit", "a/b?c#d", "--priority", "1"],
        ])
    func sameWords(_ words: [String]) throws {
        func prepare(_ picket: Program) throws {
            try picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
            try picket.run("device", "add", "anna")
            try picket.run("device", "add", "..")
        }
        let own = try Shell()
        try prepare(own.picket)
        let served = try ServedShell(prepare: prepare)
        for language in ["en", "de", "tr"] {
            let (here, there) = try (
                own.picket.run(words + ["--language", language]), served.picket.run(words + ["--language", language])
            )
            #expect(here.status == there.status && here.status != 0, "\(there)")
            #expect(here.errors == there.errors)
            // The duration in the output differs.
            func printed(_ result: Program.Result) -> String { String(result.output.prefix { $0 != "s" || words[0] != "feed" }) }
            #expect(printed(here) == printed(there))
        }
    }

    @Test("A command that needs the directory alone is refused, and the service is named")
    func alone() throws {
        let served = try ServedShell { try $0.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100") }
        let backup = served.shell.directory.path + "/x.backup"
        #expect(try served.picket.run("backup", backup).status == 0)
        #expect(try served.picket.run("check").status == 0)
        for words in [["compact"], ["restore", backup]] {
            let refused = try served.picket.run(words)
            #expect(refused.status == 3)
            #expect(refused.errors.contains("'picket serve' (process \(served.process))"), "\(refused.errors)")
        }
    }

    @Test("After the service is killed, commands work on the directory again")
    func killed() throws {
        let served = try ServedShell()
        try served.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        served.kill()
        #expect(FileManager.default.fileExists(atPath: served.picket.data + "/service.json"))
        #expect(try served.picket.run("geofence", "add", "--id", "b", "--circle", "52.5,13.4,100").status == 0)
        #expect(try served.picket.run("geofence", "list", "--json").lines.count == 2)
    }

    @Test("A holder of the directory that is not a service is named")
    func busy() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "ben")
        // Pretends to be another process that writes.
        let descriptor = open(shell.picket.data + "/picket.lock", O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let holder = Array("1 picket feed".utf8)
        #expect(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, holder, holder.count, 0) == holder.count)
        // The file of a killed service, whose process number now belongs to another process.
        let stale = "{\"url\":\"http://127.0.0.1:9\",\"token\":\"x\",\"process\":\(getpid())}"
        try stale.write(toFile: shell.picket.data + "/service.json", atomically: true, encoding: .utf8)
        let refused = try shell.picket.run("device", "add", "anna")
        #expect(refused.status == 3 && refused.errors.contains("'picket feed'"), "\(refused.errors)")
    }
}
