import Model

extension Problem {
    /// Whether the store itself cannot, so that nothing else can be written either.
    package var isOfStore: Bool { storePath != nil }

    /// Whether it keeps the store from being written at all, and not one statement from being run.
    var isOfWholeStore: Bool {
        switch self {
        case .storeBusy, .storeCorrupt, .storeFull, .storeTooNew, .migrationFailed, .fileFailed: true
        default: false
        }
    }

    /// The file that cannot be read or written; nil for what has another reason.
    var storePath: String? {
        switch self {
        case .storeBusy(let path, _), .storeCorrupt(let path, _), .storeFull(let path), .storeTooNew(let path, _, _),
            .storeFailed(let path, _), .migrationFailed(let path, _, _), .fileFailed(let path, _):
            path
        default: nil
        }
    }
}
