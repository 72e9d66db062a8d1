import CSQLite
import Model

extension Connection {
    /// Adds the SQL function `nfc(text)`, which returns the text in Unicode's normal form C; of any other value, the value itself. Migrations
    /// need it for text that earlier versions stored in other forms.
    func addNormalFormFunction() {
        _ = unsafe sqlite3_create_function_v2(
            handle, "nfc", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                let value = unsafe arguments?[0]
                guard unsafe sqlite3_value_type(value) == SQLITE_TEXT, let bytes = unsafe sqlite3_value_text(value) else {
                    return unsafe sqlite3_result_value(context, value)
                }
                let count = Int(unsafe sqlite3_value_bytes(value))
                let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self).inNormalForm
                unsafe sqlite3_result_text64(
                    context, text, UInt64(text.utf8.count), picket_sqlite_transient(), UInt8(SQLITE_UTF8))
            }, nil, nil, nil)
    }
}
