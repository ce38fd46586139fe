import ipaddr from 'ipaddr.js'

/**
 * Return what an address's calls are counted by: an IPv4 address itself, and of an IPv6 address its /64
 * network, because one customer of a provider has at least that many addresses:
 * https://www.ripe.net/publications/docs/ripe-690/. Text that is no address is returned as it is.
 */
export function toAddressBlock(address: string): string {
  return toNetwork(address, 64)
}

/**
 * Return the /48 network of an IPv6 address, which is what a provider assigns to a site, and any other text
 * as `toAddressBlock` does.
 */
export function toSite(address: string): string {
  return toNetwork(address, 48)
}

function toNetwork(address: string, bits: number): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`)
  return `${network.toString()}/${bits}`
}

/**
 * Return an IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) in its own form, and any other text as
 * it is.
 */
export function unmapAddress(address: string): string {
  // Parsing takes 10 µs, and most addresses are plain.
  return address.includes(':') && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}

/**
 * Return an address or a CIDR range as PostgreSQL's `cidr`, or null for any other text. Host bits are
 * removed. Short and octal forms of IPv4, such as `10.1` and `010.0.0.1`, are refused, because programs read
 * them differently.
 */
export function toAddressRange(text: string): string | null {
  const [address = '', bits] = text.split('/')
  const isPlain =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (address.includes(':') && !address.includes('%'))
  const range = bits === undefined ? `${address}/${address.includes(':') ? 128 : 32}` : text
  if (!isPlain || !ipaddr.isValidCIDR(range)) return null
  const [parsed, length] = ipaddr.parseCIDR(range)
  if (parsed instanceof ipaddr.IPv4)
    return `${ipaddr.IPv4.networkAddressFromCIDR(range).toString()}/${length}`
  if (parsed.isIPv4MappedAddress() && length >= 96)
    return toAddressRange(`${parsed.toIPv4Address().toString()}/${length - 96}`)
  return `${ipaddr.IPv6.networkAddressFromCIDR(range).toString()}/${length}`
}
