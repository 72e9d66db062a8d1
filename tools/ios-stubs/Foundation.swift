// The part of Apple's Foundation that the Swift library and the example use, as Apple's SDK declares it. For type checks only.

extension String {
    public var precomposedStringWithCanonicalMapping: String { self }
    public var decomposedStringWithCanonicalMapping: String { self }
}

open class NSObject {
    public init() {}
}

public struct Date {
    public init() {}
    public var timeIntervalSince1970: Double { 0 }
}
