/// Rules that the simulation can break, to show that it would find a mistake in them.
enum BrokenRule: String, CaseIterable {
    /// A heartbeat keeps a node in touch whatever it has applied.
    case touchUnbound
    /// Touch is counted from the answer to the heartbeat.
    case touchFromAnswer
    /// A gap moves the place and nothing else.
    case gapIgnored
    /// Another server process with the same entries counts as the same log.
    case serverIgnored
    /// A response gets the era at the end of its download.
    case eraAtEnd
    /// A purge does not affect downloads in progress.
    case flightsNotTainted
    /// The place is stored before the purge has removed the rows.
    case placeBeforeRows
    /// Rows that were stored before a purge are spared when it is applied again.
    case rowsSpared
    /// A node out of touch serves what it has.
    case outOfTouchIgnored
    /// A validation counts from its end.
    case confirmedAtEnd
    /// Lists of nodes that are older than the purge count.
    case oldLists
}
