/// An HTTP request.
package struct OutgoingRequest: Sendable {
    package var method = "POST"
    /// The URL may contain secrets.
    package var url: String
    package var headers: [WebHeader]
    package var body: String
    /// The secret that signs the body at the time of sending; nil for no signature.
    package var signingSecret: String?

    package init(url: String, headers: [WebHeader] = [], body: String = "", signingSecret: String? = nil) {
        self.url = url
        self.headers = headers
        self.body = body
        self.signingSecret = signingSecret
    }
}
