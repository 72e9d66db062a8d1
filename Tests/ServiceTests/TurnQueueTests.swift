import TestSupport
import Testing
import Workers

@Suite("Queue whose owners take turns")
struct TurnQueueTests {
    @Test("No owner waits for more than one turn of each other one, and its works stay in order", arguments: 1...40)
    func turns(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let queue = TurnQueue<Int, Int>()
        var waiting: [[Int]] = Array(repeating: [], count: 5)
        /// How many turns others have had while an owner waited.
        var passedOver = Array(repeating: 0, count: 5)
        var added = 0
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                // Some owners have much more work than others.
                let owner = min(Int.random(in: 0..<5, using: &random), Int.random(in: 0..<5, using: &random))
                #expect(queue.add(added * 10 + owner, of: owner))
                waiting[owner].append(added * 10 + owner)
                added += 1
            } else if waiting.contains(where: { !$0.isEmpty }), let work = queue.takeNext() {
                let owner = work % 10
                #expect(waiting[owner].first == work, "seed \(seed)")
                waiting[owner].removeFirst()
                passedOver[owner] = 0
                for other in 0..<5 where other != owner {
                    passedOver[other] = waiting[other].isEmpty ? 0 : passedOver[other] + 1
                    #expect(passedOver[other] <= 4, "seed \(seed)")
                }
            }
            for owner in 0..<5 { #expect(queue.count(of: owner) == waiting[owner].count, "seed \(seed)") }
        }
        queue.close()
        #expect(!queue.add(0, of: 0))
        var rest = 0
        while queue.takeNext() != nil { rest += 1 }
        #expect(rest == waiting.joined().count, "seed \(seed)")
    }
}
