import Foundation

@main
struct RepairExample {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("repair-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        for line in try await RepairStory.run(in: folder) { print(line) }
    }

    private static func removeFolder(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("The folder \(folder.path) could not be removed: \(error)")
        }
    }
}
