import Model

/// A duration as people write it in options and settings: `90d`, `12h`, `30m`, `45s`, or `0`.
public enum TimeSpan {
    /// The expected form, for error messages.
    public static let form = "a duration, as 90d, 12h, 30m or 45s"

    private static let units: [(letter: Character, seconds: Int)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// The maximum duration in seconds: one hundred years.
    public static let most = 36_525.0 * 86_400

    /// The seconds of a duration: a whole number with a unit, or 0. Nil if the text is anything else or exceeds the maximum.
    public static func seconds(_ text: String) -> Double? {
        if text == "0" { return 0 }
        guard let unit = units.first(where: { $0.letter == text.last }) else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.count <= 10, digits.utf8.allSatisfy({ $0 &- 48 <= 9 }), let number = Int(digits),
            Double(number) * Double(unit.seconds) <= most
        else { return nil }
        return Double(number * unit.seconds)
    }

    /// The text of a number of seconds, rounded to whole seconds, in the largest unit that needs no fraction.
    public static func text(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        guard whole != 0, let unit = units.first(where: { whole % $0.seconds == 0 }) else { return "0" }
        return "\(whole / unit.seconds)\(unit.letter)"
    }

    /// The seconds of a duration.
    ///
    /// - Throws: `Problem.validationFailed` if the text is not a valid duration.
    public static func seconds(_ text: String, field: String) throws(Problem) -> Double {
        guard let seconds = seconds(text) else {
            throw .validationFailed(field: field, value: text, reason: "it is not a duration", expected: form)
        }
        return seconds
    }
}
