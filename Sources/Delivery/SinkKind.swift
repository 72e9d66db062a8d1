import Model

/// A kind of sink. A sink is a destination to which the service sends events, positions or reports. Each kind is described in its own file, and
/// is one element of `allCases`.
package struct SinkKind: Sendable {
    /// The way in which messages get to a sink.
    package enum Transport: Sendable { case web, mail, mqtt, file, command }

    /// What a sink gets, and its messages.
    enum Content: Sendable {
        case events(@Sendable (SinkTarget, EventValues, SinkTemplates) -> OutgoingMessage)
        case positions(@Sendable (OutboxPosition, SinkTarget) -> OutgoingMessage)
        case reports(@Sendable (SinkTarget, OutboxReport) -> OutgoingMessage)

        var kind: ContentKind {
            switch self {
            case .events: .events
            case .positions: .positions
            case .reports: .reports
            }
        }
    }

    /// What a sink gets.
    package enum ContentKind: Sendable { case events, positions, reports }

    /// The name in JSON and on the command line.
    package let rawValue: String
    /// The name in the dashboard.
    let title: Phrase
    package let transport: Transport
    /// The place in the help of `picket sink add`, such as `URL`, and what the kind is.
    package let place, about: String
    /// The member that has the place.
    package let placeMember: String
    /// Whether the messages are for people, who are notified of an event once, even if a correction changes its details. Other
    /// kinds get every entry of the record.
    package let notifiesPeople: Bool
    /// The members that a sink of this kind requires, with what is expected of each.
    let needs: [(member: String, expected: Phrase)]
    /// The members that a sink can have. Those of every sink are not among them.
    package let members: [String]
    /// The members that the dashboard's form changes, in its order.
    let editable: [String]
    /// The choices in the dashboard's form for new sinks.
    let forms: [SinkForm]
    /// The allowed values of `priority`; nil if messages have none.
    let priorities: ClosedRange<Int>?
    /// The URL of a sink without one.
    let defaultURL: String?
    /// Whether the path of the URL is a secret, because it allows anyone to post.
    let hidesPath: Bool
    /// The URL that a place means.
    package let url: @Sendable (_ place: String) -> String
    /// Adds the settings that follow from the given ones.
    let complete: @Sendable (inout SinkTarget) throws(Problem) -> Void
    /// The first invalid value as a problem; nil when all are valid.
    let flaw: @Sendable (SinkTarget) -> Problem?
    let content: Content

    init(
        _ name: String, _ transport: Transport, title: Phrase, place: String, about: String, in placeMember: String = "url",
        notifiesPeople: Bool = false, needs: [(member: String, expected: Phrase)], allows: [String] = [],
        editable: [String] = [], forms: [SinkForm] = [], priorities: ClosedRange<Int>? = nil, defaultURL: String? = nil,
        hidesPath: Bool = false,
        url: @escaping @Sendable (String) -> String = { $0 },
        complete: @escaping @Sendable (inout SinkTarget) throws(Problem) -> Void = { _ in },
        flaw: @escaping @Sendable (SinkTarget) -> Problem?, content: Content
    ) {
        rawValue = name
        self.transport = transport
        self.title = title
        (self.place, self.about) = (place, about)
        self.placeMember = placeMember
        self.notifiesPeople = notifiesPeople
        self.needs = needs
        members = needs.map(\.member) + allows.filter { member in !needs.contains { $0.member == member } }
        self.editable = editable
        self.forms = forms
        self.priorities = priorities
        self.defaultURL = defaultURL
        self.hidesPath = hidesPath
        self.url = url
        self.complete = complete
        self.flaw = flaw
        self.content = content
    }

    /// The members that a document needs.
    package var neededMembers: [String] { needs.map(\.member) }

    /// Whether the member at this place is a list.
    package var hasSeveralPlaces: Bool { place.hasSuffix("…") }

    /// What sinks of this kind get.
    package var contentKind: ContentKind { content.kind }

    /// Whether such a sink can be created or changed only from the command line on the service's own machine, because it writes
    /// files or runs programs there.
    package var isEditableLocallyOnly: Bool { transport == .file || transport == .command }

    /// The value of `Sink.maxAge` for a sink that does not set it: a day for people, infinite for programs.
    package var defaultMaxAge: Double { notifiesPeople ? 86_400 : .infinity }
}

extension SinkKind: RawRepresentable, CaseIterable, Hashable {
    /// In the order of the help and of the dashboard's form.
    package static let allCases = [
        ntfy, gotify, slack, mattermost, telegram, webhook, homeAssistant, text, email, report, mqtt, file, command, positions,
    ]

    package init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    package static func == (a: SinkKind, b: SinkKind) -> Bool { a.rawValue == b.rawValue }
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension Phrase {
    /// The name of a product or a protocol, which is the same in every language.
    static func product(_ name: String) -> Phrase { .verbatim(name) }
}
