import ImagePlan

/// The metadata of a gain map in an APP2 segment (ISO 21496-1, annex C).
///
/// Read and written again, so that no other bytes of the original's segment are kept.
struct GainMapSegment: Equatable {
    private let writerVersion: UInt16
    /// The bits that are defined.
    private let flags: UInt8
    /// The 32-bit numbers in their order.
    private let numbers: [UInt32]

    /// Whether each of red, green and blue has numbers of its own.
    private static let isByChannel: UInt8 = 0x80
    /// Whether the gains are meant in the primaries of the base image.
    private static let usesBasePrimaries: UInt8 = 0x40
    /// Whether all fractions have the denominator that comes first.
    private static let hasCommonDenominator: UInt8 = 0x08
    /// Whether the base image is the one with the high dynamic range.
    private static let isBackward: UInt8 = 0x04

    /// Reads a segment's content after its identifier.
    ///
    /// `nil` if it is of a later version or too short, has a denominator of 0, or describes a map of an image that is itself the brighter one.
    init?(_ content: [UInt8]) {
        guard content.count >= 5, content[0] == 0, content[1] == 0, content[4] & Self.isBackward == 0 else {
            return nil
        }
        writerVersion = UInt16(content[2]) << 8 | UInt16(content[3])
        flags = content[4] & (Self.isByChannel | Self.usesBasePrimaries | Self.hasCommonDenominator)
        let fractions = 2 + 5 * (flags & Self.isByChannel == 0 ? 1 : 3)
        let isCommon = flags & Self.hasCommonDenominator != 0
        let count = isCommon ? 1 + fractions : 2 * fractions
        guard content.count >= 5 + 4 * count else { return nil }
        numbers = (0..<count).map { index in
            content[(5 + 4 * index)..<(9 + 4 * index)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let denominators = isCommon ? [numbers[0]] : stride(from: 1, to: count, by: 2).map { [numbers] in numbers[$0] }
        guard !denominators.contains(0) else { return nil }
        guard signed(0) >= 0, signed(1) > signed(0) else { return nil }
        for channel in 0..<(fractions / 5) {
            guard signed(2 + 5 * channel) <= signed(3 + 5 * channel), signed(4 + 5 * channel) > 0 else { return nil }
        }
    }

    /// Whether each of red, green and blue has numbers of its own.
    var hasChannels: Bool { flags & Self.isByChannel != 0 }

    /// The value of a fraction: 0 and 1 are headrooms, then a minimum, a maximum, a gamma and two offsets for each channel.
    private func signed(_ index: Int) -> Double {
        if flags & Self.hasCommonDenominator != 0 {
            return Double(Int32(bitPattern: numbers[1 + index])) / Double(numbers[0])
        }
        return Double(Int32(bitPattern: numbers[2 * index])) / Double(numbers[2 * index + 1])
    }

    /// The sample of a channel, 0–2, that changes nothing.
    func neutral(_ channel: Int) -> UInt8 {
        let first = 2 + (flags & Self.isByChannel == 0 ? 0 : 5 * channel)
        return GainMapScale(range: signed(first)...signed(first + 1), gamma: signed(first + 2)).neutral
    }

    /// The content after the identifier.
    var content: [UInt8] {
        [0, 0] + writerVersion.octets + [flags] + numbers.flatMap(\.octets)
    }
}
