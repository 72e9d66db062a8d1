import Model

extension SinkKind {
    /// A kind whose messages are HTTP requests. A template replaces the body of each.
    ///
    /// - Parameters:
    ///   - needs: The members that are needed besides the URL.
    ///   - priorities: The allowed values of `priority`; nil if messages have none.
    ///   - editable: See `editable`. By default the URL and the token; only the URL if its path is the secret.
    ///   - form: The choice in the dashboard's form for new sinks; nil for none.
    ///   - type: The content type of the body.
    ///   - sign: Adds the token.
    ///   - compose: Sets the body, and changes the URL if necessary.
    static func web(
        _ name: String, title: Phrase, place: String = "URL", _ about: String, in placeMember: String = "url",
        notifiesPeople: Bool = true, needs: [(member: String, expected: Phrase)] = [], priorities: ClosedRange<Int>? = nil,
        editable: [String]? = nil, form: SinkForm? = nil, defaultURL: String? = nil, hidesPath: Bool = false,
        url: @escaping @Sendable (String) -> String = { $0 }, type: String = "application/json",
        flaw: @escaping @Sendable (SinkTarget) -> Problem? = { _ in nil },
        sign: @escaping @Sendable (inout OutgoingRequest, _ token: String) -> Void = {
            $0.headers.append(.init("Authorization", "Bearer \($1)"))
        },
        compose: @escaping @Sendable (inout OutgoingRequest, SinkTarget, EventValues) -> Void
    ) -> SinkKind {
        let address: [(member: String, expected: Phrase)] =
            defaultURL == nil ? [("url", Phrase("the address, for example https://example.com/hook"))] : []
        var allowed = ["url", "token", "headers", "template", "contentType", "signingSecret"]
        if priorities != nil { allowed.append("priority") }
        return SinkKind(
            name, .web, title: title, place: place, about: about, in: placeMember, notifiesPeople: notifiesPeople,
            needs: address + needs, allows: allowed, editable: editable ?? (hidesPath ? ["url"] : ["url", "token"]),
            forms: form.map { [$0] } ?? [], priorities: priorities, defaultURL: defaultURL, hidesPath: hidesPath, url: url,
            flaw: { target in
                if let flaw = WebAddress.flaw(target.address) ?? flaw(target) { return flaw }
                if let priorities, let flaw = target.priorityFlaw(priorities) { return flaw }
                return target.headers.lazy.compactMap(\.flaw).first ?? target.tokenFlaw
            },
            content: .events { target, values, templates in
                var request = OutgoingRequest(
                    url: target.address, headers: target.headers, signingSecret: target.signingSecret)
                request.headers.append(.init("Idempotency-Key", values.outbox.key))
                if let template = templates.body {
                    let charset = template.form == .json || template.form == .form ? "" : "; charset=utf-8"
                    request.body = template.render(values)
                    request.headers.append(.init("Content-Type", template.form.rawValue + charset))
                } else {
                    compose(&request, target, values)
                    request.headers.append(.init("Content-Type", type))
                }
                if let token = target.token { sign(&request, token) }
                return .request(request)
            })
    }

    /// A URL without trailing slashes.
    static func trimmed(_ url: String) -> String {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}

extension SinkTarget {
    /// The priority of a message. An emergency has the highest.
    func priority(of values: EventValues) -> JSONValue? {
        (values.outbox.event.urgency == .emergency ? kind.priorities?.upperBound : priority).map { JSONValue($0) }
    }

    fileprivate func priorityFlaw(_ range: ClosedRange<Int>) -> Problem? {
        guard let priority, !range.contains(priority) else { return nil }
        return .validationFailed(
            field: "priority", value: "\(priority)", reason: .outOfRange,
            expected: .wholeNumberIn(range.lowerBound, range.upperBound))
    }

    fileprivate var tokenFlaw: Problem? {
        guard let token, token.isEmpty || !token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return .validationFailed(
            field: "token", value: "",
            reason: token.isEmpty ? .empty : Phrase("it contains a space or a character that is not ASCII"),
            expected: Phrase("the complete token"))
    }
}
