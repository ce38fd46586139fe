import { expect, it } from 'vitest'
import { checkDomain } from '#vendors/ai/check-domain.ts'
import type { Certificate } from '#vendors/net/certificate.ts'
import type { RecordType } from '#vendors/net/dns.ts'
import { outboundGuard } from '#vendors/net/guard.ts'

const records: Record<string, string[]> = {
  'A a.example': ['93.184.216.34'],
  'MX a.example': ['10 mail.a.example.'],
  'TXT a.example': ['v=spf1 -all', 'v=spf10', 'google-site-verification=1'],
  'TXT _dmarc.a.example': ['v=DMARC1; p=none', 'something else'],
}
const dns = { listRecords: async (name: string, type: RecordType) => records[`${type} ${name}`] ?? null }
const guard = outboundGuard({ resolve: async () => ['93.184.216.34'] })
const ports = { dns, guard, readCertificate: null }

it('TOL-06 tells what has no record from what no server has answered', async () => {
  expect(await checkDomain({ ...ports, dns: { listRecords: async () => [] } }, 'a.example')).toMatchObject({
    summary: 'A: none, MX: none, SPF: none, DMARC: none, certificate: not read',
  })
  expect((await checkDomain(ports, 'a.example')).result).toEqual({
    a: ['93.184.216.34'],
    aaaa: null,
    mx: ['10 mail.a.example.'],
    spf: ['v=spf1 -all'],
    dmarc: ['v=DMARC1; p=none'],
    certificate: { error: 'Certificates cannot be read on this platform' },
  })
  await expect(checkDomain(ports, 'b.example')).rejects.toMatchObject({ message: 'No DNS server answered' })
})

const certificate: Certificate = {
  issuer: "Let's Encrypt",
  names: ['a.example'],
  valid_from: '2026-08-01T00:00:00.000Z',
  valid_to: '2026-10-30T00:00:00.000Z',
  problems: ['expired', 'wrong_name'],
}

it('TOL-09 reads the certificate from the address that was looked up', async () => {
  const asked: string[][] = []
  const readCertificate = async (...call: string[]) => {
    asked.push(call)
    return certificate
  }
  const { summary, result } = await checkDomain({ ...ports, readCertificate }, 'a.example')
  expect(summary).toContain('certificate: until 2026-10-30, expired, wrong name')
  expect(result).toMatchObject({ certificate })
  expect(asked).toEqual([['a.example', '93.184.216.34']])
})

it.each([
  ['that the guard refuses', ['10.0.0.7'], '93.184.216.34', 'must not lead to a loopback'],
  ['that changed after the guard looked', ['93.184.216.34'], '169.254.169.254', 'no public address'],
])('TOL-09 connects to no address %s', async (_, guardSees, address, error) => {
  const readCertificate = () => Promise.reject(new Error('must not be called'))
  const listRecords = async (_name: string, type: RecordType) => (type === 'A' ? [address] : [])
  const refusing = outboundGuard({ resolve: async () => guardSees })
  const { result } = await checkDomain(
    { dns: { listRecords }, guard: refusing, readCertificate },
    'a.example',
  )
  expect(result).toMatchObject({ certificate: { error: expect.stringContaining(error) } })
})

it('TOL-09 says that no handshake was made', async () => {
  const { result } = await checkDomain(
    { ...ports, readCertificate: () => Promise.reject(new Error('ECONNREFUSED')) },
    'a.example',
  )
  expect(result).toMatchObject({ certificate: { error: 'No TLS handshake on port 443 within 5 s' } })
})
