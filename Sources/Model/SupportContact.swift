/// Where people get help with this installation of Picket: an email address or a web page.
public struct SupportContact: Hashable, Sendable, CustomStringConvertible {
    /// The contact as it was set, such as `help@example.org` or `https://example.org/help`.
    public let description: String

    /// Nil for anything but `NAME@HOST` and `https://HOST…`. A web address must not contain a user and password, because all users can see
    /// it.
    public init?(_ text: String) {
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"<>\"\\".utf8.contains($0) }) else {
            return nil
        }
        if text.lowercased().hasPrefix("https://") {
            let host = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
            guard !host.isEmpty, !host.hasPrefix(":"), !host.contains("@") else { return nil }
        } else {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts.contains(where: \.isEmpty), !text.contains(where: { ":/?#,;".contains($0) }) else {
                return nil
            }
        }
        description = text
    }

    /// A sentence that says how to ask for help.
    public var hint: Phrase { Phrase("Contact \(description), and send what 'picket problems report' prints.") }
}
