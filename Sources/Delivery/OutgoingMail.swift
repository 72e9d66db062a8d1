/// A mail to one or more recipients.
package struct OutgoingMail: Sendable {
    package var target: SinkTarget
    /// The mail's headers and body (RFC 5322). Lines end with CR LF.
    package var text: String
}
