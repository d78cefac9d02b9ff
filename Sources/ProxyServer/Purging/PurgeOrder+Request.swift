extension PurgeOrder {
    /// Reads a `PURGE` request of the public listener.
    ///
    /// Exactly one of path, tag fields and content selects the target; the content has the form of `POST /purge`. `/` selects
    /// nothing, so that an incomplete request never empties the cache.
    /// - Parameters:
    ///   - target: path and query as sent. In a cluster, `wait=all` at the end of the query is an option of the purge.
    ///   - fields: the request's purge fields.
    ///   - body: the content; may be empty.
    /// - Throws: `Problem` 400 if there is no target or more than one, or if the content is invalid.
    init(target: String, fields: PurgeFields, body: [UInt8], isInCluster: Bool) throws(Problem) {
        var named: [Target] = []
        let (target, waits) = isInCluster ? Self.separatingWait(target) : (target, false)
        let hasPath = !target.isEmpty && target != "/"
        if hasPath { named.append(.url(target)) }
        let tags = try fields.tags()
        if !tags.isEmpty { named.append(.tags(tags)) }
        guard named.count < 2 else {
            throw Problem(
                400,
                "A PURGE with tags must have the path /, as it can have only one target.",
                parameter: fields.tagName
            )
        }
        let isSoft = try fields.isSoft()
        if body.isEmpty {
            guard let target = named.first else {
                throw Problem(
                    400,
                    "PURGE / has no target. Use the path of an image, tags in Cache-Tag, Surrogate-Key or xkey-purge, or a "
                        + "content as for POST /purge, such as {\"all\":true}."
                )
            }
            self.init(target: target)
        } else {
            self = try PurgeOrder(json: body, named: named)
        }
        self.isSoft = self.isSoft || isSoft
        waitsForAll = waitsForAll || waits
        try check()
    }

    /// Takes `wait=all` from the end of a target's query.
    private static func separatingWait(_ target: String) -> (target: String, waits: Bool) {
        for end in ["?wait=all", "&wait=all"] where target.hasSuffix(end) && target.contains("?") {
            return (String(target.dropLast(end.count)), true)
        }
        return (target, false)
    }
}
