/// Which form of a text belongs to a number, as the header `Plural-Forms` of a catalog says
/// (https://www.gnu.org/software/gettext/manual/html_node/Plural-forms.html).
struct PluralRule: Sendable {
    /// One form for the number 1, and another for all others.
    static let english = PluralRule(header: "Plural-Forms: nplurals=2; plural=n != 1;")!

    private indirect enum Expression: Sendable {
        case number(Int)
        case count
        case choice(Expression, Expression, Expression)
        case operation(String, Expression, Expression)
    }

    private let expression: Expression

    /// Reads for example `Plural-Forms: nplurals=2; plural=(n > 1);`. Returns nil for a rule that cannot be read.
    init?(header: some StringProtocol) {
        guard let start = header.firstRange(of: " plural=")?.upperBound else { return nil }
        var parser = Parser(header[start...].prefix { $0 != ";" })
        guard let expression = parser.choice(), parser.isAtEnd else { return nil }
        self.expression = expression
    }

    /// The index of the form for a number.
    func form(of count: Int) -> Int { Self.value(of: expression, abs(count)) }

    private static func value(of expression: Expression, _ count: Int) -> Int {
        switch expression {
        case .number(let number): return number
        case .count: return count
        case .choice(let condition, let one, let other):
            return value(of: value(of: condition, count) != 0 ? one : other, count)
        case .operation(let name, let left, let right):
            let (left, right) = (value(of: left, count), value(of: right, count))
            return switch name {
            case "||": left != 0 || right != 0 ? 1 : 0
            case "&&": left != 0 && right != 0 ? 1 : 0
            case "==": left == right ? 1 : 0
            case "!=": left != right ? 1 : 0
            case "<=": left <= right ? 1 : 0
            case ">=": left >= right ? 1 : 0
            case "<": left < right ? 1 : 0
            case ">": left > right ? 1 : 0
            default: right == 0 ? 0 : left % right
            }
        }
    }

    /// A parser of the part of C that rules use.
    private struct Parser {
        private var rest: Substring

        init(_ text: some StringProtocol) {
            rest = Substring(text.filter { $0 != " " })
        }

        var isAtEnd: Bool { rest.isEmpty }

        private mutating func skip(_ token: String) -> Bool {
            guard rest.hasPrefix(token) else { return false }
            rest.removeFirst(token.count)
            return true
        }

        mutating func choice() -> Expression? {
            guard let condition = operation(0) else { return nil }
            guard skip("?") else { return condition }
            guard let one = choice(), skip(":"), let other = choice() else { return nil }
            return .choice(condition, one, other)
        }

        /// The operators, from the weakest to the strongest.
        private static let levels = [["||"], ["&&"], ["==", "!="], ["<=", ">=", "<", ">"], ["%"]]

        private mutating func operation(_ level: Int) -> Expression? {
            guard level < Self.levels.count else { return operand() }
            guard var left = operation(level + 1) else { return nil }
            while let name = Self.levels[level].first(where: { rest.hasPrefix($0) }) {
                rest.removeFirst(name.count)
                guard let right = operation(level + 1) else { return nil }
                left = .operation(name, left, right)
            }
            return left
        }

        private mutating func operand() -> Expression? {
            if skip("n") { return .count }
            if skip("(") {
                guard let inner = choice(), skip(")") else { return nil }
                return inner
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...]
            return Int(digits).map(Expression.number)
        }
    }
}
