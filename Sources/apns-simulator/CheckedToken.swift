/// The provider token of a request, and what is wrong with it.
struct CheckedToken: Equatable {
    /// Nil when there is none or it can't be taken apart.
    let token: PresentedToken?
    /// Nil when it holds.
    let fault: RefusalReason?

    /// Reads an `authorization` field and has its token checked.
    init(_ authorization: String?, check: (PresentedToken) -> RefusalReason?) {
        token = authorization.flatMap(PresentedToken.init)
        if let token {
            fault = check(token)
        } else {
            fault = authorization == nil ? .missingProviderToken : .invalidProviderToken
        }
    }
}
