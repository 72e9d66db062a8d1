import Foundation

/// Wakes a thread that waits in poll(2), by means of a pipe.
package final class WakeSignal: Sendable {
    /// The reading end of the pipe, which is readable after a signal until `clear()`.
    package let descriptor: Int32
    private let input: Int32

    /// Nil if the process has no file descriptors left.
    package init?() {
        var ends: (Int32, Int32) = (-1, -1)
        let code = unsafe withUnsafeMutableBytes(of: &ends) { unsafe pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) }
        (descriptor, input) = ends
        guard code == 0 else { return nil }
        for end in [descriptor, input] {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if input >= 0 { close(input) }
    }

    /// Wakes the thread. A write to a full pipe fails, but then the thread is already woken.
    package func signal() {
        var byte: UInt8 = 0
        _ = unsafe write(input, &byte, 1)
    }

    package func clear() {
        var bytes: UInt64 = 0
        while unsafe read(descriptor, &bytes, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size {}
    }
}
