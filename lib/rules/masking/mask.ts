import { canSpend, spend } from '#rules/budget.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import type { MaskingLevel } from './levels.ts'
import { countShownSteps, hasHidingMarkup, maskMarkdown } from './mask-markdown.ts'
import { maskSecrets } from './mask-secrets.ts'
import { countMaskingSteps, detectTraits, trait } from './mask-traits.ts'
import { maskAsRead } from './reading.ts'

const ipMask = '[masked IP]'
const emailMask = '[masked email]'
const pathMask = '[masked path]'

/**
 * Mask IP addresses, e-mail addresses, UNC paths, tokens, keys and passwords of a plain text, in every spelling
 * that reads like one. Other text stays unchanged. The time is linear in the length of the text. Masking a text
 * twice gives the same result as masking it once. The caller spends `countMaskingSteps`.
 */
export const maskPlainText = (text: string): string => maskAsRead(text, maskReading)

function maskReading(text: string): string {
  let masked = text
  const traits = detectTraits(masked)
  if (traits & (trait.backslash | trait.slash)) masked = maskPaths(masked)
  masked = maskSecrets(masked, traits)
  if (traits & (trait.at | trait.obfuscation | trait.nonAscii)) masked = maskEmails(masked, traits)
  if (traits & (trait.colon | trait.innerDot)) masked = maskIpv6(masked, traits)
  return traits & (trait.digit | trait.nonAscii) ? maskIpv4(masked, traits) : masked
}

const rulesByLevel: Record<MaskingLevel, (text: string) => string> = {
  secrets: (text) => maskAsRead(text, maskSecrets),
  all: maskPlainText,
}

interface MaskOptions {
  level?: MaskingLevel
  /** Whether readers see only what the markdown shows, or `any` of that and the text as it is written. */
  form?: 'markdown' | 'any'
}

/** Mask a text as its readers see it. Throw 422 when it takes more work than is left. */
export function mask(text: string, options: MaskOptions = {}): string {
  const hasMarkup = hasHidingMarkup(text)
  spend(hasMarkup ? countShownSteps(text) : countMaskingSteps(text))
  return applyRules(text, hasMarkup, options)
}

/**
 * Mask a stored text. One that takes more work than is left is left out; `reserve` says how many steps must
 * be left afterwards.
 */
export function maskStored(
  text: string,
  { reserve = 0, ...options }: MaskOptions & { reserve?: number } = {},
): string {
  const hasMarkup = hasHidingMarkup(text)
  const steps = hasMarkup ? countShownSteps(text) : countMaskingSteps(text)
  if (!canSpend(steps + reserve)) return shortenedMark
  spend(steps)
  return applyRules(text, hasMarkup, options)
}

function applyRules(text: string, hasMarkup: boolean, { level = 'all', form = 'any' }: MaskOptions): string {
  const maskText = rulesByLevel[level]
  if (!hasMarkup) return maskText(text)
  const shown = maskMarkdown(text, maskText)
  return form === 'markdown' ? shown : maskText(shown)
}

const pathWord = '[^\\s\\\\/:*?"<>|,;\']+'
/** A name in a path can contain spaces only if a backslash or a known file extension follows. */
const pathPart = `${pathWord}(?: ${pathWord}){0,6}(?=\\\\)|${pathWord}(?: ${pathWord}){0,5}\\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|log|msi|exe|ps1|bat|cmd|zip|lnk|rdp|vhdx?|bak|pst|ost|ini|xml|json|png|jpe?g)(?!\\w)|${pathWord}`
const serverName = '[\\p{L}\\p{N}][\\p{L}\\p{N}._@%-]{0,254}'
const pathStart = '(?<![\\p{L}\\p{N}:.\\\\])'
const networkPath = new RegExp(
  [
    // "\\server\share with spaces"
    `(?<=")\\\\\\\\(?!\\.\\\\)[^"\\n\\\\]{2,255}\\\\[^"\\n]{1,1024}(?=")`,
    // \\?\UNC\server\share
    `${pathStart}\\\\\\\\[?.]\\\\UNC(?:\\\\(?:${pathPart}))+\\\\?`,
    // \\[fe80::1]\share
    `${pathStart}\\\\\\\\\\[[^\\]\\s]{2,60}\\](?:\\\\(?:${pathPart}))*\\\\?`,
    // \\server\share
    `${pathStart}\\\\\\\\${serverName}(?:\\\\(?:${pathPart}))+\\\\?`,
    // \\server
    `${pathStart}\\\\\\\\${serverName}(?<=[^\\\\]{3})(?![\\\\\\p{L}\\p{N}+*?{(])\\\\?`,
    // \\\\server\\share, with escaped backslashes
    `${pathStart}\\\\{4}(?:\\?\\\\\\\\UNC\\\\\\\\)?${serverName}(?:\\\\\\\\${pathWord})*\\\\{0,2}`,
    // smb://server/share
    `(?<![\\p{L}\\p{N}])(?:smb|cifs|file|afp):(?:\\/\\/|\\\\\\\\)(?!\\/)[^\\s"'<>|]{2,1024}`,
    // //server/share
    `(?<=^|[\\s"'(=])\\/\\/${serverName}\\/[^\\s"'<>|]{1,1024}`,
  ].join('|'),
  'giu',
)

/** Punctuation at the end of a match belongs to the sentence. */
function maskPaths(text: string): string {
  if (!text.includes('\\') && !text.includes('//')) return text
  return text.replace(
    networkPath,
    (path) => `${pathMask}${/(?<![.,;:!?)\]])[.,;:!?)\]]*$/.exec(path)?.[0] ?? ''}`,
  )
}

const localPartChars = "\\p{L}\\p{N}\\p{M}.!#$%&'*+/=?^_`{|}~-"
/** `@` or a written-out form of it, such as ` [at] `. */
const atSign = '(?:[@＠﹫]|%40|&#(?:64|x40);|&commat;| ?[\\[({] ?(?:at|@) ?[\\])}] ?)'
const domainDot = '(?:[.。．]| ?[\\[({] ?(?:dot|\\.) ?[\\])}] ?)'
const domainLabel = '[\\p{L}\\p{N}\\p{M}](?:[\\p{L}\\p{N}\\p{M}-]{0,62})'
const domain = `(?:(?:${domainLabel}${domainDot}){1,10}(?:xn--[a-z0-9-]{2,59}|[\\p{L}\\p{M}]{2,63})(?![\\p{L}\\p{N}])|localhost(?!\\w)|\\[[^\\]\\s]{2,60}\\])`
const emailAddress = new RegExp(
  `(?:"[^"\\n]{1,64}"|(?<![${localPartChars}])[${localPartChars}]+?)${atSign}${domain}`,
  'giu',
)
const writtenOutAtSign = /[＠﹫]|%40|&#(?:64|x40);|&commat;|[[({] ?at/i
/**
 * Markup or a field name that `emailAddress` wrongly matches as the start of an address. It is not masked.
 */
const emailPrefix =
  /^(?:['*_({`|]+|(?:e-?mail|mail|mailto|user|username|login|upn|to|from|cc|bcc|address)=)+/i

function maskEmails(text: string, traits: number): string {
  if (!(traits & trait.at) && !writtenOutAtSign.test(text)) return text
  return text.replace(emailAddress, (address) => `${emailPrefix.exec(address)?.[0] ?? ''}${emailMask}`)
}

/**
 * Text with a colon that may be an IPv6 address, optionally with an IPv4 ending, a zone and a prefix length.
 */
const ipv6Candidate =
  /(?<![\w:])[\w:]*:[\w:]*(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?:%[\w.-]{1,30})?(?:\/\d{1,3}(?!\d))?/g
/** The name for a reverse lookup of an IPv6 address. */
const ipv6ReverseName = /(?<![\w.])(?:[0-9a-f]\.){4,32}ip6\.arpa/gi
/** An IPv6 address as Windows writes it in UNC paths. */
const ipv6UncName = /(?<![\w-])(?:[0-9a-f]{0,4}-){2,8}[0-9a-f]{0,4}(?:s\w{1,20})?\.ipv6-literal\.net/gi

function maskIpv6(text: string, traits: number): string {
  const hasName = traits & trait.innerDot && /ipv6-literal|ip6\.arpa/i.test(text)
  const masked = hasName ? text.replace(ipv6ReverseName, ipMask).replace(ipv6UncName, ipMask) : text
  return traits & trait.colon && /:\w*:/.test(masked)
    ? masked.replace(ipv6Candidate, maskIpv6Candidate)
    : masked
}

/**
 * Mask the address in a candidate. The candidate can start with a label (`Gateway:fe80::1`) and end with
 * colons of the sentence.
 */
function maskIpv6Candidate(candidate: string): string {
  const label = /^(?=\w*[g-zG-Z_])\w+:(?!:[^:])|^:(?=[0-9a-fA-F]{1,4}:)/.exec(candidate)?.[0] ?? ''
  const finalColons = /[^:](:+)$/.exec(candidate)?.[1] ?? ''
  // Two colons at the end belong to the address.
  const sentenceColons = finalColons.length === 2 ? '' : finalColons.slice(finalColons.length > 2 ? 2 : 0)
  const address = candidate.slice(label.length, candidate.length - sentenceColons.length)
  return isIpv6(address) ? `${label}${ipMask}${sentenceColons}` : candidate
}

const portNumber = /^\d{1,5}$/
const ipv6Group = /^[0-9a-f]{1,4}$/i

function isIpv6(text: string): boolean {
  const [address = '', zoneOrPrefixLength] = text.split(/[%/]/, 2)
  const addressInHex = address.replace(/\d{1,3}(?:\.\d{1,3}){3}$/, '0:0')
  const halves = addressInHex.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => ipv6Group.test(group))) return isFullAddressWithPort(groups)
  const isShortened = halves.length === 2
  // A ninth group is a port.
  if (!isShortened) return groups.length === 8 || groups.length === 9
  if (groups.length > 8) return false
  if (groups.length === 0) return zoneOrPrefixLength !== undefined
  // Other texts have :: too, such as `std::cout`.
  return /\d/.test(address) || groups.some(({ length }) => length === 4)
}

function isFullAddressWithPort(groups: string[]): boolean {
  return (
    groups.length === 9 && groups.every((group, index) => (index < 8 ? ipv6Group : portNumber).test(group))
  )
}

/** A dot or a written-out form of it, such as `[.]`. */
const ipv4Dot = '(?:\\\\?[.．。]|[\\[({](?:\\.|dot)[\\])}]| [\\[({](?:\\.|dot)[\\])}] )'
/** A number in decimal or hexadecimal, or the wildcard x or *. */
const octet = '(?:0x[0-9a-f]{1,2}(?![0-9a-f])|\\p{Nd}{1,10}|[x*](?![\\w.]))'
/** Numbers with dots between them, optionally with a prefix length or the end of a range. */
const ipv4Candidate = new RegExp(
  `(?<!\\p{Nd}|\\p{Nd}[.．。])(?:0x[0-9a-f]{1,2}|\\p{Nd}{1,10})(?:${ipv4Dot}${octet})+(?:\\/\\d{1,2}(?!\\d)|-\\d{1,3}(?![\\d.]))?`,
  'giu',
)
/** Every IPv4 address contains this, and it is faster to find than an address. */
const partOfIpv4 = /[\p{Nd}a-f](?:\\?[.．。][\p{Nd}x*]| ?[[({](?:\.|dot))/iu
/** Text before a version number or the number of a section. */
const versionPrefix =
  /(?:(?<![a-z])v(?:er)?\.?|(?:version|release|build|firmware|driver|bios|section|chapter|clause|kapitel|abschnitt|§)s?[ :=#]{0,2}(?:v|is|to)? ?|(?:chrome|chromium|edge?|edga?|opr|firefox|safari|version|webkit|yabrowser|vivaldi|agent|client|server|openvpn|openssl)\/|(?<![a-z])(?:model|modell|sentinelone|crowdstrike|falcon|teamviewer|anydesk|splashtop|screenconnect|zoom|acrobat|reader|office|java|sophos|eset|defender|forticlient|fortios|anyconnect|globalprotect|citrix|vmware|veeam|esxi|aruba|[a-z]{0,7}os|android|hotfix|patch) )$/i
/** The name of a PowerShell module or a package before its version: `Az.Accounts 2.12.1.0`. */
const packagePrefix =
  /(?:==|(?<!\w)(?:Script|Manifest|Binary|Cim) {1,12}|(?<![\w.])(?:PS[A-Z]\w{2,30}|[A-Z]\w{1,30}(?:\.[A-Z]\w{1,30}){1,5})[ @]{1,12})$/
/** An address in a URL as one number. */
const ipv4NumberInUrl = /(?<=:\/\/)(?:0x[0-9a-f]{8}|\d{8,10})(?=[/:?#\s"'<>]|$)/gi
/** A host name of AWS, such as `ip-10-0-8-21`. */
const ipv4HostName = /(?<![a-z0-9])ip(?:-\d{1,3}){4}(?!\d)/gi

function maskIpv4(text: string, traits: number): string {
  const hasUnusualForm = traits & (trait.slash | trait.dash) && /:\/\/\d|ip-\d/i.test(text)
  const masked = hasUnusualForm ? text.replace(ipv4NumberInUrl, ipMask).replace(ipv4HostName, ipMask) : text
  if (!(traits & (trait.innerDot | trait.obfuscation | trait.nonAscii)) || !partOfIpv4.test(masked))
    return masked
  return masked.replace(ipv4Candidate, (candidate, start: number) =>
    isIpv4(candidate, masked, start) ? ipMask : candidate,
  )
}

const ipv4Separator = new RegExp(ipv4Dot, 'giu')
const versionSuffix =
  /^ (?:(?:is|was) )?(?:loaded|installed|out of date|outdated|deprecated|or later|or newer|or higher|and later|and newer)\b/i
const maxVersionPrefixLength = 24
const maxPackagePrefixLength = 80

/** Return whether the candidate, which is at `start` in the text, is an address and not a version number. */
function isIpv4(candidate: string, text: string, start: number): boolean {
  const isVersion = () =>
    versionPrefix.test(text.slice(Math.max(0, start - maxVersionPrefixLength), start)) ||
    packagePrefix.test(text.slice(Math.max(0, start - maxPackagePrefixLength), start)) ||
    versionSuffix.test(text.slice(start + candidate.length, start + candidate.length + 20))
  const plainOctets = parsePlainIpv4(candidate)
  if (plainOctets)
    return plainOctets.every((value) => value <= 255) && (isPrivate(plainOctets) || !isVersion())
  const [address = ''] = candidate.split('/')
  const parts = address.replace(/-\d{1,3}$/, '').split(ipv4Separator)
  const octets = parts.slice(0, 4).map(parseOctet)
  if (octets.some((value) => value > 255)) return false
  const isPrivateAddress = isPrivate(octets)
  // A shortened private network, such as 192.168.1 or 10.0.8/24.
  if (parts.length === 3) return isPrivateAddress && (octets[0] === 192 || candidate.includes('/'))
  // A fifth number is a port, or a part of a version.
  if (parts.length === 5) return isPrivateAddress || parseOctet(parts[4] ?? '') > 255
  return parts.length === 4 && (isPrivateAddress || !isVersion())
}

/**
 * Return the four numbers of an address in the usual form, such as `10.0.8.21`, or null for any other form.
 * Fast for the common case.
 */
function parsePlainIpv4(text: string): number[] | null {
  const values = [0]
  let digitCount = 0
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit >= 0 && digit <= 9) {
      digitCount++
      if (digitCount > 3) return null
      values[values.length - 1] = (values[values.length - 1] as number) * 10 + digit
    } else if (text[index] === '.' && digitCount > 0) {
      values.push(0)
      digitCount = 0
    } else return null
  }
  return values.length === 4 && digitCount > 0 ? values : null
}

/**
 * Parse a number with digits of any script. A wildcard is 0, and a number that is too long for an octet is
 * more than 255.
 */
function parseOctet(part: string): number {
  if (/^\d{1,4}$/.test(part)) return Number(part)
  if (/^[x*]$/i.test(part)) return 0
  const asciiPart = part.replace(/[^\dx]/gi, (digit) => digit.normalize('NFKC'))
  if (/^0x/i.test(asciiPart)) return Number.parseInt(asciiPart, 16)
  if (/^\d{1,4}$/.test(asciiPart)) return Number(asciiPart)
  const isTooLong = /^\d+$/.test(asciiPart)
  return isTooLong ? 1000 : 0
}

/** Private, link-local and loopback addresses. */
function isPrivate([first = 0, second = 0]: number[]): boolean {
  if (first === 10 || first === 127) return true
  if (first === 192) return second === 168
  if (first === 172) return second >= 16 && second <= 31
  return first === 169 && second === 254
}
