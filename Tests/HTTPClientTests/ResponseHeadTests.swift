import Testing

@testable import HTTPClient

@Suite("Heads of responses")
struct ResponseHeadTests {
    private func head(_ lines: String...) -> ResponseHead {
        var head = ResponseHead()
        for line in lines {
            let isAccepted = head.receive((line + "\r\n").utf8)
            #expect(isAccepted)
        }
        return head
    }

    @Test("A head has the status and the headers of the last status line, and is complete after the empty line")
    func lines() {
        #expect(!head("HTTP/1.1 200 OK", "A: b").isComplete)
        #expect(!head("HTTP/1.1 100 Continue", "A: b", "").isComplete)
        let last = head("HTTP/1.1 103 Early Hints", "A: b", "", "HTTP/2 204", "C:  d \t", "No colon", "")
        #expect(last.isComplete && last.status == 204 && last.headers == [HTTPHeader("C", "d")])
        #expect(head("HTTP/1.1 x y", "").status == 0)
    }

    @Test("The size limit counts all lines of a response")
    func size() {
        let line = Array("A: \(String(repeating: "b", count: 1019))\r\n".utf8)
        var head = ResponseHead()
        let status = Array("HTTP/1.1 100 \(String(repeating: "x", count: 1009))\r\n".utf8)
        for number in 1...64 {
            let isAccepted = head.receive(number % 2 == 0 ? line : status)
            #expect(isAccepted && !head.isTooLarge)
        }
        let isAccepted = head.receive("\r\n".utf8)
        #expect(!isAccepted && head.isTooLarge)
    }
}
