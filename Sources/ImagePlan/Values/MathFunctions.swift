// The only file of the module that imports the C library: the functions that Swift's standard library lacks.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The transcendental functions of the C library.
package enum MathFunctions {
    /// The sine of an angle in radians.
    package static func sine(_ angle: Double) -> Double { sin(angle) }

    /// The cosine of an angle in radians.
    package static func cosine(_ angle: Double) -> Double { cos(angle) }

    /// The cube root.
    package static func cubeRoot(_ value: Double) -> Double { cbrt(value) }

    /// A power of a positive number.
    package static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
