import Model

extension SinkKind {
    /// Mail to one or more recipients, by a mail server such as `smtp://mail.example.com:587` or `smtps://mail.example.com`.
    package static let email = SinkKind(
        "email", .mail, title: Phrase("Email"), place: "ADDRESS…", about: "by --smtp, --from, --user and --password", in: "to",
        notifiesPeople: true, needs: mailNeeds, allows: mailAllows, editable: mailEditable, flaw: mailFlaw,
        content: .events { target, values, _ in
            .mail(
                OutgoingMail(
                    target: target,
                    text: MailText.message(
                        from: target.from ?? "", to: target.to, subject: values.text.title,
                        body: "\(values.text.titleAndBody)\n\(values.hasPosition ? "\n\(values.mapURL)\n" : "")",
                        id: values.outbox.key, at: values.outbox.event.recordedAt)))
        })

    /// The members of the kinds that send mail; see `needs`, `members` and `editable`.
    static let mailNeeds: [(member: String, expected: Phrase)] = [
        ("server", Phrase("smtp://HOST:PORT or smtps://HOST")), ("from", .mailAddress), ("to", .mailAddress),
    ]
    static let mailAllows = ["user", "password", "allowPlain"]
    static let mailEditable = ["server", "user", "password", "from"]

    /// The first invalid member among those as a problem; nil when all are valid.
    @Sendable static func mailFlaw(_ target: SinkTarget) -> Problem? {
        if let flaw = WebAddress.flaw(target.address, schemes: ["smtp", "smtps"], field: "server") { return flaw }
        for (field, address) in [("from", target.from ?? "")] + target.to.map({ ("to", $0) }) {
            let parts = address.split(separator: "@", omittingEmptySubsequences: false)
            // A bracket or a line break would end the address in the SMTP dialog or in the mail's header.
            let isSafe = address.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
            if parts.count != 2 || parts.contains(where: \.isEmpty) || !isSafe {
                return .validationFailed(
                    field: field, value: address, reason: Phrase("it is not an email address"), expected: Phrase("NAME@HOST"))
            }
        }
        if target.user != nil || target.password == nil { return nil }
        return .validationFailed(
            field: "user", value: "", reason: Phrase("there is a password, but no user name"), expected: .bothOrNeither)
    }
}
