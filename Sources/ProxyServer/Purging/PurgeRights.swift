import ImagePlan

/// What a client may purge.
struct PurgeRights: Sendable, Hashable {
    /// The site that orders are for which name none; empty for the default site, `nil` for all sites.
    var site: String?
    /// Whether orders may name any site.
    var isOperator: Bool

    /// The rights of operators at the admin listener.
    static let all = PurgeRights(site: nil, isOperator: true)

    /// The site that an order is for; empty for the default site, `nil` for all sites.
    ///
    /// - Parameter name: the site that the order names, or `nil`.
    /// - Throws: `Problem` 400 for an invalid name, 403 for a site that the client may not purge.
    func scope(_ name: String?) throws(Problem) -> String? {
        guard let name else { return site }
        guard RequestPath.isSourceName(name) else {
            throw Problem(400, "This is not a valid name of a site.", parameter: "site")
        }
        let scope = name == ConfiguredSite.standard ? "" : name
        guard isOperator || scope == site else {
            throw Problem(403, "This client may not purge site '\(name)'.", parameter: "site")
        }
        return scope
    }
}
