import Model

/// A report to send to a sink, ready for a mail.
package struct OutboxReport: Sendable {
    /// The first day after its period, which is the number of the report among those of its sink: days since 1970-01-01.
    package var number: Int64
    /// Identifies the report. It is the same if the report is computed again.
    package var key: String
    package var title: String
    /// The report as text.
    package var text: String
    package var workbook: MailAttachment
    /// When it was computed.
    package var createdAt: Instant

    package init(number: Int64, key: String, title: String, text: String, workbook: MailAttachment, createdAt: Instant) {
        (self.number, self.key, self.title, self.text) = (number, key, title, text)
        (self.workbook, self.createdAt) = (workbook, createdAt)
    }
}
