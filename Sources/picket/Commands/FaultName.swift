import Model

/// What `picket registry fail` lets go wrong, by the word that it is called for.
enum FaultName: String, CaseIterable {
    // At once
    case drift, deafen, zombify, update, forceStop, clearData
    // With the next call of its kind
    case refuse, loseStart, loseStop, noAnswer, noState, loseReport, delayReport

    /// The values that follow the word.
    var values: [String] {
        switch self {
        case .drift: ["ID", "METRES"]
        case .deafen, .zombify: ["ID"]
        case .refuse: ["CODE"]
        case .delayReport: ["SECONDS"]
        case .update, .forceStop, .clearData, .loseStart, .loseStop, .noAnswer, .noState, .loseReport: []
        }
    }

    /// What a value of `refuse` or `delayReport` must be, for messages.
    var expected: String {
        switch self {
        case .refuse: "a vendor's number or name: 4, 5, 6 or 7 on iOS; 1000, 1001, 1004 or 1005 on Android"
        case .delayReport: "seconds, from 0 to 86400"
        default: values.joined(separator: " ")
        }
    }

    /// Reads the words of a command.
    ///
    /// - Throws: `Problem.validationFailed` for a word that names no fault; `Problem.usage` that names a value that is missing, or a
    ///   word that is too many.
    init(_ words: [String]) throws(Problem) {
        let names = Self.allCases.map(\.rawValue)
        guard let word = words.first, let name = FaultName(rawValue: word) else {
            throw .validationFailed(
                field: "FAULT", value: words.first ?? "", reason: "there is no such fault",
                expected: names.joined(separator: ", "))
        }
        self = name
        let help = "picket registry fail --help"
        let given = words.count - 1
        if given < values.count {
            throw .usage(
                reason: "'\(name.rawValue)' needs \(values[given...].joined(separator: " and ")): "
                    + "picket registry fail \(name.rawValue) \(values.joined(separator: " "))",
                help: help)
        }
        if given > values.count { throw .usage(reason: "'\(words[values.count + 1])' is one word too many", help: help) }
    }
}
