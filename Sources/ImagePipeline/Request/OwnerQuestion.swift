package import OriginTransfer

/// What the node that owns an original needs to know of a request, in addition to the variant's key.
package struct OwnerQuestion: Hashable, Sendable {
    /// The path and the query, as the client sent them.
    package var target: String
    /// The fields of the client's request on which its meaning depends, `Host` included.
    package var fields: [HeaderField]

    /// Creates a question.
    package init(target: String, fields: [HeaderField]) {
        self.target = target
        self.fields = fields
    }
}
