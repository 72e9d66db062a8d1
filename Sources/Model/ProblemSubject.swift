/// What a problem is about: a file, a part of a request, a process, or a part of Picket.
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
    case catalog
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
    public var description: String { phrase.description }
}

extension ProblemSubject: Named {
    package var phrase: Phrase {
        switch self {
        case .verbatim(let text): .verbatim(text)
        case .recorded(let texts): .recorded(texts)
        case .address: Phrase("The address")
        case .anotherProgram: Phrase("another program")
        case .answer(let text): Phrase("The answer from \(text)")
        case .archived(let subject, let text): Phrase("\(subject): \(text)")
        case .body: Phrase("The body")
        case .catalog: Phrase("The catalog of translations")
        case .explanation: Phrase("The explanation")
        case .line(let subject, let count): Phrase("\(subject):\(plain: count)")
        case .longQuery: Phrase("a long query of the service (such as a check or a backup)")
        case .message(let text): Phrase("The message on '\(text)'")
        case .messageTo(let text): Phrase("A message to \(text)")
        case .process("", let number): Phrase("process \(plain: number)")
        case .process(let command, let number): Phrase("'\(command)' (process \(plain: number))")
        case .qrCode: Phrase("The QR code")
        case .qrCodeText: Phrase("The text of the QR code")
        case .registryJournal: Phrase("The registration journal")
        case .request: Phrase("The request")
        case .service: Phrase("The service's answer")
        case .simulatedRegistry: Phrase("The simulated registry")
        case .standardInput: Phrase("Standard input")
        }
    }
}
