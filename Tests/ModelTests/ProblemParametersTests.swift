import Foundation
import TestSupport
import Testing

@testable import Model

@Suite("Problems sent over the network")
struct ProblemParametersTests {
    @Test("A problem is the same on the other side", arguments: Problem.samples)
    func roundTrip(_ problem: Problem) throws {
        let document = try JSONParser.parse(problem.json(in: .turkish).description)
        let code = try #require(document["code"]?.string)
        let parameters = try #require(document["parameters"])
        let read = try #require(Problem(code: code, parameters: parameters))
        for language in Language.allCases { #expect(read.json(in: language) == problem.json(in: language)) }
    }

    @Test("There is a sample of every problem")
    func samples() throws {
        let source = try String(contentsOf: SharedData.checkout.appending(path: "Sources/Model/Problem.swift"), encoding: .utf8)
        let after = try #require(source.components(separatedBy: "public var code: String {").dropFirst().first)
        // Each line has the form `case .name: "name"`, and the compiler ensures that no case is missing.
        let codes = try #require(after.components(separatedBy: "\n    }").first).split(separator: "\"").enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(codes.count > 40 && Set(codes).count == codes.count)
        #expect(Set(Problem.samples.map(\.code)) == Set(codes))
    }

    @Test("An unknown code or a missing value gives nil")
    func incomplete() {
        #expect(Problem(code: "brandNew", parameters: [:]) == nil)
        #expect(Problem(code: "notFound", parameters: ["kind": "device"]) == nil)
        let halfVersion: JSONValue = ["path": "/x", "version": .number("1.5"), "supported": .number("4")]
        #expect(Problem(code: "storeTooNew", parameters: halfVersion) == nil)
    }
}
