import Model

extension Problem {
    /// Whether the problem concerns the store itself, so that nothing else can be written either.
    package var concernsStore: Bool { storePath != nil }

    /// Whether the problem is that the clock of this machine cannot be relied on.
    package var concernsClock: Bool { if case .clockImplausible = self { true } else { false } }

    /// Whether the problem prevents all writing to the store, and not only a single statement.
    var preventsWriting: Bool {
        switch self {
        case .storeBusy, .storeCorrupt, .storeFull, .storeTooNew, .migrationFailed, .fileFailed, .diskFailed, .storeReplaced: true
        default: false
        }
    }

    /// The file that cannot be read or written; nil if the problem has another reason.
    var storePath: String? {
        switch self {
        case .storeBusy(let path, _), .storeCorrupt(let path, _), .storeFull(let path), .storeTooNew(let path, _, _),
            .storeFailed(let path, _), .migrationFailed(let path, _, _), .fileFailed(let path, _), .diskFailed(let path, _),
            .storeReplaced(let path):
            path
        default: nil
        }
    }
}
