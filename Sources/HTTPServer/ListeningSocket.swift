import Foundation
import Model

/// A TCP socket with an address of this machine. Clients can connect after `listen()`.
package struct ListeningSocket: Sendable {
    let descriptor: Int32
    let host: String
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
        self.port = Self.port(of: descriptor) ?? port
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

    /// The same socket with its own descriptor, so that two servers can close theirs independently.
    package func duplicate() throws(Problem) -> ListeningSocket {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw .unknown(details: .saying(Phrase("the listening socket failed"), unsafe String(cString: strerror(errno))))
        }
        return ListeningSocket(descriptor: copy, host: host, port: port)
    }

    /// Closes a descriptor that no server has taken over.
    package func close() { Foundation.close(descriptor) }

    private static func port(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { return nil }
        var service = [CChar](repeating: 0, count: 32)
        let named = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getnameinfo($0, length, nil, 0, &service, socklen_t(service.count), NI_NUMERICSERV)
            }
        }
        guard named == 0 else { return nil }
        return Int(String(decoding: service.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}
