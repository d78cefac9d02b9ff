extension Collection<UInt8> where SubSequence: Collection<UInt8> {
    /// Whether the bytes contain ASCII text; faster than the standard library's general search.
    func contains(text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first else { return true }
        var rest = self[...]
        while let place = rest.firstIndex(of: first) {
            rest = rest[place...]
            if rest.starts(with: wanted) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
