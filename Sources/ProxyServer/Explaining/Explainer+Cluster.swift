import Cluster
import HTTPCache
import ImagePipeline

extension Explainer {
    /// The node that downloads an original for the whole cluster, while all nodes respond.
    ///
    /// The addresses of names (`dns:`) are not known here.
    func owner(of origin: OriginRequest) -> [Explanation.Fact] {
        let entries = loaded.configuration.cluster.nodes
        let names = entries.compactMap { entry in if case .node(let node) = entry { node.description } else { nil } }
        guard !entries.isEmpty else { return [] }
        let setting = FactOrigin.setting(loaded.origin(of: "cluster.nodes"))
        let placement = Placement(names)
        guard names.count == entries.count, let owner = placement.owner(of: origin.key.words.0) else {
            return [Explanation.Fact("owner", .null, words: "depends on the addresses of a name", setting)]
        }
        return [Explanation.Fact("owner", .string(placement.names[owner]), setting)]
    }
}
