import ImagePlan

/// The scans of a progressive file.
enum JPEGScript {
    /// The last positions of the first of two bands that are tried; 63 for a single band.
    private static let splits = [63, 2, 5, 8, 14]
    /// The bits that a first scan may leave for later ones.
    private static let delays = 0...2

    /// Returns scans that suit most pictures: coarse luma and colours first, then the rest.
    static func standard(_ parts: [JPEGComponent]) -> [JPEGScan] {
        let first = parts.indices.flatMap { index in [scan(index, 1...5), scan(index, 6...63, low: 1)] }
        let second = parts.indices.map { scan($0, 6...63, high: 1) }
        return [dc(parts)] + first + second
    }

    /// Returns the scans that take the fewest bits, of those that are tried.
    ///
    /// - Throws: `WorkerReply.Failure.deadline`.
    static func searched(_ parts: [JPEGComponent], _ deadline: Deadline) throws(WorkerReply.Failure) -> [JPEGScan] {
        var scans = [dc(parts)]
        for index in parts.indices {
            var best: (scans: [JPEGScan], bits: Int) = ([], .max)
            for split in splits {
                try deadline.check()
                let bands = split == 63 ? [1...63] : [1...split, split + 1...63]
                var tried: [(scans: [JPEGScan], bits: Int)] = []
                for band in bands { tried.append(try cheapest(index, band, parts, deadline)) }
                let sum = tried.reduce(0) { $0 + $1.bits }
                if sum < best.bits { best = (tried.flatMap(\.scans), sum) }
            }
            scans += best.scans
        }
        return scans
    }

    /// The bits of scans in a file, with their tables.
    static func bits(of scans: [JPEGScan], _ parts: [JPEGComponent]) -> Int {
        var bits = 0
        for scan in scans {
            let counter = scan.counted(parts)
            // The segment that starts a scan has 8 bytes and two for each component; that of a table has 21 and one for each symbol.
            bits += 8 * (8 + 2 * scan.components.count) + counter.plainBits
            for counts in counter.tables {
                let table = JPEGHuffmanTable(counts: counts)
                if !table.symbols.isEmpty { bits += table.bits(of: counts) + 8 * (21 + table.symbols.count) }
            }
        }
        return bits
    }

    /// Returns the scans of a band with the best number of bits that are left for later.
    private static func cheapest(
        _ component: Int,
        _ band: ClosedRange<Int>,
        _ parts: [JPEGComponent],
        _ deadline: Deadline
    ) throws(WorkerReply.Failure) -> (scans: [JPEGScan], bits: Int) {
        var best: (scans: [JPEGScan], bits: Int) = ([], .max)
        for delay in delays {
            try deadline.check()
            let scans = refined(component, band, from: delay)
            let bits = bits(of: scans, parts)
            if bits < best.bits { best = (scans, bits) }
        }
        return best
    }

    /// The scan of all DC coefficients.
    private static func dc(_ parts: [JPEGComponent]) -> JPEGScan {
        JPEGScan(components: Array(parts.indices), band: 0...0, isProgressive: true)
    }

    private static func scan(_ component: Int, _ band: ClosedRange<Int>, high: Int = 0, low: Int = 0) -> JPEGScan {
        JPEGScan(components: [component], band: band, high: high, low: low, isProgressive: true)
    }

    /// The scans of a band that leave `delay` bits at first, and then add one bit each.
    private static func refined(_ component: Int, _ band: ClosedRange<Int>, from delay: Int) -> [JPEGScan] {
        [scan(component, band, low: delay)]
            + stride(from: delay, to: 0, by: -1).map { scan(component, band, high: $0, low: $0 - 1) }
    }
}
