import Foundation
import Model
import TestSupport
import Testing

@testable import SimulatedOS

@Suite("File of simulated phones")
struct RegistryFileTests {
    @Test("The steps of the schema are those of the releases: a change is a further step, with its digest here")
    func releasedSteps() {
        // 1: version 1.0.0.
        #expect(RegistryFile.migrations.steps.map(StepDigest.of) == ["406fd439294fceb"])
    }

    @Test("Several writers that open a missing file at once create one file, with every phone in it")
    func atOnce() throws {
        let directory = try TemporaryDirectory()
        for round in 0..<50 {
            let path = directory.path + "/\(round).sqlite"
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                do {
                    let device = Device(id: "d\(number)", platform: .ios, registry: .simulated)
                    try RegistryFile(path: path).change(device, at: .earliest) { $0.reboot() }
                } catch {
                    Issue.record(error)
                }
            }
            var phones = 0
            #expect(try RegistryFile.findFlaws(path: path, count: &phones) == [] && phones == 6)
        }
    }
}
