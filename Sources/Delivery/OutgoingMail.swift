/// A mail to one or more recipients.
package struct OutgoingMail: Sendable {
    package var target: SinkTarget
    /// Lines end with CR LF.
    package var text: String
}
