/// Reports the current user, as root has permissions that the service's user lacks.
struct UserCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard probe.user == 0 else { return [.ok("user", "uid \(probe.user)")] }
        return [
            .note(
                "user",
                "root: the findings about files, folders and limits do not apply to other users",
                fix: "run it as the daemon's user: setpriv --reuid edgeprint --clear-groups edgeprint doctor"
            )
        ]
    }
}
