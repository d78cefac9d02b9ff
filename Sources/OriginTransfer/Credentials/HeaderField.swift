/// A configured header field of requests.
package struct HeaderField: Hashable, Sendable {
    package var name: String
    package var value: String

    /// Creates a field.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
