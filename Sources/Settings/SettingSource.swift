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

    /// The source as text for people.
    package var text: String {
        switch self {
        case .flag(let name), .environment(let name): name
        case .secretFile(let variable, let path): "\(path) (\(variable))"
        case .file(let path, let line): "\(path), line \(line)"
        case .standard: "default"
        }
    }
}
