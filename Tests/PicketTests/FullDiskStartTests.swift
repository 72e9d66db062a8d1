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

    @Test("A service does not start without room, says so, and starts with everything when there is room")
    func noRoom() throws {
        try withDisk {
            do {
                let first = try service()
                #expect(try first.connect().send("POST", "/v1/positions", body: positions(from: 0, count: 1000))?.status == 200)
                first.kill()
            }
            // Less than the megabyte that a request may need.
            for room in [0, 900_000] {
                try fill(leaving: room)
                let refused = try Program(data: data).run("serve", "--json", "--listen", "127.0.0.1:0")
                #expect(refused.status == 3 && refused.output.isEmpty, "\(refused.output)")
                #expect(try JSONParser.parse(refused.errors)["problem"]?["code"] == "storeFull", "\(refused.errors)")
                #expect(unlink(filler) == 0)
            }
            let last = try service()
            let connection = try last.connect()
            #expect(try connection.send("GET", "/readyz")?.status == 200)
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 1000, count: 10))?.status == 200)
            #expect(try connection.send("GET", "/v1/problems")?.text.contains("job/store") == false)
            last.kill()
            let check = try JSONParser.parse(try Program(data: data).run("check", "--json").output)
            #expect(check["isSound"]?.bool == true && check["fixes"]?.double == 1010)
        }
    }

    @Test("A disk that becomes full while the service runs refuses positions until there is room")
    func fullWhileRunning() throws {
        try withDisk {
            let service = try service()
            let connection = try service.connect()
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 0, count: 10))?.status == 200)
            try fill()
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 10, count: 1))?.status == 507)
            let readiness = try #require(try connection.send("GET", "/readyz"))
            #expect(readiness.status == 503 && readiness.text.contains("storeFull"), "\(readiness.text)")
            let device = try #require(try connection.send("GET", "/v1/devices/a"))
            #expect(device.status == 200 && device.text.contains("52.5"), "\(device.text)")
            #expect(unlink(filler) == 0)
            #expect(try connection.send("POST", "/v1/positions", body: positions(from: 10, count: 1))?.status == 200)
            service.kill()
        }
    }
}
