import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Disk faults of a service", .serialized)
struct ServeFaultTests {
    private let directory: TemporaryDirectory
    private var data: String { directory.path + "/data" }

    init() throws { directory = try TemporaryDirectory() }

    /// Positions of a device as NDJSON, 10 ms apart and all different.
    private func positions(_ device: String, from first: Int, count: Int) -> String {
        let start = (Int(Date().timeIntervalSince1970) - 3000) * 1000
        return (first..<first + count).map {
            #"{"device":"\#(device)","timestamp":\#(start + 10 * $0),"latitude":52.5,"longitude":13.4,"accuracy":\#($0 % 50)}"#
        }.joined(separator: "\n")
    }

    private func storedFixes() throws -> Int {
        let check = try Program(data: data).run("check", "--json")
        let json = try JSONParser.parse(check.output)
        #expect(check.status == 0 && json["isSound"]?.bool == true, "\(check.output)\(check.errors)")
        return Int(json["fixes"]?.double ?? -1)
    }

    // MARK: - No room

    @Test(
        "A full disk is reported, the service continues when there is room, and loses nothing",
        .enabled("there is no prlimit") { FileManager.default.isExecutableFile(atPath: ServeFaultTests.limiter) },
        arguments: ["full", "normal"])
    func full(durability: String) throws {
        let service = try RunningService(data: data, "--durability", durability, "--auto-repair-interval", "0")
        #expect(try service.connect().send("POST", "/v1/positions", body: positions("a", from: 0, count: 10))?.status == 200)
        try limitFiles(of: service, to: 600_000)
        let connection = try service.connect()
        var acknowledged = 10
        var refused: TestAnswer?
        while refused == nil, acknowledged < 100_000 {
            let answer = try #require(
                try connection.send("POST", "/v1/positions", body: positions("a", from: acknowledged, count: 500)))
            if answer.status == 200 { acknowledged += 500 } else { refused = answer }
        }
        let answer = try #require(refused)
        #expect(answer.status == 507)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["Retry-After"] == "5")
        #expect(try JSONParser.parse(answer.text)["code"]?.string == "storeFull", "\(answer.text)")
        // A phone's app gets an answer on which it repeats the request. Requests that need no room succeed.
        let phone = #"{"_type":"location","lat":1,"lon":2,"tst":\#(Int(Date().timeIntervalSince1970)),"topic":"owntracks/j/p"}"#
        let phoneStatus = try connection.send("POST", "/owntracks", body: phone)?.status ?? 0
        #expect(phoneStatus == 200 || phoneStatus >= 500)
        #expect(try connection.send("GET", "/healthz")?.status == 200)
        #expect(try connection.send("GET", "/v1/devices/a")?.status == 200)
        try standsWhileFull(connection, from: acknowledged)

        try limitFiles(of: service, to: nil)
        #expect(try connection.send("POST", "/v1/positions", body: positions("a", from: acknowledged, count: 500))?.status == 200)
        acknowledged += 500
        #expect(try connection.send("GET", "/v1/problems")?.text.contains("job/store") == false)
        #expect(try connection.send("GET", "/readyz")?.status == 200)
        #expect(try !Program(data: data).run("problems").output.contains("job/store"))
        service.kill()
        #expect(try storedFixes() == acknowledged + (phoneStatus == 200 ? 1 : 0))
    }

    /// Checks that the problem is listed although the journal of problems cannot be written.
    private func standsWhileFull(_ connection: RawConnection, from number: Int) throws {
        let picket = Program(data: data)
        // A small write may still find room, which resolves the problem until the next failure.
        func shows(_ what: String, _ isRight: () throws -> Bool) throws {
            for _ in 1...20 {
                for _ in 1...3 {
                    #expect(
                        try connection.send("POST", "/v1/positions", body: positions("a", from: number, count: 500))?.status
                            == 507)
                }
                if try isRight() { return }
            }
            Issue.record("\(what) does not show it")
        }
        try shows("/readyz") { try connection.send("GET", "/readyz")?.status == 503 }
        try shows("/v1/problems") {
            let answer = try #require(try connection.send("GET", "/v1/problems"))
            let shown = try JSONParser.parse(answer.text)["problems"]?.array?.first
            return shown?["id"] == "0" && shown?["source"] == "job/store" && shown?["problem"]?["code"] == "storeFull"
                && shown?["isEscalated"]?.bool == true
        }
        try shows("/v1/status") {
            let answer = try #require(try connection.send("GET", "/v1/status"))
            let totals = try JSONParser.parse(answer.text)["problems"]
            return totals?["standing"]?.double == 1 && totals?["escalated"]?.double == 1
        }
        try shows("/metrics") { try connection.send("GET", "/metrics")?.text.contains("\npicket_problems_escalated 1\n") == true }
        try shows("picket problems") {
            let listed = try picket.run("problems")
            return listed.status == 1 && listed.output.contains("0  Disk full  job/store") && listed.output.contains("escalated")
                && listed.output.contains("can still be read")
        }
        try shows("picket status") {
            try picket.run("status").lines.last == "1 open problem, 1 of them escalated: picket problems"
        }
        try shows("picket problems report") { try picket.run("problems", "report").output.contains("code=storeFull") }
    }

    static let limiter = "/usr/bin/prlimit"

    /// Limits the size of the files that a process may write, like a full disk or a quota.
    private func limitFiles(of service: RunningService, to bytes: Int?) throws {
        let limit = bytes.map(String.init) ?? "unlimited"
        let tool = try TestProcess(Self.limiter, ["--pid", "\(service.process)", "--fsize=\(limit):unlimited"])
        try #require(tool.terminationStatus == 0)
    }

    @Test(
        "A small disk holds more than the log, and a service on a full disk says so and does not start",
        .enabled("only root can mount a small disk") { geteuid() == 0 && ServeFaultTests.canMount })
    func smallDisk() throws {
        let disk = directory.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mount = try TestProcess("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=20m", "none", disk])
        try #require(mount.terminationStatus == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        let data = disk + "/data"
        let first = try RunningService(data: data, "--auto-repair-interval", "0")
        // Six megabytes are left.
        try Data(count: 13 << 20).write(to: URL(filePath: disk + "/filler"))
        var acknowledged = 0
        let connection = try first.connect()
        while acknowledged < 200_000 {
            let body = positions("a", from: acknowledged, count: 100)
            let answer = try #require(try connection.send("POST", "/v1/positions", body: body))
            if answer.status != 200 {
                #expect(answer.status == 507, "\(answer.text)")
                break
            }
            acknowledged += 100
        }
        let (store, log) = (fileSize(data + "/picket.sqlite"), fileSize(data + "/picket.sqlite-wal"))
        #expect(store > 1 << 20 && log < 4 << 20, "\(acknowledged) positions; the store has \(store) bytes, its log \(log)")
        first.kill()
        let rest = try FileHandle(forWritingTo: URL(filePath: disk + "/filler"))
        try rest.seekToEnd()
        let block = [UInt8](repeating: 0, count: 4096)
        while unsafe write(rest.fileDescriptor, block, block.count) > 0 {}
        try rest.close()

        let refused = try Program(data: data).run("serve", "--json", "--listen", "127.0.0.1:0")
        #expect(refused.status == 3 && refused.errors.contains("storeFull"), "\(refused.errors)")
        #expect(unlink(disk + "/filler") == 0)
        let second = try RunningService(data: data, "--auto-repair-interval", "0")
        let body = positions("a", from: acknowledged, count: 100)
        #expect(try second.connect().send("POST", "/v1/positions", body: body)?.status == 200)
        second.kill()
        let check = try Program(data: data).run("check", "--json")
        let json = try JSONParser.parse(check.output)
        #expect(json["isSound"]?.bool == true && Int(json["fixes"]?.double ?? 0) >= acknowledged + 100, "\(check.output)")
    }

    private func fileSize(_ path: String) -> Int {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : 0
    }

    // MARK: - Others

    @Test("A store locked by another program is reported as busy, and the service continues afterward")
    func locked() throws {
        let service = try RunningService(data: data)
        #expect(try service.connect().send("POST", "/v1/positions", body: positions("a", from: 0, count: 1))?.status == 200)
        let other = try Connection(path: data + "/picket.sqlite", access: .write)
        try other.execute("BEGIN IMMEDIATE")
        let waiting = try service.connect()
        let body = positions("a", from: 1, count: 1)
        waiting.send("POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        // Queries are answered meanwhile.
        let device = try #require(try service.connect().send("GET", "/v1/devices/a"))
        #expect(device.status == 200 && device.text.contains("52.5"), "with what the writer could not write yet: \(device.text)")
        #expect(try service.connect().send("GET", "/v1/events")?.status == 200)
        let answer = try #require(try waiting.answer())
        #expect(answer.status == 503)
        #expect(answer["Retry-After"] == "5")
        #expect(try JSONParser.parse(answer.text)["code"]?.string == "storeBusy", "\(answer.text)")
        try other.execute("COMMIT")
        #expect(try service.connect().send("POST", "/v1/positions", body: body)?.status == 200)
        service.kill()
        #expect(try storedFixes() == 2)
    }

    @Test(
        "A directory that cannot be written is refused at start, with the reason",
        .enabled("only root can make one that root cannot write") { geteuid() != 0 || ServeFaultTests.canMount })
    func readOnly() throws {
        let folder = try directory.write("", to: "marker").replacingOccurrences(of: "marker", with: "locked")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try lock(folder)
        defer { unlock(folder) }
        let result = try Program(data: folder).run("serve", "--json", "--listen", "127.0.0.1:0")
        #expect(result.status == 3)
        let problem = try JSONParser.parse(result.errors)["problem"]
        #expect(problem?["code"]?.string == "fileFailed", "\(result.errors)")
        #expect(problem?["message"]?.string?.contains(folder) == true, "\(result.errors)")
    }

    static var canMount: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/mount") }

    private func lock(_ folder: String) throws {
        if geteuid() != 0 { return try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder) }
        let mount = try TestProcess("/usr/bin/mount", ["-t", "tmpfs", "-o", "ro,size=64k", "none", folder])
        try #require(mount.terminationStatus == 0)
    }

    private func unlock(_ folder: String) { if geteuid() == 0 { umount(folder) } else { chmod(folder, 0o700) } }
}
