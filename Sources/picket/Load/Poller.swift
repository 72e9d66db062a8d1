#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for many sockets at once.
struct Poller {
    private var sockets: [pollfd] = []

    /// Waits for one more, until it can be read. They are numbered as they are added.
    mutating func add(_ socket: Int32) { sockets.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }

    /// Waits until a socket can be written, too, or no more.
    mutating func setWriting(_ number: Int, _ isWriting: Bool) {
        sockets[number].events = Int16(isWriting ? POLLIN | POLLOUT : POLLIN)
    }

    /// The numbers of the sockets at which something can be done, after waiting for one at most so long. Times below a
    /// millisecond are slept away in parts of 0.1 ms.
    mutating func wait(nanoseconds: Int64) -> [Int] {
        var milliseconds = nanoseconds / 1_000_000
        if milliseconds == 0, nanoseconds > 0 {
            var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 100_000)))
            nanosleep(&time, nil)
        }
        milliseconds = min(milliseconds, 10_000)
        guard poll(&sockets, nfds_t(sockets.count), Int32(milliseconds)) > 0 else { return [] }
        return sockets.indices.filter { sockets[$0].revents != 0 }
    }
}
