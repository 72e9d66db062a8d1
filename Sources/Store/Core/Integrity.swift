import DatabaseProblems
import Model
import SQLite

extension PicketStore {
    /// Whether the pages of the file have checksums; see `Connection.keepsChecksums`.
    package var keepsChecksums: Bool { connection.keepsChecksums }

    /// The first damage that SQLite finds in the pages of the file, without comparing indexes with their tables; nil for none.
    ///
    /// - Complexity: O(size of the file).
    package func quickDamage() throws(Problem) -> String? {
        try attempt { () throws(SQLiteError) in try connection.checkPages(.quick, atMost: 1).firstDamage }
    }

    /// Checks every page, index and reference of the file with SQLite.
    ///
    /// - Returns: The number of pages that have no checksum.
    package func findDamage(_ flaws: inout StoreFlaws) throws(Problem) -> Int {
        var pagesWithoutChecksum = 0
        do throws(SQLiteError) {
            let pages = try connection.checkPages(.whole, atMost: 100)
            pagesWithoutChecksum = pages.pagesWithoutChecksum
            for page in pages.wrongPages { flaws.add(.checksum, "\(page.name) differs from what was written") }
            for answer in pages.structure { flaws.add(.damaged, answer) }
            // Other queries cannot read these pages.
            guard pages.wrongPages.isEmpty else { return pagesWithoutChecksum }
            let references = try uncachedStatement("PRAGMA foreign_key_check")
            while let (table, row, parent, _) = try references.next(String.self, Int64.self, String.self, Int64.self) {
                flaws.add(.dangling, "row \(row) of \(table) names no \(parent)")
            }
            let events = try uncachedStatement(
                "SELECT sequence FROM event WHERE NOT EXISTS (SELECT 1 FROM device d WHERE d.key = event.device)")
            while let sequence = try events.next(Int64.self) { flaws.add(.dangling, "event \(sequence) names no device") }
        } catch {
            guard error.isCorrupt else { throw Problem(error, at: path) }
            flaws.add(.damaged, error.message)
        }
        return pagesWithoutChecksum
    }

    /// Checks that the sequence numbers of events are contiguous from 1 on, apart from the numbers that the store's epochs skip, and
    /// that no event has one of the skipped numbers.
    package func findGaps(_ flaws: inout StoreFlaws) throws(Problem) {
        let row = try query("SELECT sequence FROM event ORDER BY sequence")
        let epochs = try epochs()
        let unused = epochs.unused
        func miss(_ first: Int64, _ last: Int64) {
            guard first <= last else { return }
            flaws.add(.gap, first == last ? "event \(first) is missing" : "events \(first) to \(last) are missing")
        }
        var expected: Int64 = 1
        /// Reports the missing numbers up to `sequence`, apart from skipped ones.
        func pass(_ sequence: Int64) {
            for range in unused where range.upperBound >= expected && range.lowerBound <= sequence {
                miss(expected, range.lowerBound - 1)
                expected = range.upperBound + 1
            }
            miss(expected, sequence)
            expected = max(expected, sequence + 1)
        }
        while let sequence = try next(Int64.self, of: row) {
            if sequence < 1 {
                flaws.add(.gap, "there is an event \(sequence)")
            } else if unused.contains(where: { $0.contains(sequence) }) {
                flaws.add(.gap, "there is an event \(sequence), a number that is never used")
            } else {
                pass(sequence - 1)
                expected = max(expected, sequence + 1)
            }
        }
        pass(epochs.current.start)
    }

    /// Checks that the order of fixes by device and time contains each fix that it should contain and no other, and that the spans in which
    /// devices were seen are disjoint. It also checks the indexes of events.
    package func findOrderFlaws(_ flaws: inout StoreFlaws) throws(Problem) {
        try findIndexFlaws(&flaws)
        let ordered = try count("SELECT count(*) FROM fix_order")
        let fixes = try count("SELECT count(*) FROM fix f WHERE NOT (\(Self.isUnordered("f")))")
        if ordered != fixes { flaws.add(.order, "\(fixes.counted("fix", "fixes")) should be in order; in order: \(ordered)") }
        let stray = try count(
            """
            SELECT count(*) FROM fix_order o LEFT JOIN fix f USING (number)
            WHERE f.device IS NOT o.device OR f.time IS NOT o.time
            """)
        if stray > 0 { flaws.add(.order, "\(stray.counted("entry of the order is", "entries of the order are")) of no such fix") }
        let overlaps = try count(
            """
            SELECT count(*) FROM (
                SELECT begins, ends, lag(ends) OVER (PARTITION BY device ORDER BY begins) AS before FROM seen_span)
            WHERE ends < begins OR begins <= before
            """)
        if overlaps > 0 { flaws.add(.order, "\(overlaps) spans in which a device was seen are not in order") }
    }
}
