import Model
import Testing

@Suite("Lists that keep their first entries")
struct BoundedListTests {
    @Test("The first hundred entries are kept, and all are counted")
    func appending() {
        var list = BoundedList<Int>()
        var computed = 0
        func entry(_ number: Int) -> Int {
            computed += 1
            return number
        }
        for number in 0..<1000 { list.append(entry(number)) }
        #expect(Array(list) == Array(0..<100) && list.total == 1000 && computed == 100)
        list[3] = -1
        #expect(list.count == 100 && list[3] == -1 && list.total == 1000)
    }

    @Test("The entries of two lists are counted together", arguments: [(60, 30), (60, 60), (300, 5), (0, 150), (100, 0)])
    func adding(_ counts: (Int, Int)) {
        var list = BoundedList(0..<counts.0)
        list += BoundedList(1000..<1000 + counts.1)
        let all = Array(0..<counts.0) + Array(1000..<1000 + counts.1)
        #expect(Array(list) == Array(all.prefix(100)) && list.total == all.count)
    }

    @Test("A list can be made of its first entries and the number of all")
    func part() {
        let list = BoundedList(["a", "b"], total: 70)
        #expect(Array(list) == ["a", "b"] && list.total == 70 && list != ["a", "b"])
        #expect(BoundedList(["a", "b"]) == ["a", "b"])
    }
}
