import Core
import Dispatch
import Ingest
import Model
import Presence
import Synchronization
import TestSupport
import Testing

@testable import Registrations
@testable import Service

@Suite("News of positions from OwnTracks")
struct OwnTracksNewsTests {
    @Test("Positions that come with other messages reach followers and metrics like others", arguments: [true, false])
    func followers(hasMessage: Bool) throws {
        let directory = try TemporaryDirectory()
        let start = Instant("2026-05-01T10:00:00Z")!
        let moved = Mutex<[LivePosition]>([])
        let counted = Mutex(0)
        var observer = Writer.Observer()
        observer.followsDevices = { true }
        observer.positionsSaved = { positions in moved.withLock { $0 += positions } }
        observer.group = { group in counted.withLock { $0 += group.results.reduce(0) { $0 + $1.counts.accepted } } }
        let writer = try Writer(
            DataDirectory(path: directory.path), purpose: "test", durability: .normal, clock: TestClock(time: start),
            observer: observer)
        defer { withExtendedLifetime(directory) { writer.stop() } }
        let message = hasMessage ? #",{"_type":"status","iOS":{}}"# : ""
        let text = #"[{"_type":"location","lat":52.6,"lon":13.4,"tst":\#(Int(start.seconds))}\#(message)]"#
        var batch = FixBatch()
        let messages = Array(text.utf8).withUnsafeBufferPointer {
            batch.addOwnTracks($0, of: OwnTracksSender(user: "jane", device: "phone"), field: "body")
        }
        #expect(messages.count == (hasMessage ? 1 : 0))
        let done = DispatchSemaphore(value: 0)
        #expect(writer.submit(batch, messages: messages) { _ in done.signal() })
        done.wait()
        #expect(moved.withLock { $0.map(\.deviceId) } == ["jane/phone"] && moved.withLock { $0.first?.fix.time } == start)
        #expect(counted.withLock { $0 } == 1)
    }
}
