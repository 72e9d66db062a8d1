/// A key of the keyboard: the character that it types, or the protocol's code (https://www.w3.org/TR/webdriver2/#keyboard-actions).
public struct BrowserKey: Sendable {
    let value: String

    /// A key that types a character.
    public init(_ character: Character) { value = String(character) }

    public static let backspace = BrowserKey("\u{E003}")
    public static let tab = BrowserKey("\u{E004}")
    public static let enter = BrowserKey("\u{E007}")
    public static let shift = BrowserKey("\u{E008}")
    public static let control = BrowserKey("\u{E009}")
    public static let alt = BrowserKey("\u{E00A}")
    public static let escape = BrowserKey("\u{E00C}")
    public static let space = BrowserKey(" ")
    public static let pageUp = BrowserKey("\u{E00E}")
    public static let pageDown = BrowserKey("\u{E00F}")
    public static let end = BrowserKey("\u{E010}")
    public static let home = BrowserKey("\u{E011}")
    public static let left = BrowserKey("\u{E012}")
    public static let up = BrowserKey("\u{E013}")
    public static let right = BrowserKey("\u{E014}")
    public static let down = BrowserKey("\u{E015}")
    public static let delete = BrowserKey("\u{E017}")
}
