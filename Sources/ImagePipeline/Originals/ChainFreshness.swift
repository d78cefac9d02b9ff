import HTTPSemantics
import OriginTransfer

/// Computes the freshness of a redirect chain: that of its least fresh hop, because the first URL is the key.
///
/// The freshness fields and the times come from the least fresh hop; validators and type come from the last response. A hop
/// without freshness fields is ignored.
enum ChainFreshness {
    private static let names = ["cache-control", "cdn-cache-control", "expires", "date", "age"]

    /// Returns the last response's head with the chain's freshness.
    static func combine(redirects: [TransferHead], last: TransferHead) -> TransferHead {
        var least = last
        for hop in redirects {
            guard let allowed = hop.statedAllowance, least.statedAllowance.map({ allowed < $0 }) ?? true else {
                continue
            }
            least = hop
        }
        var fields = last.fields
        fields.remove(names)
        for line in least.fields.lines where names.contains(line.key) { fields.append(line) }
        return TransferHead(
            status: last.status,
            fields: fields,
            requestTime: least.requestTime,
            responseTime: least.responseTime
        )
    }
}

extension TransferHead {
    /// The seconds for which the response allows shared caches to use it, from its arrival; `nil` if it states nothing.
    ///
    /// Follows RFC 9111 §3 and §4.2.1. `Int64.min` means not storable, and `Int64.min + 1` not usable without validation.
    var statedAllowance: Int64? {
        let policy = ResponsePolicy(
            ResponsePolicy.Request(isGet: true, isAuthorized: false, noStore: false),
            status: 200,
            fields: fields,
            requestTime: requestTime,
            responseTime: responseTime,
            bounds: ResponsePolicy.Bounds(defaultLifetime: 0)
        )
        if !policy.isStorable { return .min }
        if policy.control.noCache == .whole { return .min + 1 }
        return policy.statesLifetime ? policy.freshness.lifetime - policy.freshness.initialAge : nil
    }
}
