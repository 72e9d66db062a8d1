/// The order of day and month in a date.
package enum DateOrder: String, CaseIterable, Sendable {
    case dayFirst = "dmy"
    case monthFirst = "mdy"
}
