export type CertificateProblem = 'expired' | 'not_yet_valid' | 'wrong_name' | 'untrusted'

/** The certificate that a server shows for a domain. Its texts are the server's, and bounded. */
export interface Certificate {
  issuer: string | null
  /** The names that it is valid for, at most 20. */
  names: string[]
  /** RFC 3339. */
  valid_from: string
  valid_to: string
  problems: CertificateProblem[]
}

/**
 * Read the certificate of a domain from the server at an address, which the caller has checked. Reject when
 * there is no TLS. Null on a platform whose sockets do not show certificates.
 */
export type ReadCertificate = ((domain: string, address: string) => Promise<Certificate>) | null
