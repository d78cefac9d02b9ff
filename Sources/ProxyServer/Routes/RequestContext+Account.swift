import HTTPKit

extension RequestContext {
    /// The account of the request's work for a site; one site's work does not use up what its clients may do at another.
    func account(in site: Site) -> String { site.name.isEmpty ? account : "\(account) \(site.name)" }
}
