import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { clip } from '#rules/text/clip.ts'
import type { Certificate, CertificateProblem, ReadCertificate } from '#vendors/net/certificate.ts'
import { withTimeout } from '#vendors/net/send-result.ts'

const timeoutMs = 5000
const maxNames = 20
const maxNameCharacters = 253

/**
 * Create a reader of certificates. It makes the handshake within 5 s, and neither sends nor reads anything
 * else. `probe`, as `host:port`, replaces port 443 of each address.
 */
export function createCertificateReader(
  probe: string | undefined,
  now: () => number = Date.now,
): NonNullable<ReadCertificate> {
  return async (domain, address) => {
    const { hostname: host, port } = probe ? new URL(`tls://${probe}`) : { hostname: address, port: 443 }
    // An expired or foreign certificate is what the technician looks for, so it must not end the handshake.
    const socket = connect({ host, port: Number(port), servername: domain, rejectUnauthorized: false })
    try {
      await withTimeout(timeoutMs, waitForHandshake(socket))
      return describeCertificate(domain, socket, now())
    } finally {
      socket.destroy()
    }
  }
}

function waitForHandshake(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once('secureConnect', resolve)
      .once('close', () => reject(new Error('The server ended the handshake')))
    // A socket may fail again after it was destroyed.
    socket.on('error', reject)
  })
}

function describeCertificate(domain: string, socket: TLSSocket, now: number): Certificate {
  const certificate: PeerCertificate = socket.getPeerCertificate()
  const [from, to] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)]
  const { O, CN } = certificate.issuer
  const issuer = [O ?? CN].flat()[0]
  const problems: Record<CertificateProblem, boolean> = {
    expired: now > to,
    not_yet_valid: now < from,
    wrong_name: checkServerIdentity(domain, certificate) !== undefined,
    untrusted: !socket.authorized && !judgedHere.includes(toCode(socket.authorizationError)),
  }
  return {
    issuer: issuer ? clip(issuer, maxNameCharacters) : null,
    names: listNames(certificate),
    valid_from: new Date(from).toISOString(),
    valid_to: new Date(to).toISOString(),
    problems: (Object.keys(problems) as CertificateProblem[]).filter((problem) => problems[problem]),
  }
}

const judgedHere = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID']

/** The type says Error, but it is the code: https://nodejs.org/api/tls.html#tlssocketauthorizationerror */
const toCode = (error: unknown) => String(error ?? '')

function listNames({ subjectaltname = '' }: PeerCertificate): string[] {
  const names = subjectaltname
    .split(', ')
    .flatMap((name) => (name.startsWith('DNS:') ? [clip(name.slice(4), maxNameCharacters)] : []))
  return names.slice(0, maxNames)
}
