import Model

/// A message in its final form for one sink.
public enum OutgoingMessage: Sendable {
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
public struct OutgoingRequest: Sendable {
    public var method: String
    /// The URL may contain secrets.
    public var url: String
    public var headers: [WebTarget.Header]
    public var body: String
    /// The secret that signs the body at the time of sending; nil for no signature.
    public var signingSecret: String?

    public init(
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
public struct OutgoingMail: Sendable {
    public var target: MailTarget
    /// Lines end with CR LF.
    public var text: String
}
