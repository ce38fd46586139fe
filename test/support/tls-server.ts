import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, createServer, type SecureContext } from 'node:tls'
import { writeCertificate } from './certificate.ts'

/**
 * A server with a self-signed certificate. `names` are those that clients asked for, `received` the bytes
 * after their handshakes.
 */
export interface TlsServer {
  address: string
  certificate: string
  /** RFC 3339. */
  validTo: string
  names: string[]
  received: string[]
  close(): Promise<void>
}

export async function startTlsServer(name: string): Promise<TlsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-server-'))
  const paths = writeCertificate(folder, name)
  const [cert, key] = [readFileSync(paths.certificate, 'utf8'), readFileSync(paths.key, 'utf8')]
  const names: string[] = []
  const received: string[] = []
  const context = createSecureContext({ cert, key })
  const SNICallback = (servername: string, callback: (error: null, chosen: SecureContext) => void) => {
    names.push(servername)
    callback(null, context)
  }
  const server = createServer({ cert, key, SNICallback }, (socket) => {
    socket.on('data', (chunk) => received.push(chunk.toString())).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const validTo = new X509Certificate(cert).validToDate.toISOString()
  const close = async () => {
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }
  return { address: `127.0.0.1:${port}`, certificate: cert, validTo, names, received, close }
}
