import Foundation
import Model
import Reconciler
import Store

extension Queries {
    /// The health of at most `limit` managed devices after an id, sorted by id.
    package func health(after id: String?, limit: Int) throws(Problem) -> Page<GeofenceHealthStatus> {
        var filter = DeviceFilter()
        filter.isManaged = true
        let devices = Page(try store.devices(filter, after: id, limit: limit + 1), limit: limit, place: \.device.id)
        var found: [GeofenceHealthStatus] = []
        for stored in devices.items { found.append(try health(of: stored.device).status) }
        return Page(found, next: devices.next)
    }

    /// The newest reports of a device's repairs.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    /// - Throws: `Problem.validationFailed` if `place` is invalid.
    package func repairs(of id: String, after place: String?, limit: Int) throws(Problem) -> Page<RepairRecord> {
        let number = place.map { Int64($0) ?? -1 }
        if number == -1 {
            throw .validationFailed(
                field: "after", value: place ?? "", reason: .namesNothing(.repair), expected: .whatWasSaid("next"))
        }
        let found = try store.repairs(of: storedDevice(id: id).key, before: number, limit: limit + 1)
        return Page(found, limit: limit) { String($0.number) }.map(\.report)
    }

    /// Checks that the disk has at least one megabyte of free space. Throws `Problem.storeFull`.
    fileprivate func checkRoom() throws(Problem) {
        let path = directory.path + "/.room.\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .storeFull(path: directory.storePath) }
        defer { close(descriptor) }
        // The file has no name from here on, and is removed when its descriptor is closed.
        unlink(path)
        let block = [UInt8](repeating: 0x5A, count: 1 << 16)
        for _ in 0..<16 where unsafe write(descriptor, block, block.count) != block.count {
            throw .storeFull(path: directory.storePath)
        }
    }
}

extension ServiceWriter {
    /// Checks that the store can be written, and that the disk has at least one megabyte of free space.
    package func checkWritable() throws(Problem) {
        if let problem = lackOfRoom { throw problem }
        try transaction { () throws(Problem) in }
    }

    /// The problem that less than one megabyte is free; nil if more is free.
    var lackOfRoom: Problem? {
        guard let free = freeBytes(), free < Self.leastRoom else { return nil }
        return .storeFull(path: directory.storePath)
    }

    /// The free space in bytes below which the disk counts as full: the size of a large request.
    static let leastRoom = 1 << 20

    /// Tests whether a store that could not be written can be written again: writes one megabyte beside it (the size of a large request),
    /// and a small row into it.
    package func tryToWrite() throws(Problem) {
        let now = clock.now()
        try transaction(ofPositions: true) { () throws(Problem) in
            // Otherwise the test could succeed where positions are refused.
            if let problem = lackOfRoom { throw problem }
            try checkRoom()
            try store.recordWriteTest(at: now)
        }
    }
}
