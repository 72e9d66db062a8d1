import Model

/// A message in its final form for one sink.
package enum OutgoingMessage: Sendable {
    case request(OutgoingRequest)
    case mail(OutgoingMail)
    /// MQTT messages, in this order.
    case publish([OutgoingPublication])
    /// A line to append to a file, without the line break.
    case line(String, path: String)
    /// The arguments of a command, and its standard input.
    case run(arguments: [String], input: String)
}

/// An HTTP request.
package struct OutgoingRequest: Sendable {
    package var method: String
    /// The URL may contain secrets.
    package var url: String
    package var headers: [WebTarget.Header]
    package var body: String
    /// The secret that signs the body at the time of sending; nil for no signature.
    package var signingSecret: String?

    package init(
        method: String = "POST", url: String, headers: [WebTarget.Header] = [], body: String = "", signingSecret: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.signingSecret = signingSecret
    }
}

/// A mail to one or more recipients.
package struct OutgoingMail: Sendable {
    package var target: MailTarget
    /// Lines end with CR LF.
    package var text: String
}
