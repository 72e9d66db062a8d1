/// The address of an MQTT broker and the credentials for it: `mqtt://USER:PASSWORD@HOST:PORT`, or `mqtts://…` for TLS.
package struct BrokerAddress: Hashable, Sendable {
    /// A host name or a numeric address; IPv6 without brackets.
    package var host: String
    /// 1 to 65,535.
    package var port: Int
    package var usesTLS: Bool
    package var user: String?
    package var password: String?

    package init(host: String, port: Int, usesTLS: Bool = false, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
        self.user = user
        self.password = password
    }

    /// Parses a URL. User and password are percent-encoded where they contain `/`, `@`, `:`, `?`, `#` or `%` (RFC 3986, section 3.2.1). The
    /// default port is 1883, or 8883 with TLS.
    ///
    /// - Parameter field: The name of the value in the problem.
    /// - Throws: `Problem.validationFailed`, which shows the URL without the password.
    package init(_ text: String, field: String = "url") throws(Problem) {
        func refuse(_ reason: Phrase) -> Problem {
            .validationFailed(
                field: field, value: BrokerAddress.masked(text), reason: reason,
                expected: .brokerURL)
        }
        guard let separator = text.firstRange(of: "://") else {
            throw refuse(Phrase("it does not start with mqtt:// or mqtts://"))
        }
        switch text[..<separator.lowerBound].lowercased() {
        case "mqtt": usesTLS = false
        case "mqtts": usesTLS = true
        case let scheme: throw refuse(Phrase("Picket does not support the scheme '\(scheme)' for a broker"))
        }
        var rest = text[separator.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }
        if rest.contains(where: { "/?#".contains($0) }) { throw refuse(.brokerPath) }
        if rest.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
            throw refuse(.spaceOrControlCharacter)
        }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = PercentEncoding.unescaped(parts[0]), !user.isEmpty else {
                throw refuse(Phrase("the user name before '@' is empty or wrongly percent-encoded"))
            }
            self.user = user
            if parts.count == 2 {
                guard let password = PercentEncoding.unescaped(parts[1]) else {
                    throw refuse(Phrase("the password is wrongly percent-encoded"))
                }
                self.password = password
            }
            if (user + (password ?? "")).utf8.contains(0) {
                throw refuse(Phrase("the user name or the password contains a zero byte"))
            }
            rest = rest[rest.index(after: at)...]
        }
        var port = usesTLS ? 8883 : 1883
        // The last colon separates the port, except within the brackets of an IPv6 address.
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            let digits = rest[rest.index(after: colon)...]
            guard digits.utf8.allSatisfy({ $0 &- 48 <= 9 }), let number = Int(digits), (1...65_535).contains(number) else {
                throw refuse(Phrase("the port is not a number from 1 to 65,535"))
            }
            port = number
            rest = rest[..<colon]
        }
        self.port = port
        if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, !rest.contains(where: { "[]@".contains($0) }) else { throw refuse(.noHost) }
        host = String(rest)
    }

    /// Whether a password would be sent to another machine without encryption.
    package var sendsPasswordInClear: Bool {
        password != nil && !usesTLS && !["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
    }

    /// A URL with `***` in place of the password, even where it is not a valid address.
    package static func masked(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let start = text[..<at].firstRange(of: "://")?.upperBound ?? text.startIndex
        guard let colon = text[start..<at].firstIndex(of: ":") else { return text }
        return text[..<colon] + ":***" + text[at...]
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Scheme, host and port, without the user and the password.
    package var description: String {
        "\(usesTLS ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
