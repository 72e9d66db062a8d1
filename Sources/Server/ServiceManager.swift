import Foundation

/// Notifies systemd of the service's state (sd_notify(3): datagrams with `NAME=value` lines to the socket in `NOTIFY_SOCKET`). Without that
/// variable it does nothing.
package struct ServiceManager: Sendable {
    private let address: String?
    /// The watchdog timeout in microseconds: systemd ends the service if it receives no `alive` within this time.
    private let watchdog: Double?

    package init(_ environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        watchdog = isForUs ? environment["WATCHDOG_USEC"].flatMap(Double.init) : nil
    }

    /// Seconds between two calls of `alive()`; nil when there is no watchdog.
    package var aliveInterval: Double? { watchdog.map { $0 / 1e6 / 3 } }

    /// Reports that the service is ready.
    package func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }
    package func reloading() {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
    }
    package func stopping() { send("STOPPING=1") }
    package func alive() { send("WATCHDOG=1") }

    private func send(_ text: String) {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        // A name that begins with @ is an abstract socket without a file.
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let bytes = Array(text.utf8)
        _ = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
