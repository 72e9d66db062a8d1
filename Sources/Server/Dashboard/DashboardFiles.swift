import Delivery
import Foundation
import Model
import Secrets

/// The files of the dashboard, read once at the start.
struct DashboardFiles: Sendable {
    struct File: Sendable {
        var contentType: String
        var bytes: [UInt8]
        /// The bytes compressed with gzip (RFC 1952); nil for formats that are compressed already, such as images.
        var compressed: [UInt8]?
        /// A tag that changes with the content.
        var tag: String

        init(_ contentType: String, _ bytes: [UInt8], isPacked: Bool) {
            self.contentType = contentType
            self.bytes = bytes
            compressed = isPacked ? Gzip.compress(bytes) : nil
            tag = String(unsafe bytes.withUnsafeBytes { unsafe Digest(of: $0) }.hexadecimal.prefix(16))
        }
    }

    private var files: [String: File] = [:]

    /// The page that loads all other files.
    static let page = "index.html"
    /// The folder of Leaflet's modules, as installed by Debian's package libjs-leaflet. They are served as `leaflet/NAME`. Without them there
    /// is no map. Installations without that package have a folder `leaflet` beside that of the dashboard.
    static let leaflet = "/usr/share/javascript/leaflet"

    /// - Parameter folder: The dashboard's own files; nil for no dashboard.
    init(folder: String?) {
        guard let folder else { return }
        add(folder, prefix: "") { _ in true }
        let wanted: Set = [
            "leaflet.css", "leaflet.esm.min.js", "images/layers.png", "images/layers-2x.png", "images/marker-icon.png",
            "images/marker-icon-2x.png", "images/marker-shadow.png",
        ]
        add(folder + "/../leaflet", prefix: "leaflet/", wanted.contains)
        if files["leaflet/leaflet.css"] == nil { add(Self.leaflet, prefix: "leaflet/", wanted.contains) }
        addLanguages()
        // The page builds its forms from this list.
        add("sink-kinds.js", "js", "export const sinkKinds = \(JSONValue.array(SinkKind.allCases.map(\.formJSON)));\n")
        #if DEBUG
            addGallery()
        #endif
    }

    /// Whether there is a page.
    var isFound: Bool { files[Self.page] != nil }

    /// The file with a name; nil if there is none.
    func file(_ name: String) -> File? { files[name] }

    private mutating func add(_ folder: String, prefix: String, _ isWanted: (String) -> Bool) {
        let root = URL(filePath: folder)
        guard let names = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
            // The folder cannot be read. For Leaflet, this means that the library is not installed.
            return
        }
        for name in names where isWanted(name) {
            guard let type = Self.contentTypes[String(name.split(separator: ".").last ?? "")],
                let content = try? Data(contentsOf: root.appending(path: name))
            else { continue }
            files[prefix + name] = File(type, Array(content), isPacked: !name.hasSuffix(".png"))
        }
    }

    /// Adds `languages.js`, a module with the tags and names of the available languages, and `texts-TAG.json` with the translations for each.
    private mutating func addLanguages() {
        var languages: [JSONValue] = []
        for language in Language.allCases {
            let catalog = language.catalog
            let name = catalog?.languageName ?? (language == .english ? "English" : language.rawValue)
            languages.append(.object([.init("name", .string(name)), .init("tag", .string(language.rawValue))]))
            guard let catalog else { continue }
            var translations = catalog.translations(in: "Sources/Dashboard/")
            for text in SinkKind.formTexts { translations[text.description] = [text.text(in: language)] }
            let texts = translations.sorted { $0.key < $1.key }.map { english, forms in
                JSONValue.Member(english, .array(forms.map(JSONValue.string)))
            }
            // The plural form depends only on the number itself if it is small, and otherwise on its last two digits. So 200 numbers are
            // enough.
            let forms = (0..<200).map { JSONValue(catalog.form(of: $0)) }
            let content = JSONValue.object([.init("forms", .array(forms)), .init("texts", .object(texts))])
            add("texts-\(language.rawValue).json", "json", content.description)
        }
        add("languages.js", "js", "export const languages = \(JSONValue.array(languages));\n")
    }

    private mutating func add(_ name: String, _ ending: String, _ content: String) {
        files[name] = File(Self.contentTypes[ending]!, Array(content.utf8), isPacked: true)
    }

    private static let contentTypes = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "json": "application/json",
    ]
}

#if DEBUG
    extension DashboardFiles {
        /// Adds the data of the page `#/gallery`: `{"en":[…],"tr":[…]}`, with at least one problem of each case. Release builds have no
        /// such file and therefore no gallery.
        private mutating func addGallery() {
            let contact = SupportContact("help@example.org")
            let problems = Language.allCases.map { language in
                JSONValue.Member(
                    language.rawValue, .array(Problem.samples.map { $0.json(in: language, contact: contact) }))
            }
            let bytes = Array(JSONValue.object(problems).description.utf8)
            files["gallery.json"] = File("application/json", bytes, isPacked: false)
        }
    }
#endif
