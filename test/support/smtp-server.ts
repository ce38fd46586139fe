import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as tls from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { writeCertificate } from './certificate.ts'

/** A mail server. Its handlers may be changed while it runs. */
export interface TestSmtpServer {
  url: string
  port: number
  /** The messages it accepted, as they came over the wire. */
  messages: { to: string[]; raw: string }[]
  connections: () => number
  signIns: () => number
  close(): Promise<void>
}

export const smtpPassword = 'p@ss:w/ord'

let own: { cert: string; key: string } | undefined

/** Create a certificate that this process then trusts. */
function createCertificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'flow-smtp-'))
  const files = writeCertificate(folder)
  own = { cert: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') }
  rmSync(folder, { recursive: true })
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), own.cert])
  return own
}

/**
 * Start a mail server, with a certificate that this process then trusts. It takes the user `desk` with
 * `smtpPassword`.
 */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const messages: TestSmtpServer['messages'] = []
  let [connectionCount, signInCount] = [0, 0]
  const server = new SMTPServer({
    ...(own ?? createCertificate()),
    authOptional: true,
    closeTimeout: 0,
    onAuth({ username, password }, _session, done) {
      signInCount++
      if (username === 'desk' && password === smtpPassword) done(null, { user: username })
      else done(Object.assign(new Error('Wrong password'), { responseCode: 535 }))
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((raw) => {
        messages.push({ to: envelope.rcptTo.map(({ address }) => address), raw })
        done()
      })
    },
    ...options,
    onConnect(session, done) {
      connectionCount++
      if (options.onConnect) options.onConnect.call(server, session, done)
      else done()
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const user = `desk:${encodeURIComponent(smtpPassword)}@`
  return {
    url: `${options.secure ? 'smtps' : 'smtp'}://${options.hideSTARTTLS ? '' : user}localhost:${port}${options.hideSTARTTLS ? '?tls=off' : ''}`,
    port,
    messages,
    connections: () => connectionCount,
    signIns: () => signInCount,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
