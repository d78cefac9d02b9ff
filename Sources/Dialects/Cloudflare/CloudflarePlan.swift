import ImagePlan

/// The plan of a Cloudflare request: trim, flip, rotation, resize, then adjustments.
///
/// The documentation states the order up to the resize; that of the adjustments is ours.
struct CloudflarePlan {
    let request: CloudflareRequest
    var builder = PlanBuilder()
    /// 1 without `dpr`.
    private var ratio = FixedDecimal.one

    init(_ request: CloudflareRequest) { self.request = request }

    /// The parameters of our language.
    mutating func parameters() throws(RequestError) -> [Parameter] {
        ratio = try request["dpr"]?.decimal(in: FixedDecimal(millionths: 100_000)...FixedDecimal(4)) ?? .one
        try appendTrim()
        try appendTurns()
        try appendResize()
        try appendAdjustments()
        try setOutput()
        try checkOthers()
        return try builder.parameters()
    }

    /// `trim=top;right;bottom;left`, or `trim.left`, `trim.top`, `trim.width` and `trim.height`, which `dpr` scales.
    private mutating func appendTrim() throws(RequestError) {
        let names = ["trim.left", "trim.top", "trim.width", "trim.height"]
        let stated = names.first { request[$0] != nil }
        guard let trim = request["trim"] else {
            guard let stated else { return }
            var sides: [String] = []
            for (name, without) in zip(names, ["0", "0", "100%", "100%"]) {
                sides.append(
                    try request[name].map { (side) throws(RequestError) in String(try pixels(side)) } ?? without
                )
            }
            builder.step("crop", sides.joined(separator: ","), for: stated)
            return
        }
        guard stated == nil else { throw trim.error("states margins, and \(stated ?? "") a rectangle; one is enough") }
        let parts = trim.text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 4 else { throw trim.error("must be top;right;bottom;left in pixels") }
        var margins: [Int] = []
        for part in parts { margins.append(try pixels(OptionValue(name: trim.name, text: String(part)))) }
        // A crop reaches from a corner to the opposite one: the other two margins are cut off the picture upside down.
        if margins[1] > 0 || margins[2] > 0 {
            builder.step("flip", "hv", for: trim.name)
            builder.step("crop", "\(margins[1]),\(margins[2]),100%,100%", for: trim.name)
            builder.step("flip", "hv", for: trim.name)
        }
        if margins[3] > 0 || margins[0] > 0 {
            builder.step("crop", "\(margins[3]),\(margins[0]),100%,100%", for: trim.name)
        }
    }

    /// A length in pixels, multiplied by `dpr`.
    private func pixels(_ value: OptionValue) throws(RequestError) -> Int {
        (FixedDecimal(try value.integer(in: 0...Measure.longestSide)) * ratio).rounded
    }

    private mutating func appendTurns() throws(RequestError) {
        if let flip = request["flip"] {
            let direction = try flip.keyword(["h": "h", "v": "v", "hv": "hv", "vh": "hv"])
            builder.step("flip", direction, for: flip.name)
        }
        if let rotate = request["rotate"] {
            let angle = try rotate.keyword(["0": "0", "90": "90", "180": "180", "270": "270", "360": "0"])
            builder.step("rotate", angle, for: rotate.name)
        }
    }

    private mutating func appendResize() throws(RequestError) {
        let fit = try request["fit"]?.keyword(CloudflareFit.table) ?? .scaleDown
        let gravity = try CloudflareGravity(request)
        var count = 0
        for (name, ours) in [("width", "w"), ("height", "h")] {
            guard let side = request[name] else { continue }
            count += 1
            if ours == "w", side.text == "auto" {
                builder.step(ours, "auto", for: side.name)
                if ratio != .one { throw side.error("cannot be auto with dpr, which the client states as well") }
            } else {
                let scaled = (FixedDecimal(try side.integer(in: 1...100_000)) * ratio).rounded
                builder.step(ours, String(max(1, scaled)), for: side.name)
            }
        }
        guard count > 0 else { return }
        if fit.enlarges { try builder.set("enlarge", "1", for: "fit") }
        guard count == 2 else { return }
        if let name = fit.name { try builder.set("fit", name, for: "fit") }
        if fit.crops { try builder.set("gravity", gravity.value, for: "gravity") }
        if fit == .pad, request["background"] == nil { try builder.set("bg", Color.white.text, for: "fit") }
    }

    /// Options that change nothing here, or that cannot be said.
    private func checkOthers() throws(RequestError) {
        if let border = request["border"] {
            throw border.error("has no form in URLs; see pad and border of this server's own language")
        }
        if let segment = request["segment"] { throw segment.error("cannot be said: this server finds no foregrounds") }
        if let upscale = request["upscale"] {
            guard try upscale.keyword(["interpolate": true, "generate": false]) else {
                throw upscale.error("cannot be generate: pictures are interpolated")
            }
        }
        if let zoom = request["zoom"], try zoom.decimal(in: 0...1) != FixedDecimal(0) {
            throw zoom.error("cannot be said: gravity=face keeps as much of the background as possible")
        }
        // No effect on the picture, or only in case of an error: a source's `fallback` serves for that.
        _ = try request["onerror"]?.keyword(["redirect": true])
    }
}
