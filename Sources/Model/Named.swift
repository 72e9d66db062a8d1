/// A thing or a kind that has a name for people.
package protocol Named {
    /// The name.
    var phrase: Phrase { get }
}
