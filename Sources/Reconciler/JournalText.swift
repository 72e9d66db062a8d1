import Model

extension RegistryJournal {
    /// The journal as JSON on one line, for storage.
    public var text: String { json.description }

    /// Reads the output of `text`.
    ///
    /// - Throws: `Problem.decodingFailed` if the text is not JSON, is not a journal, or was written by a later version.
    public init(text: String) throws(Problem) {
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(text)
        } catch {
            throw .decodingFailed(source: .registryJournal, line: error.line, reason: .notJSON(error.reason))
        }
        try self.init(json: json)
    }
}
