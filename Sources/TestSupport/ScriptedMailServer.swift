import Foundation

/// A mail server on 127.0.0.1 that takes everything, or answers a line as a test decides (RFC 5321).
public final class ScriptedMailServer: Sendable {
    public let port: Int
    public var url: String { "smtp://127.0.0.1:\(port)" }
    private let listener: Int32
    // Safe: `received` is touched only while `lock` is held.
    private nonisolated(unsafe) var received: [String] = []
    private let lock = NSLock()

    /// All lines that have come.
    public var lines: [String] { lock.withLock { received } }

    /// - Parameter reply: The reply to a line, with its end; nil for the usual one. The end of the mail is the line `DATA END`.
    public init(_ reply: @escaping @Sendable (String) -> String? = { _ in nil }) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection, reply)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Whether a line is no command but credentials in Base64.
    private func isCredentials(_ line: String) -> Bool { !line.contains(" ") && line.count > 4 }

    private func serve(_ connection: Int32, _ reply: (String) -> String?) {
        func send(_ text: String) { _ = Foundation.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
        send("220 scripted ESMTP\r\n")
        var bytes: [UInt8] = []
        var isData = false
        while true {
            while let end = bytes.firstRange(of: [13, 10]) {
                let line = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                bytes.removeFirst(end.upperBound)
                lock.withLock { received.append(line) }
                if isData {
                    guard line == "." else { continue }
                    isData = false
                    send(reply("DATA END") ?? "250 2.0.0 taken\r\n")
                    continue
                }
                let special = reply(line)
                if line == "DATA", special == nil { isData = true }
                if line == "AUTH PLAIN", special == nil {
                    // What follows is the name with its password (RFC 4954, section 4).
                    send("334 \r\n")
                    continue
                }
                let usual =
                    line.hasPrefix("EHLO")
                    ? "250-scripted\r\n250 AUTH PLAIN\r\n"
                    : isCredentials(line) ? "235 2.7.0 welcome\r\n" : line == "DATA" ? "354 go on\r\n" : "250 2.1.0 fine\r\n"
                send(special ?? usual)
                if line == "QUIT" { return }
            }
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return }
            bytes += piece[..<count]
        }
    }
}
