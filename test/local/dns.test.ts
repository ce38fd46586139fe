import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { startTestServer } from './test-server.ts'

interface DnsResult {
  Status: number
  Answer?: { name: string; type: number; TTL: number; data: string }[]
}

test.each([
  ['10.0.0.1.nip.io', 'A', ['10.0.0.1']],
  ['10-0-0-1.nip.io', 'A', ['10.0.0.1']],
  ['app.10.0.0.1.sslip.io', 'A', ['10.0.0.1']],
  ['app-169-254-169-254.nip.io', 'A', ['169.254.169.254']],
  ['7f000001.nip.io', 'A', ['127.0.0.1']],
  ['--1.sslip.io', 'AAAA', ['::1']],
  ['fd00-ec2--254.sslip.io', 'AAAA', ['fd00:ec2::254']],
  ['localtest.me', 'A', ['127.0.0.1']],
  ['deep.LVH.me.', 'AAAA', ['::1']],
  ['metadata.google.internal', 'A', ['169.254.169.254']],
  ['hooks.public.test', 'A', ['93.184.216.34']],
  ['hooks.public.test', 'AAAA', []],
  ['hooks.private.test', 'A', ['10.0.0.7']],
  ['hooks.mapped.test', 'AAAA', ['::ffff:10.0.0.7']],
  ['hooks.mapped.test', 'A', []],
  ['hooks.mixed.test', 'A', ['93.184.216.34', '10.0.0.7']],
  ['public.test', 'MX', ['10 mail.public.test.']],
  ['_dmarc.public.test', 'TXT', ['"v=DMARC1; p=reject"']],
  ['private.test', 'TXT', []],
])('the local DNS returns for %s the %s records %j', async (name, type, expected) => {
  const { call } = await startTestServer()
  const response = await call('GET', `/dns-query?name=${name}&type=${type}`)
  expect(response.headers.get('content-type')).toBe('application/dns-json')
  const result = (await response.json()) as DnsResult
  expect(result.Status).toBe(0)
  expect((result.Answer ?? []).map(({ data }) => data)).toEqual(expected)
  expect(
    (result.Answer ?? []).every((record) => record.type === { A: 1, AAAA: 28, MX: 15, TXT: 16 }[type]),
  ).toBe(true)
})

test('the local DNS returns NXDOMAIN for a missing name, and 400 for an invalid request', async () => {
  const { call } = await startTestServer()
  expect(await (await call('GET', '/dns-query?name=x.missing.test&type=A')).json()).toMatchObject({
    Status: 3,
  })
  expectStatus(await call('GET', '/dns-query?type=A'), 400)
  expectStatus(await call('GET', '/dns-query?name=example.com&type=NS'), 400)
})
