#if os(Linux)
    import CStandardLibrary
    import Synchronization

    /// A catalog in a file, which is read when the first text in its language is needed.
    final class CatalogFile: Sendable {
        private let path: String
        /// Nil until the file is read; then the result, which is nil after a mistake in the file.
        private let content = Mutex<Catalog??>(nil)

        private init(_ path: String) { self.path = path }

        /// The tag of the language: the name of the file without `.po`.
        var tag: String {
            let name = path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]
            return String(name.dropLast(Self.suffix.count).replacing("_", with: "-"))
        }

        /// Nil after a mistake in the file. `PhraseTests` reads the catalogs of this repository.
        var catalog: Catalog? {
            content.withLock { content in
                if let content { return content }
                let catalog = Self.read(path).flatMap { try? Catalog(po: $0) }
                content = .some(catalog)
                return catalog
            }
        }

        /// The files in the first folder with catalogs that is in a folder above the program, by name.
        static var installed: [CatalogFile] {
            var folder = programPath[...]
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                for path in ["data/languages", "share/picket/data/languages"] {
                    let found = files(in: "\(folder)/\(path)")
                    if !found.isEmpty { return found }
                }
            }
            return []
        }

        private static let suffix = ".po"

        private static func files(in folder: String) -> [CatalogFile] {
            guard let directory = opendir(folder) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name.hasSuffix(suffix) { names.append(name) }
            }
            return names.sorted().map { CatalogFile("\(folder)/\($0)") }
        }

        private static var programPath: String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
                let count = readlink("/proc/self/exe", buffer.baseAddress!, buffer.count)
                return String(decoding: buffer.prefix(max(count, 0)).lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }

        private static func read(_ path: String) -> String? {
            guard let file = fopen(path, "rb") else { return nil }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = fread(&part, 1, part.count, file)
                if count == 0 { return String(validating: bytes, as: UTF8.self) }
                bytes += part.prefix(count)
            }
        }
    }

    extension Language {
        /// The language of a file, with English texts if the file has a mistake.
        init(_ file: CatalogFile) { self.init(tag: file.tag) { file.catalog } }
    }
#endif
