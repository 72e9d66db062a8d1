/// The devices in memory, by index.
///
/// Elements are read and changed in place; see `ServiceWriter.LoadedDevice`. They are stored in blocks, so that they are never moved when
/// the table grows.
@safe package final class LoadedDeviceTable {
    private typealias LoadedDevice = ServiceWriter.LoadedDevice

    private var blocks: [UnsafeMutablePointer<LoadedDevice>] = []
    private(set) var count = 0
    private static let blockSize = 1024

    deinit {
        while count > 0 { removeLast() }
        for block in blocks.indices { unsafe blocks[block].deallocate() }
    }

    package var indices: Range<Int> { 0..<count }

    package subscript(index: Int) -> ServiceWriter.LoadedDevice {
        unsafeAddress { unsafe UnsafePointer(place(of: index)) }
        unsafeMutableAddress { unsafe place(of: index) }
    }

    /// Where a device is as long as it is in memory. Code that accesses a device several times for each position finds the place once.
    package func place(of index: Int) -> UnsafeMutablePointer<ServiceWriter.LoadedDevice> {
        precondition(indices.contains(index), "an index that is out of range")
        return unsafe blocks[index / Self.blockSize] + index % Self.blockSize
    }

    func append(_ device: ServiceWriter.LoadedDevice) {
        if unsafe count == blocks.count * Self.blockSize { unsafe blocks.append(.allocate(capacity: Self.blockSize)) }
        count += 1
        unsafe place(of: count - 1).initialize(to: device)
    }

    func removeLast() {
        unsafe place(of: count - 1).deinitialize(count: 1)
        count -= 1
    }
}
