import Foundation
import Model
import SQLite
import Store

extension Queries {
    /// Checks that the disk has at least one megabyte of free space. Throws `Problem.storeFull`.
    fileprivate func checkFreeSpaceByWriting() throws(Problem) {
        let path = directory.path + "/.room.\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .storeFull(path: directory.storePath) }
        defer { close(descriptor) }
        // The file has no name from here on, and is removed when its descriptor is closed.
        unlink(path)
        let block = [UInt8](repeating: 0x5A, count: 1 << 16)
        for _ in 0..<16 where unsafe write(descriptor, block, block.count) != block.count {
            throw .storeFull(path: directory.storePath)
        }
    }
}

extension ServiceWriter {
    /// Checks that the store can be written, and that the disk has at least one megabyte of free space.
    package func checkWritable() throws(Problem) {
        if let problem = freeSpaceProblem { throw problem }
        try transaction { (_: borrowing Transaction) throws(Problem) in }
    }

    /// The problem that less than one megabyte is free; nil if more is free.
    package var freeSpaceProblem: Problem? {
        guard let free = freeBytes(), free < Self.minFreeSpace else { return nil }
        return .storeFull(path: directory.storePath)
    }

    /// The free space in bytes below which the disk counts as full: the size of a large request.
    package static let minFreeSpace = 1 << 20

    /// Tests whether a store that could not be written can be written again: writes one megabyte beside it (the size of a large request),
    /// and a small row into it.
    package func tryToWrite() throws(Problem) {
        let now = clock.now()
        try transaction(ofPositions: true) { (transaction: borrowing Transaction) throws(Problem) in
            // Otherwise the test could succeed where positions are refused.
            if let problem = freeSpaceProblem { throw problem }
            try checkFreeSpaceByWriting()
            try store.attempt { () throws(SQLiteError) in
                try store.saveSetting("writing_tried_at", now.milliseconds, in: transaction)
            }
        }
    }
}
