import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '#local/root.ts'
import { writeCertificate } from './certificate.ts'

export type ProxyKind = 'nginx' | 'caddy'

/** A reverse proxy with the configuration of `lib/ops`, its addresses and its certificate replaced. */
export interface ReverseProxy {
  /** `https://localhost` and the port. */
  origin: string
  /** File of the certificate, which signs itself. */
  certificate: string
  stop(): Promise<void>
}

const ops = join(root, 'lib/ops')

/** Return whether the program of a proxy is installed. */
export function isInstalled(kind: ProxyKind): boolean {
  try {
    execFileSync(kind, [kind === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Start a proxy on `port` in front of a service on `servicePort`. */
export async function startReverseProxy(
  kind: ProxyKind,
  port: number,
  servicePort: number,
): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), `flow-${kind}-`))
  const { certificate, key } = writeCertificate(folder)
  const configure = kind === 'nginx' ? configureNginx : configureCaddy
  const args = configure({ folder, port, servicePort, certificate, key })
  const child = spawn(kind, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk))
  const exited = once(child, 'exit')
  await Promise.race([
    waitForPort(port),
    exited.then(() => Promise.reject(new Error(`${kind} ended: ${errors}`))),
  ])
  return {
    origin: `https://localhost:${port}`,
    certificate,
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface ProxyFiles {
  folder: string
  port: number
  servicePort: number
  certificate: string
  key: string
}

function configureNginx({ folder, port, servicePort, certificate, key }: ProxyFiles): string[] {
  const server = readFileSync(join(ops, 'nginx.conf'), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('server 127.0.0.1:8787', `server 127.0.0.1:${servicePort}`)
    .replace('/etc/ssl/api.example.com.pem', certificate)
    .replace('/etc/ssl/api.example.com.key', key)
    .replace('server_name api.example.com', 'server_name localhost')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  // As root, its workers would be another user, who may not enter the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} pid ${folder}/pid; error_log stderr; worker_processes 1; events {} http { ${paths}\n${server} }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;']
}

function configureCaddy({ folder, port, servicePort, certificate, key }: ProxyFiles): string[] {
  const site = readFileSync(join(ops, 'Caddyfile'), 'utf8')
    .replace('{$UPSTREAM:127.0.0.1:8787}', `127.0.0.1:${servicePort}`)
    .replace('{$SITE_ADDRESS:api.example.com} {', `https://localhost:${port} {\n\ttls ${certificate} ${key}`)
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}

async function waitForPort(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    )
    socket.destroy()
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`Nothing listens on port ${port}`)
}

interface ProxiedRequest {
  method?: string
  headers?: Record<string, string>
  body?: Uint8Array
  /** The address of this machine from which the request comes. */
  localAddress?: string
}

/** Send a request through the proxy and return its response before the body has arrived. */
export async function openThrough(
  { origin, certificate }: ReverseProxy,
  path: string,
  { method = 'GET', headers = {}, body, localAddress }: ProxiedRequest = {},
): Promise<IncomingMessage> {
  const options = {
    method,
    headers,
    ca: readFileSync(certificate),
    family: 4,
    ...(localAddress ? { localAddress } : {}),
  }
  const outgoing = request(origin + path, options)
  const answered = Promise.race([
    once(outgoing, 'response').then(([response]) => response as IncomingMessage),
    once(outgoing, 'upgrade').then(([response]) => response as IncomingMessage),
  ])
  // A server that refuses a body may close the connection while it is still written.
  answered.then(() => outgoing.on('error', () => {})).catch(() => {})
  outgoing.setTimeout(30_000, () => outgoing.destroy(new Error('No answer within 30 s')))
  outgoing.end(body)
  return answered
}

/** Send a request through the proxy and return its whole answer. */
export async function fetchThrough(proxy: ReverseProxy, path: string, options?: ProxiedRequest) {
  const response = await openThrough(proxy, path, options)
  return { status: response.statusCode, headers: response.headers, text: await text(response) }
}
