import Foundation

/// Waits for many sockets with poll(2).
struct Poller {
    private var sockets: [pollfd] = []

    /// Adds a socket, to wait until it is readable. Sockets are numbered from 0 in the order of adding.
    mutating func add(_ socket: Int32) { sockets.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }

    /// Sets whether to wait until a socket is writable, too.
    mutating func setWriting(_ number: Int, _ isWriting: Bool) {
        sockets[number].events = Int16(isWriting ? POLLIN | POLLOUT : POLLIN)
    }

    /// Waits until any socket is ready, for at most `nanoseconds`, and returns the numbers of the ready ones. A wait below a millisecond
    /// becomes a sleep of at most 0.1 ms before a poll without waiting.
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
