import Model
import Service

/// Routes of everything that is kept: its check, backups, and the export of a device.
enum StoreRoutes {
    static let all: [Route] = [check, backup, export]

    private static let check = Route(
        "GET", "/v1/check", access: .admin,
        about: .init(
            "Looks over everything that is kept, and judges all positions anew; nothing is changed. It may take minutes, and one runs at "
                + "a time", answer: "StoreCheck"),
        work: .task { api, _ throws(Problem) in
            do throws(Problem) {
                return .json(
                    try await api.longReaders.ask { service throws(Problem) in try service.checkStore { _, _, _ in } }.json)
            } catch {
                // A store that cannot be opened is a result of the check.
                guard let check = Queries.failedCheck(error) else { throw error }
                return .json(check.json)
            }
        })

    private static let backup = Route(
        "GET", "/v1/backup", access: .admin,
        about: .init(
            "One file with everything, as it is at one moment, for 'picket restore'. It is written beside the store before it is sent. The "
                + "header Picket-Backup says what is in it", answer: "File", answerType: "application/vnd.sqlite3"),
        work: .task { api, _ throws(Problem) in
            let (backup, file) = try await api.longReaders.ask { service throws(Problem) in try service.backup() }
            return .download(.file(file), api.readers, contentType: "application/vnd.sqlite3", name: "picket.backup")
                .with("Picket-Backup", backup.contents.description)
        })

    private static let export = Route(
        "GET", "/v1/devices/{id}/export", access: .admin,
        about: .init(
            "All that is known of a device: one JSON object a line, each with one member that says what it is. The last line is 'summary'",
            answer: "Text", answerType: "application/x-ndjson"),
        work: .task { api, call throws(Problem) in
            let id = call.id
            let file = try await api.longReaders.ask { service throws(Problem) in try service.exportDevice(id: id) }
            return .download(.file(file), api.readers, contentType: "application/x-ndjson", name: "device.ndjson")
        })
}

extension Download.Page {
    private static let fileBlock = 1 << 20

    /// The part of a file that begins at an offset.
    fileprivate static func file(_ file: TemporaryFile, from offset: Int) throws(Problem) -> Download.Page {
        let bytes = try file.read(from: offset, atMost: fileBlock)
        return Download.Page(bytes: bytes, next: bytes.count < fileBlock ? nil : next(of: file, from: offset + bytes.count))
    }

    /// The beginning of a file, of which nothing was read yet.
    fileprivate static func file(_ file: TemporaryFile) -> Download.Page {
        Download.Page(bytes: [], next: next(of: file, from: 0))
    }

    private static func next(of file: TemporaryFile, from offset: Int) -> Download.Source {
        { _ throws(Problem) in try .file(file, from: offset) }
    }
}
