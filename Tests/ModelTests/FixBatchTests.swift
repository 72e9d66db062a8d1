import Geodesy
import Model
import Testing

@Suite("Memory of decoded positions")
struct FixBatchTests {
    @Test("Arrays and names of devices count")
    func held() {
        var batch = FixBatch()
        for index in 0..<1000 { _ = batch.number(ofDevice: "device-\(index)") }
        #expect(batch.heldBytes >= 1000 * 64)
        batch.rows.reserveCapacity(1000)
        #expect(batch.heldBytes >= 1000 * (64 + MemoryLayout<FixBatch.Row>.stride))
    }

    @Test("A batch takes at most a quarter more than its rows and attributes")
    func growth() {
        var batch = FixBatch()
        let coordinate = Coordinate(latitude: 1, longitude: 2)
        for index in 0..<100_000 {
            let attributes = batch.addAttributes(String(repeating: "x", count: 100))
            batch.append(
                .init(fix: Fix(time: .earliest, coordinate: coordinate), device: 0, attributes: attributes, line: index))
        }
        let held = 100_000 * (MemoryLayout<FixBatch.Row>.stride + 100 + 48)
        #expect((held...held * 5 / 4 + 10_000).contains(batch.heldBytes), "\(batch.heldBytes)")
    }
}
