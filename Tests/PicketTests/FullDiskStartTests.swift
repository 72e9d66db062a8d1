import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Starts on a full disk", .serialized,
    .enabled("only root can mount a small disk") { geteuid() == 0 && ServeFaultTests.canMount })
struct FullDiskStartTests {
    private let directory: TemporaryDirectory
    private var disk: String { directory.path + "/disk" }
    private var data: String { disk + "/data" }
    private var filler: String { disk + "/filler" }

    init() throws { directory = try TemporaryDirectory() }

    /// Calls `body` with a mounted disk of 20 MB.
    private func withDisk(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mount = try TestProcess("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=20m", "none", disk])
        try #require(mount.terminationStatus == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        try body()
    }

    /// Fills the disk, except for a number of bytes.
    private func fill(leaving room: Int = 0) throws {
        let file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4096)
        var size: off_t = 0
        while unsafe write(file, block, block.count) == block.count { size += off_t(block.count) }
        if room > 0 { #expect(ftruncate(file, size - off_t(room)) == 0) }
    }

    private func positions(from first: Int, count: Int) -> String {
        let start = (Int(Date().timeIntervalSince1970) - 3000) * 1000
        return (first..<first + count).map {
            #"{"device":"a","timestamp":\#(start + 10 * $0),"latitude":52.5,"longitude":13.4}"#
        }.joined(separator: "\n")
    }

    private func service() throws -> RunningService { try RunningService(data: data, "--auto-repair-interval", "0") }

    /// Checks that the service answers reads with what is on record, and refuses writes.
    private func checkReadOnly(_ service: RunningService) throws {
        let connection = try service.connect()
        let readiness = try #require(try connection.send("GET", "/readyz"))
        #expect(readiness.status == 503 && readiness.text.contains("storeFull"), "\(readiness.text)")
        let device = try #require(try connection.send("GET", "/v1/devices/a"))
        #expect(device.status == 200 && device.text.contains("52.5"), "\(device.text)")
        for target in ["/v1/status", "/v1/health", "/v1/geofences", "/v1/visits", "/v1/devices/a/track"] {
            let answer = try #require(try connection.send("GET", target))
            #expect(answer.status == 200, "\(target): \(answer.text)")
        }
        let events = try #require(try connection.send("GET", "/v1/events"))
        #expect(events.status == 200 && events.text.contains("\"enter\""), "\(events.text)")
        let problems = try #require(try connection.send("GET", "/v1/problems"))
        #expect(problems.text.contains("job/store") && problems.text.contains("storeFull"), "\(problems.text)")
        for (method, target, body) in [
            ("POST", "/v1/positions", positions(from: 5000, count: 1)), ("PUT", "/v1/devices/b", "{}"),
            ("DELETE", "/v1/geofences/home", ""),
        ] {
            let answer = try #require(try connection.send(method, target, body: body))
            #expect(answer.status == 507 && answer.text.contains("storeFull"), "\(method) \(target): \(answer.text)")
        }
    }

    @Test("A service starts and can be read, also at a second start and without a reserve, and writes when there is room")
    func readOnly() throws {
        try withDisk {
            do {
                let first = try service()
                let connection = try first.connect()
                let home = #"{"id":"home","name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#
                #expect(try connection.send("POST", "/v1/geofences", body: home)?.status == 201)
                #expect(try connection.send("POST", "/v1/positions", body: positions(from: 0, count: 1000))?.status == 200)
                first.kill()
            }
            #expect(unlink(data + "/picket.reserve") == 0)
            try fill()
            for _ in 1...2 {
                let full = try service()
                try checkReadOnly(full)
                full.kill()
            }
            let last = try service()
            try checkReadOnly(last)
            #expect(unlink(filler) == 0)
            let connection = try last.connect()
            var status = 503
            while status == 503 { status = try #require(try connection.send("GET", "/readyz")).status }
            #expect(status == 200)
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 1000, count: 10))?.status == 200)
            #expect(try connection.send("GET", "/v1/problems")?.text.contains("job/store") == false)
            last.kill()
            let check = try JSONParser.parse(try Program(data: data).run("check", "--json").output)
            #expect(check["isSound"]?.bool == true && check["fixes"]?.double == 1010)
        }
    }

    @Test("A write that comes when there is room again is accepted")
    func roomForWrite() throws {
        try withDisk {
            do {
                let first = try service()
                #expect(try first.connect().send("POST", "/v1/positions", body: positions(from: 0, count: 10))?.status == 200)
                first.kill()
            }
            #expect(unlink(data + "/picket.reserve") == 0)
            try fill()
            let full = try service()
            let connection = try full.connect()
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 10, count: 1))?.status == 507)
            #expect(unlink(filler) == 0)
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 10, count: 1))?.status == 200)
            full.kill()
        }
    }

    @Test("A service that is refused because another one runs leaves its reserve alone")
    func second() throws {
        try withDisk {
            let first = try service()
            #expect(access(data + "/picket.reserve", F_OK) == 0)
            try fill()
            let second = try Program(data: data).run("serve", "--json", "--listen", "127.0.0.1:0")
            #expect(second.status == 3 && second.errors.contains("storeBusy"), "\(second.errors)")
            #expect(access(data + "/picket.reserve", F_OK) == 0)
            first.kill()
        }
    }
}
