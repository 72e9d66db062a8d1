import CCurl

/// A mail and its server.
package struct MailRequest: Sendable {
    /// The server, such as `smtp://mail.example.com:587`.
    package var server: String
    package var user: String?
    package var password: String?
    package var sender: String
    package var recipients: [String]
    /// The mail's headers and body (RFC 5322).
    package var text: String
    /// Whether the mail must not be sent without TLS.
    package var requiresTLS: Bool

    package init(
        server: String, user: String?, password: String?, sender: String, recipients: [String], text: String, requiresTLS: Bool
    ) {
        self.server = server
        self.user = user
        self.password = password
        self.sender = sender
        self.recipients = recipients
        self.text = text
        self.requiresTLS = requiresTLS
    }
}
