/// A mail to one or more recipients.
package struct OutgoingMail: Sendable {
    package var target: SinkTarget
    /// The mail's headers and body (RFC 5322). Lines end with CR LF.
    package var text: String
}

/// A file in a mail.
package struct MailAttachment: Sendable {
    /// Printable ASCII without quotation marks and backslashes.
    package var name: String
    /// The media type.
    package var type: String
    package var bytes: [UInt8]

    package init(name: String, type: String, bytes: [UInt8]) { (self.name, self.type, self.bytes) = (name, type, bytes) }
}
