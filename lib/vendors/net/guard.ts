import ipaddr from 'ipaddr.js'
import type { DnsResolver } from './dns.ts'

/** Decides which addresses from users' settings the service may call. */
export interface OutboundGuard {
  /**
   * Return why `url` is refused, as the end of the sentence "The address …", or null. `saving`: a name that
   * does not resolve now is accepted. `sending`: it is refused.
   */
  findRefusal(url: string, moment: 'saving' | 'sending'): Promise<string | null>
}

const internalNamePattern = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)\.?$/i

export interface GuardOptions {
  /** The one origin that may be plain http and loopback: the local emulators. */
  allowedOrigin?: string | undefined
  /** Ports of https addresses; 443 if undefined. */
  ports?: readonly number[]
  /** Addresses of this service and its frontend, whose hosts are refused. */
  ownAddresses?: readonly string[]
}

export function outboundGuard(
  resolver: DnsResolver,
  { allowedOrigin, ports = [443], ownAddresses = [] }: GuardOptions = {},
): OutboundGuard {
  const ownHosts = new Set(ownAddresses.map((address) => readHost(new URL(address))))
  const allowedOrigins = new Set(
    allowedOrigin ? [allowedOrigin, allowedOrigin.replace('//127.0.0.1', '//localhost')] : [],
  )
  return {
    async findRefusal(text, moment) {
      const url = URL.canParse(text) ? new URL(text) : null
      if (!url) return 'must be an absolute https address'
      if (url.username || url.password) return 'must not contain credentials'
      if (allowedOrigins.has(url.origin)) return null
      if (url.protocol !== 'https:') return 'must be an absolute https address'
      if (!ports.includes(Number(url.port || 443))) return `must use port ${ports.join(' or ')}`
      const host = readHost(url)
      if (ownHosts.has(host)) return 'must not lead to this service'
      if (ipaddr.isValid(host)) return isPublicAddress(host) ? null : internalAddressRefusal
      if (internalNamePattern.test(host) || !host.includes('.')) return internalAddressRefusal
      const addresses = await resolver.resolve(host)
      if (addresses === null || addresses.length === 0)
        return moment === 'saving' ? null : 'has a name that cannot be resolved'
      return addresses.every((address) => isPublicAddress(address)) ? null : internalAddressRefusal
    },
  }
}

/** Return the host without the brackets of IPv6 and without the dot that may end a name. */
function readHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
}

const internalAddressRefusal =
  'must not lead to a loopback, private, link-local, multicast or metadata address'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
// Azure's platform endpoint (WireServer). Every Azure VM can reach it, although the address looks public.
const azureHostAddress = '168.63.129.16'

/**
 * Only plain unicast is public. Every other range of IPv4 and IPv6 can lead to an internal address, tunnels
 * and translations included.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === azureHostAddress) return false
  // No public address is assigned outside 2000::/3, and the deprecated ::/96 embeds IPv4 addresses.
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}
