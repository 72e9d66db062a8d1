import Foundation
import Geometry
import Ingest
import MQTT
import QRCode
import SQLite
import Secrets
import Senders

/// What Picket runs on: the system, and the libraries as they are linked.
public enum LibraryVersions {
    public typealias Version = (name: String, version: String)

    /// The versions that this module knows; those of libraries that only the server uses are its own.
    public static var all: [Version] {
        [
            ("system", system), ("kernel", kernel), ("swift", compiler), ("sqlite", Connection.libraryVersion),
            ("geos", GEOSContext.libraryVersion), ("proj", Geodesic.libraryVersion), ("libcurl", Senders.libraryVersion),
            ("libmosquitto", MQTTConnection.libraryVersion), ("libsodium", Secret.libraryVersion),
            ("expat", FixDecoder.libraryVersion), ("qrencode", QRSymbol.libraryVersion),
        ]
    }

    /// As `Debian GNU/Linux 12 (bookworm)`: what os-release(5) calls `PRETTY_NAME`.
    private static var system: String {
        for path in ["/etc/os-release", "/usr/lib/os-release"] {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            let name = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            if let name { return String(name.dropFirst("PRETTY_NAME=".count)).trimmingCharacters(in: ["\"", "'"]) }
        }
        return "not known"
    }

    /// As `Linux 6.1.0-18-amd64 x86_64`, without the machine's own name.
    private static var kernel: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "not known" }
        func text<Bytes>(_ bytes: Bytes) -> String {
            withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }

    /// The compiler that Picket was built with; it tells only whether it is as new as some version.
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
