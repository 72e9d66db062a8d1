#if canImport(Darwin)
    import os
#elseif os(Linux)
    import Synchronization
#endif

/// A language of texts: English, or a language with a catalog of translations.
///
/// On Linux, every file `*.po` in `data/languages` of a checkout, or in `share/picket/data/languages` of an installation, is a language. On
/// other systems, and in a program without these folders, there is only English and what `add(catalog:)` adds.
public struct Language: RawRepresentable, CaseIterable, Sendable {
    /// The tag (BCP 47), for example `tr` or `pt-BR`.
    public let rawValue: String
    private let findCatalog: @Sendable () -> Catalog?

    /// The translations; nil for English.
    package var catalog: Catalog? { findCatalog() }

    /// English, the language of everything that has no translation.
    public static let english = Language(tag: "en") { nil }

    /// - Parameter findCatalog: Returns the translations. It is called for each text.
    init(tag: String, findCatalog: @escaping @Sendable () -> Catalog?) {
        rawValue = tag
        self.findCatalog = findCatalog
    }

    /// Creates a language without adding it to `allCases`.
    ///
    /// - Parameter content: The content of a catalog whose header names the language.
    init(catalog content: String) throws(Catalog.Flaw) {
        let catalog = try Catalog(po: content)
        guard let tag = catalog.tag else {
            throw Catalog.Flaw(line: 1, reason: "the header does not name the language")
        }
        self.init(tag: tag) { catalog }
    }

    /// The available language with exactly this tag; nil if there is none.
    public init?(rawValue: String) {
        guard let language = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = language
    }

    /// The available language that fits a tag or locale best, such as `tr` for `tr-TR` and `tr_TR.UTF-8`; nil if there is none.
    public init?(tag: String) {
        let wanted = tag.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-").lowercased() + "-"
        // As in RFC 4647, section 3.4: the last part is removed until a language fits, so the longest tag fits best.
        let fitting = Self.allCases.filter { wanted.hasPrefix($0.rawValue.lowercased() + "-") }
        guard let language = fitting.max(by: { $0.rawValue.utf8.count < $1.rawValue.utf8.count }) else { return nil }
        self = language
    }

    /// The available languages: English, and then the others by tag.
    public static var allCases: [Language] { available.withLock { $0 } }

    /// Adds the language of a catalog, or replaces the catalog of an available language.
    ///
    /// - Parameter content: The content of a file like `data/languages/tr.po`. `Language` in its header is the tag of the language.
    /// - Throws: `Problem.decodingFailed` with the line of a mistake. Nothing is added then.
    public static func add(catalog content: String) throws(Problem) {
        do throws(Catalog.Flaw) {
            let language = try Language(catalog: content)
            if language == english { return }
            available.withLock { languages in
                let others = languages.dropFirst().filter { $0 != language } + [language]
                languages = [english] + others.sorted { $0.rawValue < $1.rawValue }
            }
        } catch {
            throw .decodingFailed(source: .catalog, line: error.line, reason: .verbatim(error.reason))
        }
    }
}

#if canImport(Darwin)
    private let available = OSAllocatedUnfairLock(initialState: [Language.english])
#elseif os(Linux)
    private let available = Mutex([.english] + CatalogFile.installed.map(Language.init).filter { $0 != .english })
#endif

extension Language: Hashable {
    /// Whether the tags are equal.
    public static func == (one: Language, other: Language) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension Language {
    /// The tags of the available languages.
    package static var tags: Phrase { .oneOf(allCases.map(\.rawValue)) }

    /// A whole number with the separators of the language.
    package func number(_ number: Int) -> String { number.grouped(by: catalog?.thousandsSeparator ?? ",") }

    /// The character before the decimals of a number.
    var decimalSeparator: String { catalog?.decimalSeparator ?? "." }

    /// A length of time in a sentence; see `Phrase.init(duration:)`.
    package func duration(_ seconds: Double) -> String { Phrase(duration: seconds).text(in: self) }
}
