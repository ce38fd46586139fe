import { type AddressInfo, createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateReader } from '#platform/node/certificates.ts'
import { startTlsServer, type TlsServer } from '#test/support/tls-server.ts'

const day = 86_400_000
let web: TlsServer
beforeAll(async () => {
  web = await startTlsServer('shop.example')
})
afterAll(() => web.close())

const read = (domain: string, days = 0) =>
  createCertificateReader(web.address, () => Date.now() + days * day)(domain, '192.0.2.1')

it('TOL-09 reads issuer, names and validity, and neither sends nor reads anything else', async () => {
  const certificate = await read('shop.example')
  expect(certificate).toMatchObject({
    issuer: 'shop.example',
    names: ['shop.example'],
    valid_to: web.validTo,
  })
  expect(Date.parse(certificate.valid_to) - Date.parse(certificate.valid_from)).toBe(2 * day)
  expect([web.names.at(-1), web.received]).toEqual(['shop.example', []])
})

it.each([
  ['untrusted', 'shop.example', 0, ['untrusted']],
  ['expired', 'shop.example', 3, ['expired', 'untrusted']],
  ['not yet valid', 'shop.example', -1, ['not_yet_valid', 'untrusted']],
  ['of another name', 'mail.example', 0, ['wrong_name', 'untrusted']],
])('TOL-09 finds a certificate that is %s', async (_, domain, days, problems) => {
  expect((await read(domain, days)).problems).toEqual(problems)
})

it('TOL-09 finds nothing wrong with a certificate of a trusted issuer', async () => {
  const issuers = getCACertificates()
  setDefaultCACertificates([...issuers, web.certificate])
  const certificates = [await read('shop.example'), await read('shop.example', 3), await read('mail.example')]
  setDefaultCACertificates(issuers)
  expect(certificates.map(({ problems }) => problems)).toEqual([[], ['expired'], ['wrong_name']])
})

it('TOL-09 fails where no TLS is, and where nobody listens', async () => {
  const plain = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('220 mail.example ESMTP'),
  )
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo
  await expect(createCertificateReader(`127.0.0.1:${port}`)('shop.example', '192.0.2.1')).rejects.toThrow()
  await new Promise((resolve) => plain.close(resolve))
  await expect(createCertificateReader(`127.0.0.1:${port}`)('shop.example', '192.0.2.1')).rejects.toThrow()
})
