import { maskSecrets } from './mask-secrets.ts'
import { has, traitsOf } from './mask-traits.ts'

const address = '[masked IP]'
const email = '[masked email]'
const path = '[masked path]'

// Characters that show nothing and would cut an address in two.
const unseen = /(?<=[\w.:@\\/-])[\u00ad\u200b-\u200f\u2060\ufeff]+(?=[\w.:@\\/-])/g

/**
 * The text with IP addresses, e-mail addresses, UNC paths, tokens, keys and passwords replaced by marks in brackets; all else is left as it
 * is. Linear in the text's length, and a second time changes nothing.
 */
export function mask(text: string): string {
  const found = traitsOf(text)
  let masked = found & has.wide && /[\u00ad\u200b-\u200f\u2060\ufeff]/.test(text) ? text.replace(unseen, '') : text
  // Without them runs are longer.
  const traits = masked === text ? found : traitsOf(masked)
  if (traits & (has.backslash | has.slash)) masked = maskPaths(masked)
  masked = maskSecrets(masked, traits)
  if (traits & (has.at | has.spelled | has.wide)) masked = maskEmails(masked, traits)
  if (traits & (has.colon | has.inner)) masked = maskIpv6(masked, traits)
  return traits & (has.digit | has.wide) ? maskIpv4(masked, traits) : masked
}

// A name of a share or folder goes on behind a space only where another separator or an ending says so.
const word = '[^\\s\\\\/:*?"<>|,;\']+'
const part = `${word}(?: ${word}){0,6}(?=\\\\)|${word}(?: ${word}){0,5}\\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|log|msi|exe|ps1|bat|cmd|zip|lnk|rdp|vhdx?|bak|pst|ost|ini|xml|json|png|jpe?g)(?!\\w)|${word}`
const server = '[\\p{L}\\p{N}][\\p{L}\\p{N}._@%-]{0,254}'
const start = '(?<![\\p{L}\\p{N}:.\\\\])'
const unc = new RegExp(
  [
    `(?<=")\\\\\\\\(?!\\.\\\\)[^"\\n\\\\]{2,255}\\\\[^"\\n]{1,1024}(?=")`,
    `${start}\\\\\\\\[?.]\\\\UNC(?:\\\\(?:${part}))+\\\\?`,
    `${start}\\\\\\\\\\[[^\\]\\s]{2,60}\\](?:\\\\(?:${part}))*\\\\?`,
    `${start}\\\\\\\\${server}(?:\\\\(?:${part}))+\\\\?`,
    `${start}\\\\\\\\${server}(?<=[^\\\\]{3})(?![\\\\\\p{L}\\p{N}+*?{(])\\\\?`,
    `${start}\\\\{4}(?:\\?\\\\\\\\UNC\\\\\\\\)?${server}(?:\\\\\\\\${word})*\\\\{0,2}`,
    `(?<![\\p{L}\\p{N}])(?:smb|cifs|file|afp):(?:\\/\\/|\\\\\\\\)(?!\\/)[^\\s"'<>|]{2,1024}`,
    `(?<=^|[\\s"'(=])\\/\\/${server}\\/[^\\s"'<>|]{1,1024}`,
  ].join('|'),
  'giu',
)

function maskPaths(text: string): string {
  if (!text.includes('\\') && !text.includes('//')) return text
  return text.replace(unc, (whole) => `${path}${/[.,;:!?)\]]*$/.exec(whole)?.[0] ?? ''}`)
}

const local = "\\p{L}\\p{N}\\p{M}.!#$%&'*+/=?^_`{|}~-"
const at = '(?:[@＠﹫]|%40|&#(?:64|x40);|&commat;| ?[\\[({] ?(?:at|@) ?[\\])}] ?)'
const dot = '(?:[.。．]| ?[\\[({] ?(?:dot|\\.) ?[\\])}] ?)'
const label = '[\\p{L}\\p{N}\\p{M}](?:[\\p{L}\\p{N}\\p{M}-]{0,62})'
const domain = `(?:(?:${label}${dot}){1,10}(?:xn--[a-z0-9-]{2,59}|[\\p{L}\\p{M}]{2,63})(?![\\p{L}\\p{N}])|localhost(?!\\w)|\\[[^\\]\\s]{2,60}\\])`
const mailbox = new RegExp(`(?:"[^"\\n]{1,64}"|(?<![${local}])[${local}]+?)${at}${domain}`, 'giu')
const field = /^(?:['*_({`|]+|(?:e-?mail|mail|mailto|user|username|login|upn|to|from|cc|bcc|address)=)+/i

function maskEmails(text: string, traits: number): string {
  if (!(traits & has.at) && !/[＠﹫]|%40|&#(?:64|x40);|&commat;|[[({] ?at/i.test(text)) return text
  return text.replace(mailbox, (whole) => `${field.exec(whole)?.[0] ?? ''}${email}`)
}

const colons = /(?<![\w:])[\w:]*:[\w:]*(?:(?<=:\d{1,3})(?:\.\d{1,3}){3})?(?:%[\w.-]{1,30})?(?:\/\d{1,3}(?!\d))?/g
const nibbles = /(?<![\w.])(?:[0-9a-f]\.){4,32}ip6\.arpa/gi
const literal = /(?<![\w-])(?:[0-9a-f]{0,4}-){2,8}[0-9a-f]{0,4}(?:s\w{1,20})?\.ipv6-literal\.net/gi

function maskIpv6(text: string, traits: number): string {
  const isSpelled = traits & has.inner && /ipv6-literal|ip6\.arpa/i.test(text)
  const spelled = isSpelled ? text.replace(nibbles, address).replace(literal, address) : text
  return traits & has.colon && /:\w*:/.test(spelled) ? spelled.replace(colons, coverColons) : spelled
}

/** An address behind a label (`Gateway:fe80::1`) and before a colon that is not its own. */
function coverColons(whole: string): string {
  const named = /^[A-Za-z0-9_]*[g-zG-Z_]\w*:(?!:[^:])|^:(?=[0-9a-fA-F]{1,4}:)/.exec(whole)?.[0] ?? ''
  const colon = /[^:](:+)$/.exec(whole)?.[1] ?? ''
  const tail = colon.length === 2 ? '' : colon.slice(colon.length > 2 ? 2 : 0)
  const body = whole.slice(named.length, whole.length - tail.length)
  return isIpv6(body) ? `${named}${address}${tail}` : whole
}

function isIpv6(text: string): boolean {
  const [bare = '', more] = text.split(/[%/]/, 2)
  const dotted = bare.replace(/\d{1,3}(?:\.\d{1,3}){3}$/, '0:0')
  const halves = dotted.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return groups.length > 8 && isFull(groups)
  if (halves.length === 1) return groups.length === 8 || groups.length === 9
  if (groups.length > 8) return false
  if (groups.length === 0) return more !== undefined
  return /\d/.test(bare) || groups.some(({ length }) => length === 4)
}

/** A whole address and a port behind it. */
function isFull(groups: string[]): boolean {
  return groups.length === 9 && groups.slice(0, 8).every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && /^\d{1,5}$/.test(groups[8] ?? '')
}

const point = '(?:\\\\?[.．。]|[\\[({](?:\\.|dot)[\\])}]| [\\[({](?:\\.|dot)[\\])}] )'
const octet = '(?:0x[0-9a-f]{1,2}(?![0-9a-f])|\\p{Nd}{1,10}|[x*](?![\\w.]))'
const dotted = new RegExp(
  `(?<!\\p{Nd}|\\p{Nd}[.．。])(?:0x[0-9a-f]{1,2}|\\p{Nd}{1,10})(?:${point}${octet})+(?:\\/\\d{1,2}(?!\\d)|-\\d{1,3}(?![\\d.]))?`,
  'giu',
)
// What no dotted address does without, found faster than the address.
const pointed = /[\p{Nd}a-f](?:\\?[.．。][\p{Nd}x*]| ?[[({](?:\.|dot))/iu
const release =
  /(?:(?<![a-z])v(?:er)?\.?|(?:version|release|build|firmware|driver|bios|section|chapter|clause|kapitel|abschnitt|§)s?[ :=#]{0,2}(?:v|is|to)? ?|(?:chrome|chromium|edge?|edga?|opr|firefox|safari|version|webkit|yabrowser|vivaldi|agent|client|server|openvpn|openssl)\/)$/i
const inUrl = /(?<=:\/\/)(?:0x[0-9a-f]{8}|\d{8,10})(?=[/:?#\s"'<>]|$)/gi
const dashed = /(?<![a-z0-9])ip(?:-\d{1,3}){4}(?!\d)/gi

function maskIpv4(text: string, traits: number): string {
  const isSpelled = traits & (has.slash | has.dash) && /:\/\/\d|ip-\d/i.test(text)
  const spelled = isSpelled ? text.replace(inUrl, address).replace(dashed, address) : text
  if (!(traits & (has.inner | has.spelled | has.wide)) || !pointed.test(spelled)) return spelled
  return spelled.replace(dotted, (whole, at: number) => (isIpv4(whole, spelled, at) ? address : whole))
}

const separator = new RegExp(point, 'giu')

/** Whether what was found there in the text is an address, and no number of a version. */
function isIpv4(whole: string, text: string, at: number): boolean {
  const isRelease = () => release.test(text.slice(Math.max(0, at - 24), at))
  const usual = usualIpv4(whole)
  if (usual) return usual.every((value) => value <= 255) && (isPrivate(usual) || !isRelease())
  const [bare = ''] = whole.split('/')
  const parts = bare.replace(/-\d{1,3}$/, '').split(separator)
  const values = parts.slice(0, 4).map(octetOf)
  if (values.some((value) => value > 255)) return false
  const inside = isPrivate(values)
  if (parts.length === 3) return inside && values[0] === 192 ? true : inside && whole.includes('/')
  if (parts.length === 5) return inside || octetOf(parts[4] ?? '') > 255
  return parts.length === 4 && (inside || !isRelease())
}

/** The four numbers of `10.0.8.21`; null for any other form. */
function usualIpv4(text: string): number[] | null {
  const values = [0]
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >= 0 && digit <= 9) {
      if (++digits > 3) return null
      values[values.length - 1] = (values[values.length - 1] as number) * 10 + digit
    } else if (text[at] === '.' && digits > 0) {
      values.push(0)
      digits = 0
    } else return null
  }
  return values.length === 4 && digits > 0 ? values : null
}

/** Digits of any script; a wildcard counts as 0. */
function octetOf(part: string): number {
  if (/^\d{1,4}$/.test(part)) return Number(part)
  if (/^[x*]$/i.test(part)) return 0
  const ascii = part.replace(/[^\dx]/gi, (digit) => digit.normalize('NFKC'))
  if (/^0x/i.test(ascii)) return Number.parseInt(ascii, 16)
  return /^\d{1,4}$/.test(ascii) ? Number(ascii) : /^\d+$/.test(ascii) ? 1000 : 0
}

function isPrivate([a = 0, b = 0]: number[]): boolean {
  return a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31) || (a === 169 && b === 254) || a === 127
}
