import Foundation

/// A queue of work of several owners, who take turns: an owner with much work delays the next work of another owner by at most
/// one work item for each worker. Many threads add work, and one or more worker threads take it.
package final class TurnQueue<Owner: Hashable & Sendable, Work: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable` is safe: everything below is accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var waiting: [Owner: FirstInFirstOut<Work>] = [:]
    /// The owners of waiting work, in the order of their turns.
    private var turns = FirstInFirstOut<Owner>()
    private var isClosed = false

    package init() {}

    /// Adds work. False if the queue is closed, and then the work is not taken.
    package func add(_ work: Work, of owner: Owner) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return false }
        let isNew = waiting[owner] == nil
        waiting[owner, default: FirstInFirstOut()].append(work)
        if isNew { turns.append(owner) }
        condition.signal()
        return true
    }

    /// Takes the first work of the owner whose turn it is, and waits until there is some. Nil when the queue is closed and empty.
    package func takeNext() -> Work? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let owner = turns.removeFirst() {
                let work = waiting[owner]?.removeFirst()
                if waiting[owner]?.isEmpty == false { turns.append(owner) } else { waiting[owner] = nil }
                return work
            }
            if isClosed { return nil }
            condition.wait()
        }
    }

    /// Closes the queue. Work that is in it can still be taken.
    package func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }

    /// The number of an owner's work items that wait.
    package func count(of owner: Owner) -> Int { condition.withLock { waiting[owner]?.count ?? 0 } }
}

/// Elements that are removed in the order in which they were appended.
struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var count: Int { elements.count - first }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    /// - Complexity: O(1), amortized.
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[first] = nil
            first += 1
            if first * 2 > elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }
}
