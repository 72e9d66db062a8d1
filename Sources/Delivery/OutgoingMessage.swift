/// A message in its final form for one sink.
package enum OutgoingMessage: Sendable {
    case request(OutgoingRequest)
    case mail(OutgoingMail)
    /// MQTT messages, in this order.
    case publish([OutgoingPublication])
    /// A line to append to a file, without the line break.
    case line(String, path: String)
    /// The arguments of a command, and its standard input.
    case run(arguments: [String], input: String)
}
