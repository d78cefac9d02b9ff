extension PurgeOrder {
    /// Reads a `PURGE` request of the public listener.
    ///
    /// One thing names what goes: the path, a field with tags, or the content, which is what `POST /purge` takes. `/` names
    /// nothing, so that nobody empties a cache by leaving something out.
    /// - Parameters:
    ///   - target: path and query as sent.
    ///   - fields: what the request's fields say of a purge.
    ///   - body: the content; may be empty.
    /// - Throws: `Problem` 400 where it names nothing, or two things, or is wrong in itself.
    init(target: String, fields: PurgeFields, body: [UInt8]) throws(Problem) {
        var named: [Target] = []
        let hasPath = !target.isEmpty && target != "/"
        if hasPath { named.append(.url(target)) }
        let tags = try fields.tags()
        if !tags.isEmpty { named.append(.tags(tags)) }
        guard named.count < 2 else {
            throw Problem(400, "A PURGE with tags has the path /: what goes is named once.", parameter: fields.tagName)
        }
        let isSoft = try fields.isSoft()
        if body.isEmpty {
            guard let target = named.first else {
                throw Problem(
                    400,
                    "PURGE / alone names nothing: it takes a picture's path, tags in Cache-Tag, Surrogate-Key or xkey-purge, "
                        + "or what POST /purge takes as its content, such as {\"all\":true}."
                )
            }
            self.init(target: target)
        } else {
            self = try PurgeOrder(json: body, named: named)
        }
        self.isSoft = self.isSoft || isSoft
        try check()
    }
}
