/// Who asks: the superuser may do what the service's user may not.
struct UserCheck: DoctorCheck {
    func findings(_ probe: any SystemProbe) -> [Finding] {
        guard probe.user == 0 else { return [.ok("user", "number \(probe.user)")] }
        return [
            .note(
                "user",
                "the superuser: what is said of files, folders and limits holds for no other user",
                fix: "ask as the user that serves: setpriv --reuid edgeprint --clear-groups edgeprint doctor"
            )
        ]
    }
}
