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
        let source = try String(
            contentsOf: SharedData.checkout.appending(path: "Sources/Model/Problem+Row.swift"), encoding: .utf8)
        // The compiler ensures that no row is missing.
        let codes = source.matches(of: /Row\(\s+"(\w+)"/).map { String($0.1) }
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
