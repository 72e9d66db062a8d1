import Core
import Model
import Routing
import Service

/// Routes of the sample data that is installed with the program.
enum SampleDataRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [get, load, remove]

    private static let get = Route(
        "GET", "/v1/sample-data", access: .reader, restricted: .allowed,
        about: .init("Shows whether there is sample data to load, and how much of it is in the store", answer: "SampleData"),
        work: .read { service, _ throws(Problem) in
            let counts = try service.sampleCounts()
            return .json([
                "isAvailable": .bool(InstalledFiles.sampleData != nil), "geofences": JSONValue(counts.geofences),
                "devices": JSONValue(counts.devices),
            ])
        })

    private static let load = Route(
        "POST", "/v1/sample-data", access: .admin,
        about: .init(
            "Loads sample geofences, devices and positions. Loading them again changes nothing; your own data is kept",
            answer: "SampleChange"),
        work: .task { api, _ throws(Problem) in
            // Its positions may be stored already, and are searched for.
            await api.store.writer.sortFixes()
            return .json(try await api.store.writer.perform { service throws(Problem) in try service.load(sample()).json })
        })

    /// - Throws: `Problem.notFound` when the sample data is not installed.
    private static func sample() throws(Problem) -> SampleData {
        guard let folder = InstalledFiles.sampleData else {
            throw .notFound(kind: .file, id: "geofences.geojson", similar: [])
        }
        return try SampleData(folder: folder)
    }

    private static let remove = Route(
        "DELETE", "/v1/sample-data", access: .admin,
        about: .init(
            "Erases the sample data. Data that was changed since is kept, and so is a device that was enrolled or has reported",
            answer: "SampleChange"),
        work: .task { api, _ throws(Problem) in
            await api.store.writer.prepareRemoval()
            return .json(
                try await api.erase { service throws(Problem) in
                    try service.removeSampleData(sample())
                }.result.json)
        })
}
