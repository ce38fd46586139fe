import { Problem } from '#problem.ts'
import { isPublicAddress } from '#vendors/net/guard.ts'
import type { Ports } from '#vendors/ports.ts'
import type { Finding } from './lookups.ts'

type DomainPorts = Pick<Ports, 'dns' | 'guard' | 'readCertificate'>

const maxValues = 20

/**
 * Look up the addresses, mail servers, SPF, DMARC and certificate of a domain. Throw when no DNS server
 * answers.
 */
export async function checkDomain(ports: DomainPorts, domain: string): Promise<Finding> {
  const { dns } = ports
  const [a, aaaa, mx, texts, policies] = await Promise.all([
    dns.listRecords(domain, 'A'),
    dns.listRecords(domain, 'AAAA'),
    dns.listRecords(domain, 'MX'),
    dns.listRecords(domain, 'TXT'),
    dns.listRecords(`_dmarc.${domain}`, 'TXT'),
  ])
  if ([a, aaaa, mx, texts, policies].every((values) => values === null))
    throw new Problem('unavailable', 'No DNS server answered')
  // https://www.rfc-editor.org/rfc/rfc7208#section-4.5 and https://www.rfc-editor.org/rfc/rfc7489#section-6.6.3
  const spf = keep(texts, /^v=spf1(?: |$)/i)
  const dmarc = keep(policies, /^v=DMARC1(?:;|\s|$)/i)
  const certificate = await findCertificate(ports, domain, [...(a ?? []), ...(aaaa ?? [])])
  const lines = [
    describe(a, 'A'),
    describe(mx, 'MX'),
    describe(spf, 'SPF'),
    describe(dmarc, 'DMARC'),
    describeCertificate(certificate),
  ]
  return {
    source: `DNS of ${domain}`,
    summary: lines.join(', '),
    result: { a: keep(a), aaaa: keep(aaaa), mx: keep(mx), spf, dmarc, certificate },
  }
}

/**
 * Read the certificate from one of the addresses that were looked up. The name could lead elsewhere when it
 * is resolved again.
 */
async function findCertificate(
  { guard, readCertificate }: DomainPorts,
  domain: string,
  addresses: readonly string[],
) {
  if (!readCertificate) return { error: 'Certificates cannot be read on this platform' }
  const refusal = await guard.findRefusal(`https://${domain}/`, 'sending')
  if (refusal) return { error: `The address ${refusal}` }
  const address = addresses.find(isPublicAddress)
  if (!address) return { error: 'The domain has no public address' }
  return readCertificate(domain, address).catch(() => ({ error: 'No TLS handshake on port 443 within 5 s' }))
}

function describeCertificate(certificate: Awaited<ReturnType<typeof findCertificate>>): string {
  if ('error' in certificate) return 'certificate: not read'
  const problems = certificate.problems.map((problem) => problem.replaceAll('_', ' '))
  return `certificate: ${[`until ${certificate.valid_to.slice(0, 10)}`, ...problems].join(', ')}`
}

/** Return the values that match. Null stays: no server has answered. */
function keep(values: string[] | null, sign = /./): string[] | null {
  return values ? values.filter((value) => sign.test(value)).slice(0, maxValues) : null
}

const describe = (values: string[] | null, name: string) =>
  `${name}: ${values ? values.length || 'none' : 'no answer'}`
