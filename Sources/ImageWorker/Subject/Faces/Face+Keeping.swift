extension Face {
    /// The share of its score that a window loses with the only face, if it is certain.
    private static let loss = 0.8
    /// The part of that loss for a head that is wholly outside, so that none is cut where that can be avoided.
    ///
    /// It is the least for one that is cut; the rest is lost in proportion to what is cut off.
    private static let absence = 0.9
    /// The share of a head above which it is kept whole: less than the rest is an error of rounding.
    private static let whole = 0.999

    /// The part of its score, 0.2–1, that a window keeps in view of the heads that it cuts or leaves out.
    ///
    /// The window and the heads are in fractions of the picture's sides. Of a head that is larger than the window, the share that can
    /// be kept counts; any other counts as lost if it is cut, the more the less of it is kept.
    static func keeping(of faces: [Face], columns: ClosedRange<Double>, rows: ClosedRange<Double>) -> Double {
        var score = 1.0
        for face in faces {
            let head = face.head
            let across = share(of: head.left...head.right, in: columns)
            let down = share(of: head.top...head.bottom, in: rows)
            let kept = across.kept * down.kept
            guard kept <= whole else { continue }
            let isLarger = across.isLarger || down.isLarger
            let cut = isLarger ? 1 - kept : absence + (1 - absence) * (1 - kept)
            score -= loss * face.weight * (kept <= 0 ? absence : cut)
        }
        return score
    }

    /// The share of a length that a window keeps, of what one of its size can keep, and whether the length is larger.
    private static func share(
        of length: ClosedRange<Double>,
        in window: ClosedRange<Double>
    ) -> (kept: Double, isLarger: Bool) {
        let kept = min(length.upperBound, window.upperBound) - max(length.lowerBound, window.lowerBound)
        let (own, room) = (length.upperBound - length.lowerBound, window.upperBound - window.lowerBound)
        return (max(0, kept) / min(own, room), own > room)
    }
}
