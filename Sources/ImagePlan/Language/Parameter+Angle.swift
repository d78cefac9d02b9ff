extension Parameter {
    /// Reads an angle in degrees, modulo 360: at least 0 and less than 360.
    ///
    /// - Throws: 400, naming the parameter.
    func angle() throws(RequestError) -> FixedDecimal {
        guard let degrees = FixedDecimal(parsing: value) else {
            throw error("must be a number of degrees, at most 999999999")
        }
        return degrees.withinOneTurn
    }
}

extension FixedDecimal {
    /// An angle in degrees modulo 360.
    var withinOneTurn: FixedDecimal {
        let fullTurn = 360_000_000
        let remainder = millionths % fullTurn
        return FixedDecimal(millionths: remainder < 0 ? remainder + fullTurn : remainder)
    }
}
