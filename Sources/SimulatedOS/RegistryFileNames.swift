import DatabaseProblems
import Foundation
import Model
import SQLite

extension RegistryFile {
    /// Brings the names of all phones into Unicode's normal form C, as an update of the store has done with those of their devices. Does
    /// nothing if there is no file. It can be repeated.
    ///
    /// - Parameter renamed: The new ids, by the exact bytes of the old ones, of the devices that the store has given another name, because a
    ///   device with the normal form exists.
    package static func rename(_ renamed: [(old: String, new: String)], path: String) throws(Problem) {
        do {
            guard access(path, F_OK) == 0 else { return }
            let connection = try Connection(path: path, access: .writeExisting)
            guard try hasPhones(connection) else { return }
            try connection.transaction(failure: { $0 as any Error }) {
                let row = try connection.statement("UPDATE OR REPLACE phone SET device = ? WHERE device = ?")
                for (old, new) in renamed {
                    row.bind(1, new)
                    row.bind(2, exact: old)
                    try row.run()
                }
                try connection.execute("UPDATE OR IGNORE phone SET device = nfc(device) WHERE device <> nfc(device)")
                // Both forms of one device's name had a phone. Those of the other form belong to no device any more.
                try connection.execute("DELETE FROM phone WHERE device <> nfc(device)")
            }
        } catch {
            throw Problem(error, at: path)
        }
    }
}
