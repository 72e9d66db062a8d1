import Foundation

/// A proxy on 127.0.0.1 that offers a service of this machine below a path. It passes on at once what the service sends.
package final class PrefixProxy: Sendable {
    private let listener: LoopbackListener

    /// - Parameters:
    ///   - port: The port to listen on.
    ///   - prefix: The path below which the service is offered, such as `/home`. Other paths are not found.
    ///   - keepsPrefix: Whether the service gets the path with the prefix.
    ///   - service: The service's port.
    package init(port: Int, prefix: String, keepsPrefix: Bool, to service: Int) throws {
        listener = try LoopbackListener(port: port) { client in
            guard let request = Self.request(from: client) else { return }
            let line = request.head[0].split(separator: " ", maxSplits: 2).map(String.init)
            guard line.count == 3, line[1].hasPrefix(prefix + "/"), let connection = try? RawConnection(port: service) else {
                RawConnection.send(
                    Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8), to: client)
                return
            }
            let path = keepsPrefix ? line[1] : String(line[1].dropFirst(prefix.count))
            // Each connection carries one request, so everything that the service sends is its answer.
            let fields = request.head.dropFirst().filter { !$0.lowercased().hasPrefix("connection:") } + ["Connection: close"]
            connection.send("\(line[0]) \(path) \(line[2])\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
            connection.send(request.body)
            while let piece = Self.receive(from: connection.descriptor), RawConnection.send(piece, to: client) {}
        }
    }

    private static func request(from client: Int32) -> (head: [String], body: [UInt8])? {
        var bytes: [UInt8] = []
        let separator = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.firstRange(of: separator) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                let length = head.first { $0.lowercased().hasPrefix("content-length:") }?.split(separator: ":").last
                let wanted = length.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? 0
                if bytes.count - end.upperBound >= wanted { return (head, Array(bytes[end.upperBound...])) }
            }
            guard let piece = receive(from: client) else { return nil }
            bytes += piece
        }
    }

    /// The next bytes; nil at the end of the connection.
    private static func receive(from descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer[..<count]) }
            if count < 0, errno == EINTR { continue }
            return nil
        }
    }
}
