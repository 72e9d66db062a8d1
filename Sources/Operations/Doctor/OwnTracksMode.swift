/// The monitoring modes of the OwnTracks app that send no positions automatically (OwnTracks booklet, "JSON", `m`).
package enum OwnTracksMode: Int, CaseIterable, Sendable {
    case quiet = -1
    case manual = 0
}
