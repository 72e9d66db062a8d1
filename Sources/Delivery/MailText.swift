import Model

/// Formats emails (RFC 5322) with UTF-8 text, and with a file if there is one (RFC 2045, RFC 2046, RFC 2183).
enum MailText {
    /// - Parameter id: Becomes the Message-ID, so that an email sent twice can be recognized.
    static func message(
        from sender: String, to recipients: [String], subject: String, body: String, attachment: MailAttachment? = nil,
        id: String, at time: Instant
    ) -> String {
        let host = sender.split(separator: "@").last ?? "localhost"
        let name = id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        var lines = [
            "From: Picket <\(sender)>", "To: \(recipients.map { "<\($0)>" }.joined(separator: ",\r\n "))",
            "Subject: \(encodedWords(subject))", "Date: \(date(time))", "Message-ID: <picket.\(name)@\(host)>",
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        ]
        let text = Array(body.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8)
        let textPart = part("text/plain; charset=utf-8", text)
        if let attachment {
            // Base64 contains no underscore.
            let boundary = "=_picket"
            lines += ["Content-Type: multipart/mixed; boundary=\"\(boundary)\"", "", "--\(boundary)"] + textPart
            let disposition = "Content-Disposition: attachment; filename=\"\(attachment.name)\""
            lines += ["--\(boundary)", disposition] + part(attachment.type, attachment.bytes) + ["--\(boundary)--"]
        } else {
            lines += textPart
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// The lines of a part in Base64, with its headers.
    private static func part(_ type: String, _ bytes: [UInt8]) -> [String] {
        // 57 bytes make a line of 76 characters, the maximum.
        ["Content-Type: \(type)", "Content-Transfer-Encoding: base64", ""]
            + stride(from: 0, to: bytes.count, by: 57).map { base64(Array(bytes[$0..<min($0 + 57, bytes.count)])) }
    }

    /// Encodes the value of a header. Printable ASCII of at most 60 characters without `=?` stays unchanged; other text becomes encoded words
    /// (RFC 2047) of at most 75 characters. Control characters become spaces, because an email program shows a subject on one line.
    static func encodedWords(_ value: String) -> String {
        let scalars = value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        let text = String(String.UnicodeScalarView(scalars))
        if text.utf8.count <= 60, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), !text.contains("=?") { return text }
        var words: [String] = []
        var piece: [UInt8] = []
        for scalar in text.unicodeScalars {
            // An encoded word must contain whole characters.
            let bytes = Array(String(scalar).utf8)
            if piece.count + bytes.count > 45 {
                words.append("=?utf-8?B?\(base64(piece))?=")
                piece = []
            }
            piece += bytes
        }
        words.append("=?utf-8?B?\(base64(piece))?=")
        return words.joined(separator: "\r\n ")
    }

    /// A date such as `Fri, 01 May 2026 10:00:00 +0000`.
    static func date(_ time: Instant) -> String {
        let text = time.description
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let month = Int(text.dropFirst(5).prefix(2)) ?? 1
        let day = days[SinkTimeZone.utc.minuteOfWeek(time) / 1440]
        return
            "\(day), \(text.dropFirst(8).prefix(2)) \(months[month - 1]) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) +0000"
    }

    /// RFC 4648, section 4.
    static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 { text.append(index <= group.count ? letters[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
