import Foundation
import Testing

@testable import RepairExample

/// Compares docs/swift-library.md with the files of this package.
@Suite struct GuideTests {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardized

    /// A block of the guide, and the comment right before it, which names where the block is from.
    struct Block: Sendable, CustomTestStringConvertible {
        var source: String?
        var language: String
        var lines: [String]

        var testDescription: String { source ?? lines.first ?? "" }
    }

    static func blocks() throws -> [Block] {
        var blocks: [Block] = []
        var block: Block?
        var previous = ""
        for line in try text("docs/swift-library.md").components(separatedBy: "\n") {
            if line == "```", let open = block {
                blocks.append(open)
                block = nil
            } else if block != nil {
                block?.lines.append(line)
            } else if line.hasPrefix("```") {
                let isSource = previous.hasPrefix("<!-- ") && previous.hasSuffix(" -->")
                block = Block(
                    source: isSource ? String(previous.dropFirst(5).dropLast(4)) : nil, language: String(line.dropFirst(3)),
                    lines: [])
            }
            previous = line
        }
        return blocks
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test(arguments: try blocks().filter { $0.language == "swift" })
    func codeOfTheGuideIsThatOfItsFile(_ block: Block) throws {
        let path = try #require(block.source, "The comment before a block names its file.")
        var rest = try Self.text(path)[...]
        // The parts between two "…" are in the file as they are, and in this order.
        for part in block.lines.split(separator: "…").map({ $0.joined(separator: "\n") + "\n" }) {
            let found = try #require(rest.range(of: part), "\(path) does not have this, or not in this order:\n\(part)")
            rest = rest[found.upperBound...]
        }
    }

    @Test func guideHasTheWholeExample() throws {
        let sources = try Self.blocks().compactMap(\.source)
        for file in ["CoreLocationRegistry", "FileJournal", "GeofenceMonitor", "AppGeofences"] {
            #expect(sources.contains { $0.hasSuffix("/\(file).swift") })
        }
    }

    @Test func exampleTellsWhatTheGuideShows() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("GuideTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = try await RepairStory.run(in: folder)
        try FileManager.default.removeItem(at: folder)
        #expect(try Self.blocks().first { $0.source == "RepairStory" }?.lines == lines)
    }
}
