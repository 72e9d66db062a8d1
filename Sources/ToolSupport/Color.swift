/// Colors text where colors are wanted.
package enum Color: String {
    case green = "32"
    case yellow = "33"
    case red = "31"
    case dim = "2"
    case bold = "1"

    package func callAsFunction(_ text: String, on output: Output) -> String {
        output.isColored ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
