import Model

extension Browser {
    /// The kind of pointer.
    package enum Pointer: String, Sendable {
        case mouse, touch
    }

    /// Presses at a point, moves in small steps to another one, and releases.
    ///
    /// - Parameter beforeRelease: Called at the end of the movement, before the pointer is released. Only works with the mouse, because the
    ///   driver cannot release a finger that an earlier command pressed.
    package func drag(
        from start: BrowserPoint, to end: BrowserPoint, with pointer: Pointer = .mouse, beforeRelease: (() throws -> Void)? = nil
    ) throws {
        let steps = 8
        let moves = (1...steps).map { step in
            let part = Double(step) / Double(steps)
            return Self.move(to: BrowserPoint(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part))
        }
        let way = [Self.move(to: start), Self.press] + moves
        guard let beforeRelease else { return try point(pointer, way + [Self.release]) }
        try point(pointer, way)
        let result = Result { try beforeRelease() }
        try point(pointer, [Self.release])
        try result.get()
    }

    /// Presses and releases at a point; twice for a double click.
    package func click(at place: BrowserPoint, times: Int = 1, with pointer: Pointer = .mouse) throws {
        let clicks = (0..<times).flatMap { _ in [Self.press, Self.release] }
        try point(pointer, [Self.move(to: place)] + clicks)
    }

    /// Drags from the center of an element to the center of another. Both must be visible in the viewport at the same time.
    package func drag(from start: BrowserElement, to end: BrowserElement, with pointer: Pointer = .mouse) throws {
        // Scrolling to the end may move the start, so the positions are determined afterward.
        _ = try start.center()
        let destination = try end.center()
        try drag(from: start.center(), to: destination, with: pointer)
    }

    /// Taps the center of an element with a finger.
    package func tap(_ element: BrowserElement) throws {
        try point(.touch, [Self.move(to: element.center()), Self.press, Self.release])
    }

    /// Moves the mouse over the center of an element.
    package func hover(_ element: BrowserElement) throws { try point(.mouse, [Self.move(to: element.center())]) }

    private func point(_ pointer: Pointer, _ actions: [JSONValue]) throws {
        try perform([
            "type": "pointer", "id": .string(pointer.rawValue), "parameters": ["pointerType": .string(pointer.rawValue)],
            "actions": .array(actions),
        ])
    }

    private static let press: JSONValue = ["type": "pointerDown", "button": JSONValue(0)]
    private static let release: JSONValue = ["type": "pointerUp", "button": JSONValue(0)]

    private static func move(to point: BrowserPoint) -> JSONValue {
        [
            "type": "pointerMove", "duration": JSONValue(0), "origin": "viewport", "x": JSONValue(point.x.rounded()),
            "y": JSONValue(point.y.rounded()),
        ]
    }
}
