/// A key of the keyboard: the character that it types, or the protocol's code (https://www.w3.org/TR/webdriver2/#keyboard-actions).
package struct BrowserKey: Sendable {
    let value: String

    /// A key that types a character.
    package init(_ character: Character) { value = String(character) }

    package static let backspace = BrowserKey("\u{E003}")
    package static let tab = BrowserKey("\u{E004}")
    package static let enter = BrowserKey("\u{E007}")
    package static let shift = BrowserKey("\u{E008}")
    package static let escape = BrowserKey("\u{E00C}")
    package static let space = BrowserKey(" ")
    package static let pageUp = BrowserKey("\u{E00E}")
    package static let home = BrowserKey("\u{E011}")
    package static let up = BrowserKey("\u{E013}")
    package static let right = BrowserKey("\u{E014}")
}
