import Model
import ToolSupport

extension SiblingProgram {
    /// `picket`, the program that is measured.
    static var picket: SiblingProgram {
        get throws(Problem) {
            try SiblingProgram("picket", ifMissing: .measuredProgramMissing)
        }
    }
}
