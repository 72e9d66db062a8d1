import Foundation
import Geometry
import Ingest
import MQTT
import QRCode
import SQLite
import Secrets
import Senders
import Tables

/// The versions of the system and of the linked libraries.
package enum LibraryVersions {
    package typealias Version = (name: String, version: String)

    /// The versions that this module can determine. The server adds the libraries that only it uses.
    package static var all: [Version] {
        [
            ("system", system), ("kernel", kernel), ("swift", compiler), ("sqlite", Connection.libraryVersion),
            ("geos", GEOSContext.libraryVersion), ("proj", Geodesic.libraryVersion), ("libcurl", Senders.libraryVersion),
            ("libmosquitto", MQTTConnection.libraryVersion), ("libsodium", Secret.libraryVersion),
            ("expat", FixDecoder.libraryVersion), ("qrencode", QRSymbol.libraryVersion),
            ("libxlsxwriter", workbookLibraryVersion),
        ]
    }

    /// For example `Debian GNU/Linux 12 (bookworm)`: the `PRETTY_NAME` of os-release(5).
    private static var system: String {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            let name = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            if let name { return String(name.dropFirst("PRETTY_NAME=".count)).trimmingCharacters(in: ["\"", "'"]) }
        }
        return "not known"
    }

    /// For example `Linux 6.1.0-18-amd64 x86_64`, without the machine's host name.
    private static var kernel: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "not known" }
        func text<Bytes>(_ bytes: Bytes) -> String {
            withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }

    /// The version of the compiler that built Picket. Only minimum versions can be tested.
    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
