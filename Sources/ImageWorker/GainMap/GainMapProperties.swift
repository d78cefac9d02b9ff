import Glibc
import ImagePlan

/// The XMP properties of a gain map (Adobe, "Gain map specification" 1.0, which Ultra HDR and ISO 21496-1 build on).
///
/// Read and written again, so that nothing else of the original's packet is kept.
struct GainMapProperties: Equatable {
    /// Numbers for all channels alike, or one for each of red, green and blue; logarithms to the base 2 unless stated otherwise.
    private(set) var minimum: [Double] = [0]
    private(set) var maximum: [Double] = []
    /// The exponent of the encoding, more than 0; no logarithm.
    private(set) var gamma: [Double] = [1]
    /// What is added to linear light before the gain, and removed after it; no logarithms.
    private(set) var baseOffset: [Double] = [1.0 / 64]
    private(set) var alternateOffset: [Double] = [1.0 / 64]
    /// The display's headroom from which on the map has an effect, and at which it has all of it.
    private(set) var leastHeadroom: [Double] = [0]
    private(set) var fullHeadroom: [Double] = []

    /// The names in the packet, in the order in which they are written.
    private static let names:
        [(name: String, path: any WritableKeyPath<Self, [Double]> & Sendable, isByChannel: Bool)] = [
            ("GainMapMin", \.minimum, true), ("GainMapMax", \.maximum, true), ("Gamma", \.gamma, true),
            ("OffsetSDR", \.baseOffset, true), ("OffsetHDR", \.alternateOffset, true),
            ("HDRCapacityMin", \.leastHeadroom, false), ("HDRCapacityMax", \.fullHeadroom, false),
        ]

    /// Reads the properties of a packet.
    ///
    /// `nil` for a property that is missing or no number, for an unknown version, and for a map that makes a brighter image darker.
    init?(packet: [UInt8]) {
        let values = XMPPacket(bytes: packet).properties(of: GainMapSearch.namespace)
        guard values["Version"]?.first == "1.0", values["BaseRenditionIsHDR"]?.first?.lowercased() != "true" else {
            return nil
        }
        for (name, path, isByChannel) in Self.names {
            guard let texts = values[name] else { continue }
            let numbers = texts.compactMap { Double($0) }.filter(\.isFinite)
            guard numbers.count == texts.count, numbers.count == 1 || isByChannel && numbers.count == 3 else {
                return nil
            }
            self[keyPath: path] = numbers
        }
        guard !maximum.isEmpty, !fullHeadroom.isEmpty, gamma.allSatisfy({ $0 > 0 }),
            (0..<3).allSatisfy({ Self.of($0, minimum) <= Self.of($0, maximum) }),
            leastHeadroom[0] >= 0, fullHeadroom[0] > leastHeadroom[0],
            (baseOffset + alternateOffset).allSatisfy({ $0 >= 0 })
        else { return nil }
    }

    /// Whether a property has a number for each channel.
    var isByChannel: Bool { Self.names.contains { self[keyPath: $0.path].count == 3 } }

    private static func of(_ channel: Int, _ numbers: [Double]) -> Double {
        numbers.count == 1 ? numbers[0] : numbers[channel]
    }

    /// The sample of a channel, 0–2, that changes nothing.
    func neutral(_ channel: Int) -> UInt8 {
        let range = Self.of(channel, minimum)...Self.of(channel, maximum)
        return GainMapScale(range: range, gamma: Self.of(channel, gamma)).neutral
    }

    /// The packet, with these properties only.
    var packet: [UInt8] {
        var attributes = ""
        var elements = ""
        for (name, path, _) in Self.names {
            let numbers = self[keyPath: path]
            if numbers.count == 1 {
                attributes += " hdrgm:\(name)=\"\(numbers[0])\""
            } else {
                let items = numbers.map { "<rdf:li>\($0)</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        let description = """
            <rdf:Description rdf:about="" xmlns:hdrgm="\(GainMapSearch.namespace)" hdrgm:Version="1.0"\(attributes) \
            hdrgm:BaseRenditionIsHDR="False">\(elements)</rdf:Description>
            """
        return XMPPacket.wrapped(description)
    }
}

/// How samples stand for gains.
struct GainMapScale {
    /// The logarithms of the gains of the samples 0 and 255.
    let range: ClosedRange<Double>
    let gamma: Double

    /// The sample that stands for a gain of 1, or the nearest one.
    var neutral: UInt8 {
        guard range.lowerBound < 0 else { return 0 }
        guard range.upperBound > 0 else { return 255 }
        let share = -range.lowerBound / (range.upperBound - range.lowerBound)
        return UInt8((pow(share, gamma) * 255).rounded())
    }
}
