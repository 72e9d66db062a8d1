import Model

/// A token with its secret, which is shown only once.
package struct CreatedToken: Sendable {
    package var token: Token
    package var secret: String
}

extension CreatedToken: JSONDescribed {
    package static let shape = JSONShape<CreatedToken>(
        "CreatedToken", summary: "A token that was just created",
        .init(membersOf: Token.shape, content: \.token),
        .init("secret", kind: .text, summary: "The secret that gives access; it is shown only once", content: \.secret)
    ) { token, secret in CreatedToken(token: token, secret: secret) }
}
