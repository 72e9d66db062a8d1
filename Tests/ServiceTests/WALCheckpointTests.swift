import Foundation
import Geodesy
import Model
import SQLite
import TestSupport
import Testing

@testable import Service
@testable import Store

@Suite("The size of the write-ahead log")
struct WALCheckpointTests {
    private let folder: TemporaryDirectory
    private let store: PicketStore
    private let files: OpenStoreFiles
    private let checkpoint: WALCheckpoint
    private let device: DeviceKey

    init() throws {
        folder = try TemporaryDirectory()
        let path = folder.path + "/picket.sqlite"
        store = try PicketStore(writing: path)
        try store.configureForService()
        device = try store.saveDevice(Device(id: "d"), in: Transaction())
        let files = try OpenStoreFiles(path)
        self.files = files
        checkpoint = WALCheckpoint(of: files) { Issue.record("\($0)") }
    }

    /// Writes this many positions of about 4 KiB each.
    private func write(_ count: Int) throws {
        let attributes = #"{"note":"\#(String(repeating: "x", count: 3500))"}"#
        for number in 0..<count {
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                _ = try store.append(
                    Fix(time: Instant(milliseconds: Int64(number)), coordinate: Coordinate(latitude: 1, longitude: 2)),
                    of: device,
                    revision: 0, evaluation: .onReceipt, attributes: attributes, in: transaction)
            }
        }
    }

    /// Continues for this many seconds at a time, until a condition holds.
    private func tick(_ clock: inout ContinuousClock.Instant, by seconds: Int, until isDone: () -> Bool) throws {
        repeat {
            clock += .seconds(seconds)
            try checkpoint.startOrComplete(store, free: { 24 << 20 }, now: clock)
        } while !isDone()
    }

    @Test("A log that an open transaction holds is reported, and truncated when the transaction ends")
    func held() throws {
        defer { checkpoint.stop() }
        var clock = ContinuousClock.now
        let reader = try Connection(path: store.path, access: .read)
        try reader.execute("BEGIN; SELECT count(*) FROM fix")
        var written = 0
        while files.logBytes < 8 << 20 {
            try write(100)
            written += 100
            clock += .milliseconds(1)
            try checkpoint.startOrComplete(store, free: { 24 << 20 }, now: clock)
        }
        try tick(&clock, by: 1) { checkpoint.heldBytes == files.logBytes }
        #expect(LogHolder.find(ofStore: store.path) == .longQuery)
        try reader.execute("COMMIT")
        // It is truncated in steps to its usual size of 3 MB, and others write in between.
        var sizes = [files.logBytes]
        while checkpoint.heldBytes != nil || files.logBytes > 3 << 20 {
            try write(1)
            written += 1
            clock += .seconds(1)
            try checkpoint.startOrComplete(store, free: { 24 << 20 }, now: clock)
            if files.logBytes != sizes.last { sizes.append(files.logBytes) }
        }
        #expect(sizes.count >= 3 && zip(sizes, sizes.dropFirst()).allSatisfy { $0 - $1 <= 4 << 20 })
        // Everything is in the store.
        #expect(try PicketStore(reading: store.path).fixCount() == written)
    }

    @Test("A log that nothing is added to is truncated, and one in use is not")
    func rest() throws {
        defer { checkpoint.stop() }
        var clock = ContinuousClock.now
        try write(400)
        let bytes = files.logBytes
        #expect(bytes > 1 << 20)
        for _ in 0..<100 {
            clock += .milliseconds(40)
            try checkpoint.startOrComplete(store, free: { nil }, now: clock)
        }
        #expect(files.logBytes == bytes)
        try tick(&clock, by: 1) { files.logBytes == 0 }
        #expect(try PicketStore(reading: store.path).fixCount() == 400)
        // The log is used again.
        try write(1)
        #expect(files.logBytes > 0 && files.problem() == nil)
    }

    @Test("The process whose transaction is open is named")
    func holder() throws {
        var found = stat()
        #expect(stat(store.path + "-shm", &found) == 0)
        let process = try TestProcess("/bin/sleep", ["600"])
        defer { process.kill() }
        let id = process.processIdentifier
        let name = try #require(LogHolder.text(of: "/proc/\(id)/comm")).trimmingCharacters(in: .whitespacesAndNewlines)
        func holder(_ lines: String) -> ProblemSubject { LogHolder.find(ofStore: store.path, locks: lines) }
        let other = "1: POSIX  ADVISORY  READ \(id) 00:2d:\(found.st_ino)"
        let own = "2: POSIX  ADVISORY  READ \(getpid()) 00:2d:\(found.st_ino)"
        #expect(holder("\(other) 124 124\n\(own) 126 126\n") == .process(name, Int(id)))
        #expect(LogHolder.find(ofStore: store.path, locks: "\(other) 124 124\n", name: { _ in nil }) == .process("", Int(id)))
        let reader = try Connection(path: store.path, access: .read)
        try reader.execute("BEGIN; SELECT count(*) FROM fix")
        #expect(holder("\(own) 123 123\n") == .longQuery && holder("") == .longQuery, "whether the list has the lock or not")
        try reader.execute("COMMIT")
        // Each connection holds the first lock all the time, and the writer holds the second one.
        #expect(holder("\(other) 128 128\n1: POSIX  ADVISORY  WRITE \(id) 00:2d:\(found.st_ino) 120 120\n") == .anotherProgram)
        #expect(holder("1: POSIX  ADVISORY  READ \(id) 00:2d:\(found.st_ino + 1) 124 124\n") == .anotherProgram)
        #expect(holder("") == .anotherProgram && LogHolder.find(ofStore: store.path, locks: nil) == .anotherProgram)
    }

    @Test("The less room there is, the earlier the log is written into the store")
    func checkpoints() {
        #expect(WALCheckpoint.interval(free: nil) == 16_384 && WALCheckpoint.interval(free: 1 << 40) == 16_384)
        #expect(WALCheckpoint.interval(free: 24 << 20) == 768)
        #expect(WALCheckpoint.interval(free: 0) == 64)
    }
}
