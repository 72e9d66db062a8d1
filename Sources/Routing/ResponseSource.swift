/// Produces the content of a response while it is sent.
package protocol ResponseSource: AnyObject, Sendable {
    /// The number of bytes to request at a time.
    var blockSize: Int { get }
    /// The approximate maximum number of bytes of memory that the source takes.
    var heldBytes: Int { get }

    /// Called before the first read.
    func begin(on connection: any PausableConnection)

    /// Copies the next bytes into `buffer`. Called on the thread that sends them.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> ResponsePart

    /// Called after the last read: the content has ended, or the connection is closed.
    func close()
}

/// The result of reading a source.
package enum ResponsePart: Hashable, Sendable {
    /// The number of bytes copied, at least one.
    case bytes(Int)
    /// There are no bytes now. The source has paused the connection and will resume it.
    case paused
    /// The content has ended.
    case ended
    /// The rest cannot be read. The connection is closed, so that the client does not mistake a partial answer for a complete
    /// one.
    case failed
}

/// The connection on which the content of a response is sent. It outlives the source of the response.
package protocol PausableConnection: Sendable {
    /// Stops reading the source until `resume()`.
    func pause()
    func resume()
}
