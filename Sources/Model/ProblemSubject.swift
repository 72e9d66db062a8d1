/// What a problem is about: a file, a part of a request, a process, or something of Picket's own.
public indirect enum ProblemSubject: Hashable, Sendable {
    /// A path or an address. It is the same in every language.
    case verbatim(String)
    /// The words in each language, as another process or an earlier run has stored them.
    case recorded([Language: String])
    case address
    /// Another program whose name is not known.
    case anotherProgram
    case answer(String)
    /// A file in an archive.
    case archived(ProblemSubject, String)
    case body
    case explanation
    case line(ProblemSubject, Int)
    /// A query of the service that takes long.
    case longQuery
    case message(String)
    case messageTo(String)
    /// A process, by its command and its number.
    case process(String, Int)
    case qrCode
    case qrCodeText
    case registryJournal
    case request
    case service
    case simulatedRegistry
    case standardInput
}

extension ProblemSubject: CustomStringConvertible {
    /// The English words.
    public var description: String { Language.english.catalog.words(self) }
}
