import HTTPSemantics
import OriginTransfer

/// The freshness of a redirect chain: that of its least fresh hop, since the first URL is the key.
///
/// The fields that decide freshness and the times are taken together from the hop that allows the least; validators and type are
/// the last response's. A hop without such fields is ignored.
enum ChainFreshness {
    private static let names = ["cache-control", "cdn-cache-control", "expires", "date", "age"]

    /// The last response's head with the chain's freshness.
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
    /// Seconds for which the response states that a shared cache may use it from its arrival on; `nil` when it states nothing.
    ///
    /// In the order of RFC 9111 §3 and §4.2.1: what may not be stored, or not be used without validation, is below all seconds.
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
