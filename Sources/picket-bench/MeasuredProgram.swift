import Model
import ToolSupport

extension SiblingProgram {
    /// `picket`, the program that is measured.
    static var picket: SiblingProgram {
        get throws(Problem) {
            try SiblingProgram(
                "picket",
                ifMissing: Phrase(
                    """
                    the program that is measured is missing. Build it with 'swift build -c release --product picket', and put it \
                    there
                    """))
        }
    }
}
