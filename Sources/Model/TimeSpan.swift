/// A length of time as people write it in options, settings and queries: `90d`, `2h`, `10m`, `30s`, `0.5s`, or `0`.
package struct TimeSpan: Hashable, Sendable {
    /// From 0 to `longest`.
    package let seconds: Double

    /// The longest time that can be written: a hundred years, in seconds.
    package static let longest = 36_525.0 * 86_400
    /// The lower bound of a range that does not include 0.
    package static let moreThanNone = Double.leastNonzeroMagnitude

    private static let units: [(letter: Character, seconds: Int)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Reads a whole number with a unit, seconds with a fraction, or 0. Nil for anything else, and past `longest`.
    ///
    /// - Parameter acceptsBareSeconds: Whether a number without a unit counts as seconds.
    package init?(_ text: String, acceptsBareSeconds: Bool = false) {
        guard let seconds = Self.number(text, acceptsBareSeconds: acceptsBareSeconds), seconds <= Self.longest else { return nil }
        self.seconds = seconds
    }

    private static func number(_ text: String, acceptsBareSeconds: Bool) -> Double? {
        if text == "0" { return 0 }
        guard let unit = units.first(where: { $0.letter == text.last }) else {
            guard acceptsBareSeconds, let seconds = Double(text), seconds >= 0, seconds.isFinite else { return nil }
            return seconds
        }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.count <= 15 && $0.utf8.allSatisfy { $0 &- 48 <= 9 } }),
            parts.count == 1 || unit.seconds == 1, let number = Double(text.dropLast())
        else { return nil }
        return number * Double(unit.seconds)
    }
}

// MARK: - Options, settings and queries

extension TimeSpan {
    /// Parses a length of time and returns its seconds.
    ///
    /// - Parameters:
    ///   - range: The allowed seconds.
    ///   - alternative: Another allowed value of the field, for the message.
    /// - Throws: `Problem.validationFailed` when `text` is not a length of time, or not in `range`.
    package static func seconds(
        _ text: String, field: String, in range: ClosedRange<Double> = 0...longest, acceptsBareSeconds: Bool = false,
        or alternative: Phrase? = nil
    ) throws(Problem) -> Double {
        let seconds = number(text, acceptsBareSeconds: acceptsBareSeconds)
        if let seconds, range.contains(seconds) { return seconds }
        throw .validationFailed(
            field: field, value: text, reason: seconds == nil ? .notADuration : .outOfRange,
            expected: alternative.map { .orElse(.duration(range), $0) } ?? .duration(range))
    }

    /// What is wrong with a number of seconds in JSON; nil when it is in range.
    package static func flaw(
        in seconds: Double, field: String, range: ClosedRange<Double>, or alternative: Phrase? = nil
    ) -> Problem? {
        if range.contains(seconds) { return nil }
        return .validationFailed(
            field: field, value: JSONValue(seconds).description, reason: .outOfRange,
            expected: alternative.map { .orElse(.seconds(range), $0) } ?? .seconds(range))
    }

    /// The spelling of a number of seconds, in the largest unit that needs no fraction. Milliseconds are kept.
    package static func text(_ seconds: Double) -> String {
        let milliseconds = (min(max(seconds, 0), longest) * 1000).rounded()
        let whole = Int(milliseconds / 1000)
        if Double(whole) * 1000 != milliseconds { return "\(milliseconds / 1000)s" }
        guard whole != 0, let unit = units.first(where: { whole % $0.seconds == 0 }) else { return "0" }
        return "\(whole / unit.seconds)\(unit.letter)"
    }
}

extension TimeSpan: CustomStringConvertible {
    package var description: String { Self.text(seconds) }
}
