import ipaddr from 'ipaddr.js'
import type { Resolver } from './dns.ts'

/** Where the service may be sent by its users' settings. */
export interface OutboundGuard {
  /**
   * Why `url` may not be called, or null. `saving` asks whether it may be stored: only a bad answer about its name refuses. `sending` asks
   * whether it may be called now: no answer refuses too.
   */
  refusal(url: string, moment: 'saving' | 'sending'): Promise<string | null>
}

const innerNames = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)\.?$/i

/** `allowedOrigin` is the one origin that may be plain http and loopback: the stand-ins of a laptop. */
export function outboundGuard(resolver: Resolver, allowedOrigin?: string): OutboundGuard {
  const allowed = new Set(allowedOrigin ? [allowedOrigin, allowedOrigin.replace('//127.0.0.1', '//localhost')] : [])
  return {
    async refusal(text, moment) {
      const url = URL.canParse(text) ? new URL(text) : null
      if (!url) return 'Must be an absolute https address'
      if (url.username || url.password) return 'May not hold credentials'
      if (allowed.has(url.origin)) return null
      if (url.protocol !== 'https:') return 'Must be an absolute https address'
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (ipaddr.isValid(host)) return isPublic(host) ? null : leadsInside
      if (innerNames.test(host) || !host.includes('.')) return leadsInside
      const addresses = await resolver.resolve(host)
      if (addresses === null || addresses.length === 0) return moment === 'saving' ? null : 'The name could not be resolved'
      return addresses.every((address) => isPublic(address)) ? null : leadsInside
    },
  }
}

const leadsInside = 'May not lead to a loopback, private, link-local, multicast or metadata address'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
// Azure's host answers its guests at an address that looks public.
const hostOfAzure = '168.63.129.16'

// Only plain unicast is public: every other range of IPv4 and IPv6, tunnels and translations included, can lead inside.
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === hostOfAzure) return false
  // Outside 2000::/3 nothing is given out; the forgotten ::/96 still holds IPv4 addresses.
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}
