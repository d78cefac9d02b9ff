/// The shares of `cache.memory`, in bytes, or of `cache.memory-entries`.
struct MemoryShares: Sendable, Equatable {
    /// The share of images.
    var pictures: Int
    /// The share of raw responses.
    var raw = 0
    /// The parts of these that sites have for themselves, by name.
    private(set) var reservedPictures: [String: Int] = [:]
    private(set) var reservedRaw: [String: Int] = [:]

    init(pictures: Int, raw: Int = 0) {
        self.pictures = pictures
        self.raw = raw
    }

    /// The sum of the shares.
    var total: Int { pictures + raw }

    /// Adds shares that a site has for itself.
    mutating func reserve(_ shares: MemoryShares, for site: String) {
        pictures += shares.pictures
        raw += shares.raw
        reservedPictures[site] = shares.pictures
        reservedRaw[site] = shares.raw
    }

    /// The same proportions of another total.
    func within(_ bytes: Int) -> MemoryShares {
        guard bytes < total else { return self }
        let part = { (share: Int) in Int(Double(share) / Double(total) * Double(bytes)) }
        let share = part(raw)
        var shares = MemoryShares(pictures: bytes - share, raw: share)
        shares.reservedPictures = reservedPictures.mapValues(part)
        shares.reservedRaw = reservedRaw.mapValues(part)
        return shares
    }
}
