import CMicrohttpd
import Model
import Service
import Synchronization

/// An answer of any length, read from the store page by page as its reader takes it. A slow reader holds one page in memory.
@safe final class Download: Sendable {
    /// A part of the text.
    struct Part: Sendable {
        var text: String
        /// Reads the part after it; nil after the last.
        var next: Source?
    }

    /// Reads a part. Called on a thread of the readers'.
    typealias Source = @Sendable (GeofenceService) throws(Problem) -> Part

    private struct State {
        var text: [UInt8]
        var sent = 0
        var next: Source?
        var isFetching = false
        var hasFailed = false
        /// The connection, while it is suspended for want of the next part.
        var suspended: UInt?
    }

    private let state: Mutex<State>
    private let readers: Readers
    /// The connection's handle; it outlives the download.
    private let connection = Atomic<UInt>(0)

    init(_ first: Part, _ readers: Readers) {
        state = Mutex(State(text: Array(first.text.utf8), next: first.next))
        self.readers = readers
    }

    /// Makes the response that the text is sent in.
    func makeResponse(for connection: OpaquePointer) -> OpaquePointer? {
        self.connection.store(UInt(bitPattern: connection), ordering: .relaxed)
        let read: MHD_ContentReaderCallback = { download, _, bytes, count in
            guard let download = unsafe download, let bytes = unsafe bytes else { return failed }
            return unsafe Unmanaged<Download>.fromOpaque(download).takeUnretainedValue().read(
                UnsafeMutableRawBufferPointer(start: bytes, count: count))
        }
        let free: MHD_ContentReaderFreeCallback = { download in
            if let download = unsafe download { unsafe Unmanaged<Download>.fromOpaque(download).release() }
        }
        return unsafe MHD_create_response_from_callback(UInt64.max, 65_536, read, Unmanaged.passRetained(self).toOpaque(), free)
    }

    /// `MHD_CONTENT_READER_END_OF_STREAM`
    private static let ended = -1

    /// Gives the next bytes; while the next part is read, suspends the connection.
    private func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            if state.sent < state.text.count {
                let count = min(bytes.count, state.text.count - state.sent)
                unsafe state.text.withUnsafeBytes { text in
                    unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[state.sent..<state.sent + count]))
                }
                state.sent += count
                return count
            }
            // The connection is cut, so that nobody takes the beginning for the whole.
            if state.hasFailed { return failed }
            guard let next = state.next else { return Self.ended }
            let handle = connection.load(ordering: .relaxed)
            guard let connection = unsafe OpaquePointer(bitPattern: handle) else { return failed }
            if !state.isFetching {
                state.isFetching = fetch(next)
                guard state.isFetching else { return failed }
            }
            state.suspended = handle
            unsafe MHD_suspend_connection(connection)
            return 0
        }
    }

    private func fetch(_ source: @escaping Source) -> Bool {
        readers.submit(source) { [self] result in
            state.withLock { state in
                state.isFetching = false
                switch result {
                case .success(let part):
                    state.text = Array(part.text.utf8)
                    state.sent = 0
                    state.next = part.next
                case .failure: state.hasFailed = true
                }
                guard let connection = unsafe state.suspended.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else { return }
                state.suspended = nil
                unsafe MHD_resume_connection(connection)
            }
        }
    }
}

/// `MHD_CONTENT_READER_END_WITH_ERROR`
private let failed = -2
