/// What a reconciliation does about what it finds: a daemon repairs and says nothing, a check looks deeper and tells.
struct DiskCare {
    /// Whether rows and files go; else the folder stays as it is.
    var repairs = true
    /// Whether rows are looked at that no lookup finds, and what cannot be read is told.
    var isThorough = false
    /// Whether bodies are read and compared with their digests.
    var readsBodies = false
    /// Called for each thing, and whether it has been repaired; `nil` where nobody wants to know.
    var report: ((DiskDamage, _ isRepaired: Bool) -> Void)?
    /// Called after each entry with its bytes.
    var looked: ((Int) -> Void)?

    /// Repairs where that is wanted, and tells.
    ///
    /// - Parameter repair: whether it could be done.
    func handle<Failure: Error>(
        _ damage: @autoclosure () -> DiskDamage,
        repair: () throws(Failure) -> Bool
    ) throws(Failure) {
        let isRepaired = repairs ? try repair() : false
        report?(damage(), isRepaired)
    }

    /// Tells of what no repair is for.
    func note(_ damage: @autoclosure () -> DiskDamage) {
        report?(damage(), false)
    }
}
