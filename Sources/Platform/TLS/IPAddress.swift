internal import COpenSSL

/// Whether a host is named by its IPv4 or IPv6 address.
func isIPAddress(_ name: String) -> Bool {
    guard let address = a2i_IPADDRESS(name) else {
        ERR_clear_error()
        return false
    }
    ASN1_OCTET_STRING_free(address)
    return true
}
