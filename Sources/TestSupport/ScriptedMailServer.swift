import Foundation
import Synchronization

/// A mail server on 127.0.0.1 that accepts everything, except for lines that a test answers differently (RFC 5321).
package final class ScriptedMailServer: Sendable {
    package var port: Int { listener.port }
    package var url: String { "smtp://127.0.0.1:\(port)" }
    /// All received lines.
    package var lines: [String] { received.lines.withLock { $0 } }

    private let listener: LoopbackListener
    private let received: Received

    /// Shared with the threads of the connections.
    private final class Received: Sendable { let lines = Mutex<[String]>([]) }

    /// - Parameter reply: The reply to a line, with its line end; nil for the usual reply. The end of the mail is passed as the line `DATA
    ///   END`.
    package init(_ reply: @escaping @Sendable (String) -> String? = { _ in nil }) throws {
        let received = Received()
        self.received = received
        listener = try LoopbackListener { ScriptedMailServer.serve($0, received, reply) }
    }

    /// Whether a line is credentials in Base64 and not a command.
    private static func isCredentials(_ line: String) -> Bool { !line.contains(" ") && line.count > 4 }

    private static func serve(_ connection: Int32, _ received: Received, _ reply: (String) -> String?) {
        func send(_ text: String) { _ = Foundation.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
        send("220 scripted ESMTP\r\n")
        var bytes: [UInt8] = []
        var isData = false
        while true {
            while let end = bytes.firstRange(of: [13, 10]) {
                let line = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                bytes.removeFirst(end.upperBound)
                received.lines.withLock { $0.append(line) }
                if isData {
                    guard line == "." else { continue }
                    isData = false
                    send(reply("DATA END") ?? "250 2.0.0 taken\r\n")
                    continue
                }
                let special = reply(line)
                if line == "DATA", special == nil { isData = true }
                if line == "AUTH PLAIN", special == nil {
                    // The client sends the user name and the password next (RFC 4954, section 4).
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
