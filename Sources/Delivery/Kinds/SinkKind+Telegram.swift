import Model

extension SinkKind {
    package static let telegram = web(
        "telegram", title: .product("Telegram"), place: "CHAT",
        "the number of a chat or @channel, with the bot's --sink-token", in: "chat",
        needs: [("token", Phrase("the bot's token from @BotFather")), ("chat", Phrase("the number of a chat, or @channel"))],
        editable: ["chat", "token"], defaultURL: "https://api.telegram.org", sign: { _, _ in }
    ) { request, target, values in
        request.url = "\(trimmed(target.address))/bot\(target.token ?? "")/sendMessage"
        request.body =
            JSONValue.object([
                .init("chat_id", .string(target.chat ?? "")), .init("text", .string(values.text.titleAndBody)),
            ]).description
    }
}
