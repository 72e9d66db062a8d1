import Model

/// The value of a setting as text, and its source.
package struct SettingValue: Sendable {
    package let setting: Setting
    /// Nil if no value is given and the setting has no default.
    package let text: String?
    package let source: SettingSource

    /// The value for display: secrets are hidden.
    package var shown: String? {
        text.map { Self.shown($0, of: setting) }
    }

    /// A value of a setting for display: secrets are hidden.
    package static func shown(_ text: String, of setting: Setting) -> String {
        if !setting.isSecret { return text }
        // Only the password in the URL is secret.
        return setting.name == .mqtt ? BrokerAddress.masked(text) : "(hidden)"
    }

    /// The name of the setting in problems: what the person has to change.
    var field: String {
        switch source {
        case .flag(let name), .environment(let name): name
        case .secretFile(let variable, _): variable
        case .file(let path, let line): "\(setting.name.rawValue) (\(path), line \(line))"
        case .standard: setting.name.rawValue
        }
    }

    /// A problem with the value. It does not contain the value of a secret.
    func problem(_ reason: Phrase, expected: Phrase) -> Problem {
        .validationFailed(field: field, value: setting.isSecret ? "" : text ?? "", reason: reason, expected: expected)
    }
}

// MARK: - Parsing

extension SettingValue {
    /// The value; nil if there is none.
    ///
    /// - Throws: `Problem.validationFailed` if the value is empty.
    func nonemptyText() throws(Problem) -> String? {
        if text?.isEmpty == true { throw problem(.empty, expected: Phrase("\(setting.placeholder), or nothing")) }
        return text
    }

    /// An absolute path without a slash at its end; nil if there is none. A relative path would depend on where a program was started.
    func absolutePath() throws(Problem) -> String? {
        guard var path = try nonemptyText() else { return nil }
        guard path.hasPrefix("/") else {
            throw problem(Phrase("it is not an absolute path"), expected: Phrase("a path that begins with '/'"))
        }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// A telephone number as people write it; nil if there is none.
    func telephoneNumber() throws(Problem) -> String? {
        guard let text = try nonemptyText() else { return nil }
        let digits = text.count { $0.isASCII && $0.isNumber }
        guard (2...20).contains(digits), text.allSatisfy({ $0.isASCII && ($0.isNumber || "+ -()/".contains($0)) }) else {
            throw problem(
                Phrase("it is not a telephone number"), expected: Phrase("2 to 20 digits, for example 112 or +49 30 1234567"))
        }
        return text
    }

    /// The contact for support; nil if there is none.
    func supportContact() throws(Problem) -> SupportContact? {
        guard let text = try nonemptyText() else { return nil }
        guard let contact = SupportContact(text) else {
            throw problem(Phrase("it is neither an email address nor a web address"), expected: .supportContact)
        }
        return contact
    }

    /// The value as a case of an enumeration.
    func enumCase<Word: RawRepresentable & CaseIterable>() throws(Problem) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text ?? "") else {
            throw problem(.noSuchValue, expected: .oneOf(Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// Whether a switch is on.
    func isOn() throws(Problem) -> Bool {
        switch text?.lowercased() {
        case "yes", "true", "on", "1": return true
        case nil, "no", "false", "off", "0": return false
        default: throw problem(.neither, expected: .yesOrNo)
        }
    }

    func language() throws(Problem) -> Language {
        guard let language = Language(tag: text ?? "") else {
            throw problem(Phrase("this language is not supported"), expected: Language.tags)
        }
        return language
    }

    /// The time zone; nil if none is chosen.
    func timeZone() throws(Problem) -> LocalTimeZone? {
        guard let name = text, source != .standard, source != .environment("TZ") else { return nil }
        guard let zone = LocalTimeZone.named(name) else { throw problem(.noSuchTimeZone, expected: .timeZoneName) }
        return zone
    }

    func listenAddress() throws(Problem) -> ListenAddress {
        guard let address = ListenAddress(text ?? "") else {
            throw problem(
                Phrase("it is not an address with a port"),
                expected: Phrase("HOST:PORT, for example 127.0.0.1:7575, [::1]:7575 or 0.0.0.0:7575"))
        }
        return address
    }

    func addressRanges() throws(Problem) -> [AddressRange] {
        var ranges: [AddressRange] = []
        for part in (text ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let range = AddressRange(String(part)) else {
                throw problem(
                    Phrase("'\(String(part))' is not an address"),
                    expected: Phrase("numeric addresses, for example 10.0.0.0/8,192.0.2.1,::1"))
            }
            ranges.append(range)
        }
        return ranges
    }

    /// Web origins (RFC 6454), as browsers send them in `Origin`: scheme and host in lowercase, and the port unless it is the scheme's own.
    func origins() throws(Problem) -> [String] {
        var origins: [String] = []
        for part in (text ?? "").split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let origin = Self.origin(part.lowercased()) else {
                throw problem(
                    Phrase("'\(String(part))' is not a web origin"),
                    expected: Phrase(
                        "origins without a path and without '*', for example https://app.example.org or http://localhost:3000"))
            }
            origins.append(origin)
        }
        return origins
    }

    /// An origin in lowercase without the scheme's own port; nil when the text is not one.
    private static func origin(_ text: String) -> String? {
        guard let (scheme, usualPort) = [("http://", ":80"), ("https://", ":443")].first(where: { text.hasPrefix($0.0) }) else {
            return nil
        }
        let authority = text.dropFirst(scheme.count)
        // An IPv6 address is in brackets and has its own colons.
        let hostEnd = authority.lastIndex(of: "]").map(authority.index(after:)) ?? authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)]
        let port = authority[host.endIndex...]
        let isHost = host.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-.[]:".utf8.contains($0)
        }
        guard !host.isEmpty, isHost else { return nil }
        if port.isEmpty || port == usualPort { return scheme + host }
        guard let number = UInt16(port.dropFirst()), number > 0, port == ":\(number)" else { return nil }
        return scheme + authority
    }

    /// An `http` or `https` URL with a host and an optional path, without a trailing slash; nil if there is none.
    func url() throws(Problem) -> String? {
        guard var url = try nonemptyText() else { return nil }
        let expected = Phrase("http://HOST or https://HOST, optionally with a port and a path")
        guard let scheme = ["http://", "https://"].first(where: { url.lowercased().hasPrefix($0) }) else {
            throw problem(Phrase("it is not a web address"), expected: expected)
        }
        let rest = url.dropFirst(scheme.count)
        if rest.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw problem(.mustBeEscaped, expected: expected)
        }
        if rest.contains(where: { "?#@".contains($0) }) {
            throw problem(Phrase("it must not contain '?', '#' or '@'"), expected: expected)
        }
        if rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix(":") { throw problem(.noHost, expected: expected) }
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// The address of an MQTT broker; nil if there is none.
    func broker() throws(Problem) -> BrokerAddress? {
        guard let text = try nonemptyText() else { return nil }
        return try BrokerAddress(text, field: field)
    }

    /// A whole number within a range.
    func integer(in range: ClosedRange<Int>) throws(Problem) -> Int {
        let expected = Phrase.wholeNumberIn(range.lowerBound, range.upperBound)
        guard let number = Int(text ?? "") else { throw problem(.notAWholeNumber, expected: expected) }
        guard range.contains(number) else { throw problem(.outOfRange, expected: expected) }
        return number
    }

    /// A number of bytes, optionally with a unit of 1024 (K), 1024² (M) or 1024³ (G) bytes.
    func bytes(in range: ClosedRange<Int>) throws(Problem) -> Int {
        let text = text ?? ""
        let scale = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30][text.last.map { $0.uppercased() } ?? ""]
        let expected = Phrase("bytes from \(range.lowerBound) to \(range.upperBound), for example 1048576, 512K, 16M or 1G")
        guard let number = Int(scale == nil ? text : String(text.dropLast())), number >= 0 else {
            throw problem(Phrase("it is not a number of bytes"), expected: expected)
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: scale ?? 1)
        guard !isTooLarge, range.contains(bytes) else { throw problem(.outOfRange, expected: expected) }
        return bytes
    }

    /// A retention period in seconds; nil for unlimited.
    func retentionPeriod() throws(Problem) -> Double? {
        if text == "forever" { return nil }
        return try TimeSpan.seconds(text ?? "", field: field, or: .zeroOrForever)
    }

    /// An interval in seconds; nil for never.
    func interval(atLeast least: Double) throws(Problem) -> Double? {
        let text = text ?? ""
        if TimeSpan(text)?.seconds == 0 { return nil }
        return try TimeSpan.seconds(text, field: field, in: least...TimeSpan.longest, or: .zeroForNever)
    }

    /// Sets a field of the values of all devices, unless nothing is set.
    func set(_ value: EntityField<DeviceDefaults>, of defaults: inout DeviceDefaults) throws(Problem) {
        if case .standard = source { return }
        guard let text = try nonemptyText() else { return }
        do throws(Problem) {
            try value.change(&defaults, text, field)
        } catch {
            guard case .validationFailed(_, _, let reason, let expected) = error else { throw error }
            throw problem(reason, expected: expected)
        }
    }
}
