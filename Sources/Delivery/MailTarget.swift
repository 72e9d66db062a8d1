import Model

/// A mail server and the addresses of a mail.
package struct MailTarget: Hashable, Sendable {
    /// The server, such as `smtp://mail.example.com:587` or `smtps://mail.example.com`.
    package var server: String
    package var user: String?
    /// Secret.
    package var password: String?
    package var sender: String
    package var recipients: [String]
    /// Whether mail may be sent without TLS, for example to a server on the same machine.
    package var allowsPlain: Bool

    package init(
        server: String, user: String? = nil, password: String? = nil, sender: String, recipients: [String],
        allowsPlain: Bool = false
    ) {
        self.server = server
        self.user = user
        self.password = password
        self.sender = sender
        self.recipients = recipients
        self.allowsPlain = allowsPlain
    }

    /// The first invalid value as a problem; nil when all are valid.
    var flaw: Problem? {
        if let flaw = WebAddress.flaw(server, schemes: ["smtp", "smtps"], field: "server") { return flaw }
        if recipients.isEmpty {
            return .validationFailed(field: "to", value: "", reason: .missing, expected: .mailAddress)
        }
        for (field, address) in [("from", sender)] + recipients.map({ ("to", $0) }) {
            let parts = address.split(separator: "@", omittingEmptySubsequences: false)
            // A bracket or a line break would end the address in the SMTP dialog or in the mail's header.
            let isSafe = address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
            if parts.count != 2 || parts.contains(where: \.isEmpty) || !isSafe {
                return .validationFailed(
                    field: field, value: address, reason: Phrase("it is not an email address"), expected: Phrase("NAME@HOST"))
            }
        }
        if user == nil, password != nil {
            return .validationFailed(
                field: "user", value: "", reason: Phrase("there is a password, but no user name"), expected: .bothOrNeither)
        }
        return nil
    }
}
