import Model

/// The source of a setting's value.
package enum SettingSource: Hashable, Sendable {
    /// An option such as `--listen`.
    case flag(String)
    /// An environment variable.
    case environment(String)
    /// A file named by an environment variable.
    case secretFile(variable: String, path: String)
    /// A line of a `picket.conf`, numbered from 1.
    case file(path: String, line: Int)
    /// The default value.
    case standard

    /// The source for people.
    package var phrase: Phrase {
        switch self {
        case .flag(let name), .environment(let name): .verbatim(name)
        case .secretFile(let variable, let path): .verbatim(path + " (\(variable))")
        case .file(let path, let line): Phrase("\(path), line \(plain: line)")
        case .standard: Phrase("default")
        }
    }
}
