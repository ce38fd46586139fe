import { BlockList, isIP } from 'node:net'
import { unmapAddress } from '#rules/text/address-block.ts'

/** The part of what the HTTP server passes with each request. */
export interface NodeEnv {
  incoming: { socket: { remoteAddress?: string | undefined } }
}

/**
 * Create a function that returns the client's address. The header is believed only when a trusted proxy sent
 * it: of a list such as X-Forwarded-For, the last address that is not a trusted proxy, because a client can
 * write anything to the left of it.
 */
export function createAddressReader(
  trustedProxies: readonly string[],
  headerName: string,
): (request: Request, env: unknown) => string {
  const trusted = createBlockList(trustedProxies)
  return (request, env) => {
    const peer = toPlainAddress((env as NodeEnv | undefined)?.incoming.socket.remoteAddress ?? '')
    if (!isTrusted(trusted, peer)) return peer || 'unknown'
    let client = peer
    for (const address of (request.headers.get(headerName) ?? '').split(',').toReversed()) {
      const plain = toPlainAddress(address.trim())
      if (isIP(plain) === 0) break
      client = plain
      if (!isTrusted(trusted, plain)) break
    }
    return client
  }
}

function createBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

function isTrusted(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i

/**
 * Return an address without its port, and IPv4 inside IPv6 as plain IPv4. Some gateways add the port of the
 * client.
 */
function toPlainAddress(text: string): string {
  const [, ipv4, ipv6] = withPort.exec(text) ?? []
  return unmapAddress(ipv4 ?? ipv6 ?? text)
}
