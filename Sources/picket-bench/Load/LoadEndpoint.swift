import Foundation
import Model
import Synchronization
import Workers

/// An HTTP endpoint on this machine that answers every request with 200 at once. Each connection has its own thread.
final class LoadEndpoint: Sendable {
    let port: Int
    private let listener: Int32
    private let received = Atomic<Int>(0)

    /// The number of requests received.
    var count: Int { received.load(ordering: .relaxed) }

    /// - Parameter took: Called with the body of each request, on the thread of its connection.
    init(_ took: @escaping @Sendable (ArraySlice<UInt8>) -> Void) throws(Problem) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw .noConnection(peer: "127.0.0.1", details: .verbatim(String(cString: strerror(errno)))) }
        port = Int(UInt16(bigEndian: address.sin_port))
        _ = WorkThreads("endpoint") { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var yes: Int32 = 1
                setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
                _ = WorkThreads("endpoint connection") { [weak self] in
                    self?.serve(connection, took)
                    Foundation.close(connection)
                }
            }
        }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
    }

    private static let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let lengthName = Array("Content-Length: ".utf8)

    private func serve(_ connection: Int32, _ took: (ArraySlice<UInt8>) -> Void) {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            while let head = bytes.firstRange(of: Self.headEnd) {
                var length = 0
                if let name = bytes[..<head.lowerBound].firstRange(of: Self.lengthName) {
                    for digit in bytes[name.upperBound...].prefix(while: { $0 &- 48 <= 9 }) {
                        length = length * 10 + Int(digit - 48)
                    }
                }
                guard bytes.count >= head.upperBound + length else { break }
                took(bytes[head.upperBound..<head.upperBound + length])
                received.add(1, ordering: .relaxed)
                guard send(connection, Self.answer, Self.answer.count, Int32(MSG_NOSIGNAL)) == Self.answer.count else { return }
                bytes.removeFirst(head.upperBound + length)
            }
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return }
            bytes += piece[..<count]
        }
    }
}
