import { Problem } from '#problem.ts'
import type { DnsRecords } from '#vendors/net/dns.ts'
import type { Finding } from './lookups.ts'

const maxValues = 20

/** Look up the addresses, mail servers, SPF and DMARC of a domain. Throw when no server answers. */
export async function checkDomain(dns: DnsRecords, domain: string): Promise<Finding> {
  const [a, aaaa, mx, texts, policies] = await Promise.all([
    dns.listRecords(domain, 'A'),
    dns.listRecords(domain, 'AAAA'),
    dns.listRecords(domain, 'MX'),
    dns.listRecords(domain, 'TXT'),
    dns.listRecords(`_dmarc.${domain}`, 'TXT'),
  ])
  if ([a, aaaa, mx, texts, policies].every((values) => values === null)) throw new Problem('unavailable', 'No DNS server answered')
  // https://www.rfc-editor.org/rfc/rfc7208#section-4.5 and https://www.rfc-editor.org/rfc/rfc7489#section-6.6.3
  const spf = keep(texts, /^v=spf1(?: |$)/i)
  const dmarc = keep(policies, /^v=DMARC1(?:;|\s|$)/i)
  const found = [describe(a, 'A'), describe(mx, 'MX'), describe(spf, 'SPF'), describe(dmarc, 'DMARC')].join(', ')
  return { source: `DNS of ${domain}`, summary: found, result: { a: keep(a), aaaa: keep(aaaa), mx: keep(mx), spf, dmarc } }
}

/** Return the values that match. Null stays: no server has answered. */
function keep(values: string[] | null, sign = /./): string[] | null {
  return values ? values.filter((value) => sign.test(value)).slice(0, maxValues) : null
}

const describe = (values: string[] | null, name: string) => `${name}: ${values ? values.length || 'none' : 'no answer'}`
