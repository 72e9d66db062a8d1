extension String {
    /// The text in single quotes, as a shell reads it. Devices choose their ids, and people paste the commands that they are shown.
    package var shellQuoted: String { "'\(replacing("'", with: "'\\''"))'" }
}
