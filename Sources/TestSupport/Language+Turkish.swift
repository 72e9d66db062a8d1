import Model

extension Language {
    /// The language of the catalog that comes with Picket; English if that catalog is missing.
    package static let turkish = Language(rawValue: "tr") ?? .english
}
