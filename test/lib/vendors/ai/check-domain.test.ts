import { expect, it } from 'vitest'
import { checkDomain } from '#vendors/ai/check-domain.ts'
import type { RecordType } from '#vendors/net/dns.ts'

const records: Record<string, string[]> = {
  'A a.example': ['192.0.2.1'],
  'MX a.example': ['10 mail.a.example.'],
  'TXT a.example': ['v=spf1 -all', 'v=spf10', 'google-site-verification=1'],
  'TXT _dmarc.a.example': ['v=DMARC1; p=none', 'something else'],
}
const dns = { listRecords: async (name: string, type: RecordType) => records[`${type} ${name}`] ?? null }

it('TOL-06 tells what has no record from what no server has answered', async () => {
  expect(await checkDomain({ listRecords: async () => [] }, 'a.example')).toMatchObject({
    summary: 'A: none, MX: none, SPF: none, DMARC: none',
  })
  expect((await checkDomain(dns, 'a.example')).result).toEqual({
    a: ['192.0.2.1'],
    aaaa: null,
    mx: ['10 mail.a.example.'],
    spf: ['v=spf1 -all'],
    dmarc: ['v=DMARC1; p=none'],
  })
  await expect(checkDomain(dns, 'b.example')).rejects.toMatchObject({ message: 'No DNS server answered' })
})
