import Core

/// What a diagnosis asks the machine.
package struct MachineFacts: Sendable {
    /// The free disk space at the data directory in bytes that this process can use; nil if the system does not report it.
    var freeBytes: Int?
    /// Whether the kernel's clock is synchronized with a time server; nil if the system does not report it.
    package var isClockSynchronized: Bool?

    init(freeBytes: Int?, isClockSynchronized: Bool?) {
        self.freeBytes = freeBytes
        self.isClockSynchronized = isClockSynchronized
    }

    package init(of directory: DataDirectory) {
        self.init(freeBytes: directory.freeBytes, isClockSynchronized: KernelClock.isSynchronized())
    }
}
