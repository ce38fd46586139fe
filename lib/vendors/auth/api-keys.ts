import { crc32 } from '#rules/text/bytes.ts'

/** What an API key says about itself. Only the database can tell whether it is valid. */
export interface ApiKeyIds {
  accountId: string
  keyId: string
}

// As GitHub's tokens: a prefix that names the service, base62, and a checksum with which a scanner recognises
// a key without asking anybody.
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
const keyPrefix = 'sfk_'
/** The token with which the provider of an organisation provisions members. Its second id is that of the connection. */
export const provisioningPrefix = 'sfs_'
type Prefix = typeof keyPrefix | typeof provisioningPrefix
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 22
const secretLength = 43
const checksumLength = 6
const format = new RegExp(
  `^(sf[ks]_)([0-9A-Za-z]{${idLength}})([0-9A-Za-z]{${idLength}})[0-9A-Za-z]{${secretLength}}([0-9A-Za-z]{${checksumLength}})$`,
)

/**
 * Create a key with 256 random bits. It contains the ids of its account and of itself, so that one round trip
 * can check it.
 */
export function createApiKey({ accountId, keyId }: ApiKeyIds, prefix: Prefix = keyPrefix): string {
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  const body =
    toBase62(fromHex(accountId), idLength) +
    toBase62(fromHex(keyId), idLength) +
    toBase62(fromHex(secret), secretLength)
  return prefix + body + createChecksum(prefix + body)
}

/** Return whether a text is meant as an API key, valid or not. */
export function isApiKey(text: string): boolean {
  return text.startsWith(keyPrefix)
}

/** Return the ids in a key, or null for a text that is no key or has another checksum. */
export function parseApiKey(text: string, prefix: Prefix = keyPrefix): ApiKeyIds | null {
  const [, found, account = '', key = '', checksum] = format.exec(text) ?? []
  if (
    found !== prefix ||
    checksum === undefined ||
    createChecksum(text.slice(0, -checksumLength)) !== checksum
  )
    return null
  const [accountId, keyId] = [toUuid(account), toUuid(key)]
  return accountId && keyId ? { accountId, keyId } : null
}

function createChecksum(text: string): string {
  return toBase62(BigInt(crc32(new TextEncoder().encode(text))), checksumLength)
}

/** Read a hexadecimal number, which may be a UUID. */
function fromHex(digits: string): bigint {
  return BigInt(`0x${digits.replaceAll('-', '')}`)
}

function toUuid(digits: string): string | null {
  const hex = fromBase62(digits).toString(16).padStart(32, '0')
  return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : null
}

function toBase62(number: bigint, length: number): string {
  let [rest, digits] = [number, '']
  for (; digits.length < length; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits
  return digits
}

function fromBase62(digits: string): bigint {
  return [...digits].reduce((number, digit) => number * 62n + BigInt(alphabet.indexOf(digit)), 0n)
}
