/// A member that is missing from an object or has other content than its shape describes.
package struct JSONMismatch: Error {
    package var member: String
    package var expected: JSONContent

    package init(member: String, expected: JSONContent) {
        self.member = member
        self.expected = expected
    }
}
