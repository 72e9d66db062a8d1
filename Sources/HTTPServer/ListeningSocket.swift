import Foundation
import Model

/// A TCP socket with an address of this machine. Clients can connect after `listen()`.
package struct ListeningSocket: Sendable {
    let descriptor: Int32
    package let host: String
    package let port: Int

    /// Reserves the address.
    ///
    /// - Parameters:
    ///   - host: A host name or a numeric IP address; IPv6 without brackets.
    ///   - port: 0 for a free port.
    /// - Throws: `Problem.validationFailed` when the address cannot be used.
    package init(host: String, port: Int) throws(Problem) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &found)
        defer { if unsafe found != nil { unsafe freeaddrinfo(found) } }
        guard code == 0, let first = unsafe found else {
            throw .validationFailed(
                field: "listen", value: "\(host):\(port)", reason: .verbatim(unsafe String(cString: gai_strerror(code))),
                expected: Phrase("an address of this machine, for example 127.0.0.1:7575 or [::]:7575"))
        }
        var failure: Int32 = 0
        var descriptor: Int32 = -1
        descriptor = unsafe socket(first.pointee.ai_family, first.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        if descriptor < 0 {
            failure = errno
        } else {
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            if unsafe bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) != 0 {
                failure = errno
                Foundation.close(descriptor)
            }
        }
        guard failure == 0 else {
            throw .validationFailed(
                field: "listen", value: "\(host):\(port)", reason: .verbatim(unsafe String(cString: strerror(failure))),
                expected: .freeAddress)
        }
        self.descriptor = descriptor
        self.host = host
        self.port = Self.address(of: descriptor)?.port ?? port
    }

    /// The socket that systemd has passed to this process (sd_listen_fds(3)); nil if there is none.
    ///
    /// - Throws: `Problem.validationFailed` if there are several sockets, or the socket is not one for TCP.
    package init?(passedBy environment: [String: String]) throws(Problem) {
        guard let count = environment["LISTEN_FDS"], environment["LISTEN_PID"] == String(getpid()) else { return nil }
        let expected = Phrase("one TCP socket: a single ListenStream= with a port in the systemd unit")
        guard count == "1" else {
            throw .validationFailed(
                field: "LISTEN_FDS", value: count, reason: Phrase("the service listens on one address"), expected: expected)
        }
        // SD_LISTEN_FDS_START
        let descriptor: Int32 = 3
        guard let (host, port) = Self.address(of: descriptor) else {
            throw .validationFailed(
                field: "LISTEN_FDS", value: count, reason: Phrase("the file descriptor 3 is not a TCP socket"), expected: expected
            )
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.init(descriptor: descriptor, host: host, port: port)
    }

    private init(descriptor: Int32, host: String, port: Int) {
        self.descriptor = descriptor
        self.host = host
        self.port = port
    }

    /// Lets clients connect. The system keeps their connections until a server accepts them.
    ///
    /// - Throws: `Problem.validationFailed` if another process listens at the address.
    package func listen() throws(Problem) {
        guard Foundation.listen(descriptor, 4096) != 0 else { return }
        throw .validationFailed(
            field: "listen", value: "\(host):\(port)", reason: .verbatim(unsafe String(cString: strerror(errno))),
            expected: .freeAddress)
    }

    /// Closes the descriptor. No server may use it anymore.
    package func close() { Foundation.close(descriptor) }

    /// The numeric address of a TCP socket; nil for another file.
    private static func address(of descriptor: Int32) -> (host: String, port: Int)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var (host, service) = ([CChar](repeating: 0, count: Int(NI_MAXHOST)), [CChar](repeating: 0, count: 32))
        let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard unsafe getsockname(descriptor, address, &length) == 0 else { return -1 }
                guard unsafe [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family)) else { return -1 }
                return unsafe getnameinfo(
                    address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
                    NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard code == 0, let port = Int(Self.text(service)) else { return nil }
        return (Self.text(host), port)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
