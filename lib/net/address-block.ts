import ipaddr from 'ipaddr.js'

/**
 * Return what an address's calls are counted by: an IPv4 address itself, and of an IPv6 address its /64 network, because one customer of a
 * provider has at least that many addresses: https://www.ripe.net/publications/docs/ripe-690/. Text that is no address is returned as it is.
 */
export function toAddressBlock(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`)
  return `${network.toString()}/64`
}
