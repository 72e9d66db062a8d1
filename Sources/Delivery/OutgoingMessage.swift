import Model

/// A message as it leaves: made of an event or a position, and the sink that it goes to.
public enum OutgoingMessage: Sendable {
    case request(OutgoingRequest)
    case mail(OutgoingMail)
    /// Messages for a broker, in this order.
    case publish([OutgoingPublication])
    /// A line of a file, without its end.
    case line(String, path: String)
    /// A program with its arguments, and what it reads from standard input.
    case run(arguments: [String], input: String)
}

/// An HTTP request.
public struct OutgoingRequest: Sendable {
    public var method: String
    /// May hold secrets.
    public var url: String
    public var headers: [WebTarget.Header]
    public var body: String
    /// By which the body is signed when it is sent; nil: it is not.
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
