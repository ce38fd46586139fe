// Masks tokens, keys and passwords. Each pattern either starts only where no character of its own run is
// before it, or has a limited length. So the time is linear in the length of the text, also for hostile
// texts.

import { maskCodes } from './mask-codes.ts'
import { maskCommands } from './mask-commands.ts'
import { maskDeviceSecrets } from './mask-devices.ts'
import { maskCredentials, maskLabelled } from './mask-labelled.ts'
import { maskTables } from './mask-tables.ts'
import { detectTraits, trait } from './mask-traits.ts'
import { secretMask } from './secret-labels.ts'

type MaskFunction = (text: string) => string

const pemBegin = /-{4,5} ?BEGIN [A-Z0-9 ]{1,64}-{4,5}/g
const pemEnd = /-{4,5} ?END [A-Z0-9 ]{1,64}-{4,5}/g
/** Base64, or a header such as `Proc-Type: 4,ENCRYPTED`. The line may be quoted. */
const pemLine = /[ \t>|]{0,20}(?:[A-Za-z0-9+/=]*|[A-Za-z-]{1,30}: \S{1,200})[ \t\r]{0,20}(?:\n|$)/y

/** Mask PEM blocks. If a block has no end, mask all lines after its start that can belong to it. */
function maskPemBlocks(text: string): string {
  let masked = ''
  let position = 0
  /** Once no end was found, there is none further down either. */
  let hasMoreEnds = true
  for (let begin = execFrom(pemBegin, text, 0); begin; begin = execFrom(pemBegin, text, position)) {
    const bodyStart = begin.index + begin[0].length
    const end: RegExpExecArray | null = hasMoreEnds ? execFrom(pemEnd, text, bodyStart) : null
    hasMoreEnds = end !== null
    masked += text.slice(position, begin.index) + secretMask
    position = end ? end.index + end[0].length : skipPemLines(text, bodyStart)
  }
  return masked + text.slice(position)
}

function execFrom(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function skipPemLines(text: string, start: number): number {
  let position = start
  while (position < text.length && execFrom(pemLine, text, position)) position = pemLine.lastIndex
  return position
}

/** The documented prefixes of tokens and keys, by vendor. */
const vendorKey = new RegExp(
  [
    'eyJ[\\w-]{10}|sbp_[0-9a-f]{16}|v1\\.0-[0-9a-f]{24}-|phc_\\w{16}|CFPAT-[\\w-]{12}|pscale_(?:tkn|pw|oauth)_[\\w-]{12}|nvapi-[\\w-]{12}|gsk_\\w{16}',
    'rnd_\\w{16}|vercel_\\w{12}|pat-(?:na|eu)1-[0-9a-f-]{12}|xkeysib-[0-9a-f]{16}|dt0c01\\.\\w{12}|cio[A-Za-z0-9]{28}|hvb\\.\\w{12}|ops_eyJ\\w{8}|glffct-[\\w-]{12}|dp1_\\w{16}',
    '(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12}',
    // API keys and tokens of this service.
    'sf[ks]_\\w{16}',
    'gh[pousr]_\\w{16}|github_pat_\\w{16}|gl(?:pat|rt|dt|cbt|ptt|ft|soat|agent|imt)-[\\w-]{16}',
    'xox[abeposr]-[\\w-]{8}|xapp-[\\w-]{8}',
    '(?:sk|rk|pk)_(?:live|test)_\\w{8}|whsec_[\\w+/]{8}|sk-(?:[a-z]{2,10}-)?[\\w-]{16}',
    'AIza[\\w-]{16}|GOCSPX-[\\w-]{8}|ya29\\.[\\w-]{8}|1//0[\\w-]{16}',
    'npm_\\w{16}|pypi-[\\w-]{12}|SG\\.[\\w-]{16}|key-[0-9a-f]{16}|rubygems_[0-9a-f]{16}|dckr_pat_[\\w-]{12}',
    'do[opr]_v1_[0-9a-f]{16}|HRKU-[\\w-]{12}|hv[sbr]\\.[\\w-]{12}|dapi[0-9a-f]{16}|shp(?:at|ca|pa|ss)_[0-9a-f]{16}',
    'EAA[A-Z][\\w-]{16}|lin_api_\\w{12}|(?:secret|ntn)_[A-Za-z0-9]{24}|dp\\.(?:pt|st|ct|sa|scim|audit)\\.\\w{16}|AT(?:ATT3|BB|CTT3)[\\w-]{12}',
    'hf_[A-Za-z0-9]{16}|re_[A-Za-z0-9]{8}_|r8_\\w{16}|sq0[a-z]{3}-[\\w-]{12}|PMAK-[\\w-]{12}|NR(?:AK|II|RA)-[\\w-]{12}|glsa_\\w{12}|glc_\\w{12}',
    'sntry[su]_[\\w+/=-]{12}|figd_[\\w-]{12}|pat[A-Za-z0-9]{14}\\.|sl\\.[\\w-]{24}|tskey-[\\w-]{12}|AGE-SECRET-KEY-\\w{12}|[\\w~.-]{3}[0-9]Q~[\\w~.-]{16}',
    'AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|GnNr)[\\w+/]{8}|(?:SK|AC)[0-9a-f]{32}|[MN][A-Za-z0-9_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{12}',
  ].join('|'),
)
/** Prefixes that are also parts of ordinary words. They count only at the start of a word. */
const ambiguousPrefix = /^(?:re_|sl\.|dapi|pat|key-|[MN]\w|AC|SK|EAA)/
const keyRun = /[\w+/=.~-]{16,}/g
const randomCandidate = /[A-Za-z0-9+/_=-]{24,}/g
const digestPrefix = /^(?:sha(?:1|224|256|384|512)|md5)[-_=]/i

/** Mask runs of key characters that contain the key of a known vendor, and parts of runs that look random. */
function maskKeyRuns(text: string): string {
  return text.replace(keyRun, (run, start: number) => {
    const match = vendorKey.exec(run)
    if (!match) return maskRandomParts(run, text.slice(Math.max(0, start - 8), start))
    const textBeforeKey = run.slice(0, match.index)
    const isInsideWord = /\w$/.test(textBeforeKey)
    if (isInsideWord && ambiguousPrefix.test(match[0])) return run
    const punctuationAfterKey = /(?<![.~-])[.~-]*$/.exec(run)?.[0] ?? ''
    return `${textBeforeKey}${secretMask}${punctuationAfterKey}`
  })
}

/** Checksums are not secret, so they stay. */
function maskRandomParts(run: string, textBefore: string): string {
  if (digestPrefix.test(run) || /(?:sha\d{1,3}|md5)[:=-]$/i.test(textBefore)) return run
  return run.replace(randomCandidate, (part) => (isRandom(part) ? secretMask : part))
}

/** Return whether upper case, lower case and digits alternate more often than in words, names and hashes. */
function isRandom(part: string): boolean {
  let alternations = 0
  let previousClass = ''
  const classes = new Set<string>()
  for (const char of part) {
    const charClass = getCharacterClass(char)
    classes.add(charClass)
    if (charClass !== previousClass && charClass !== '-' && previousClass !== '-' && previousClass !== '')
      alternations++
    previousClass = charClass
  }
  if (!classes.has('0') || !classes.has('a')) return false
  if (classes.has('A')) return alternations >= part.length * 0.38 && !isCamelCase(part)
  // Only lower case and digits: the letters after f tell it from a hexadecimal hash.
  return part.length >= 32 && !classes.has('-') && /[g-z]/.test(part) && alternations >= part.length * 0.25
}

/**
 * Return whether a text is words in camel case with one number. Their runs of lower case are longer than
 * those of a random text.
 */
function isCamelCase(part: string): boolean {
  const lowerRuns = part.match(/[a-z]+/g) ?? []
  const lowerCount = lowerRuns.reduce((sum, { length }) => sum + length, 0)
  return lowerCount >= lowerRuns.length * 2.7 && (part.match(/\d+/g) ?? []).length === 1
}

function getCharacterClass(char: string): 'A' | 'a' | '0' | '-' {
  if (/[A-Z]/.test(char)) return 'A'
  if (/[a-z]/.test(char)) return 'a'
  return /\d/.test(char) ? '0' : '-'
}

/**
 * A rule runs only if the text has a trait of `needsOneOf`, a trait of `andOneOf`, and a match of
 * `needsMatch`. Without one of these, no match of the rule is possible. Non-ASCII characters count for
 * `andOneOf`, because some of them equal ASCII letters if case is ignored.
 */
interface Rule {
  needsOneOf: number
  andOneOf: number
  needsMatch?: RegExp
  mask: MaskFunction
}

/** For a rule that needs only one trait, or none. */
const anyTrait = -1
const noTrait = 1 << 30

/** Create a function that replaces matches. By default the first group, the text before the secret, stays. */
function createReplacer(
  pattern: RegExp,
  replacement: string | ((match: string, before: string, value: string) => string) = `$1${secretMask}`,
): MaskFunction {
  return (text) => text.replace(pattern, replacement as string)
}

const rules: Rule[] = [
  { needsOneOf: trait.dash, andOneOf: anyTrait, needsMatch: /----/, mask: maskPemBlocks },
  // https://user:password@host
  {
    needsOneOf: trait.colon,
    andOneOf: trait.slash,
    needsMatch: /:\/\//,
    mask: createReplacer(
      /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'<>]{0,256}:[^\s/@"'<>]{1,256}@/gi,
      `$1${secretMask}@`,
    ),
  },
  // Cookies.
  {
    needsOneOf: trait.colon,
    andOneOf: trait.cookie,
    mask: createReplacer(/((?<!\w)(?:Set-)?Cookie2?:[ \t]{0,4})(?=[^\r\n=]{1,100}=)[^\r\n]+/gi),
  },
  // The value after an authentication scheme. A value that is an ordinary word stays.
  {
    needsOneOf: trait.oddRun,
    andOneOf: trait.authScheme,
    mask: createReplacer(
      /((?<!\w)(?:Bearer|Basic|Digest|Negotiate|NTLM|ApiKey|SharedKey|AWS4-HMAC-SHA256)[ \t]{1,4})([\w+/.~=:-]{8,})/gi,
      (match, scheme, value) =>
        /^[a-z.:-]+$|^[A-Z][a-z]+[.:]?$/.test(value) ? match : `${scheme}${secretMask}`,
    ),
  },
  // Query parameters of signed addresses.
  {
    needsOneOf: trait.equals,
    andOneOf: anyTrait,
    mask: createReplacer(
      /((?:[?&]|(?<![A-Za-z0-9]))(?:sig|signature|code|key|pass|pw|pat|sas|jwt|access_token|id_token|x-amz-[a-z-]{4,20})=)(?!\[masked)([^\s&"'<>;,]{8,})/gi,
    ),
  },
  // Short names of secrets, with a value of digits and other characters.
  {
    needsOneOf: trait.colon | trait.equals | trait.nonAscii,
    andOneOf: trait.keyWord,
    mask: createReplacer(
      /((?<![A-Za-z])(?:key|pass|pw|pin)[ \t]{0,2}[:：=][ \t]{0,2})(?!(?:ctrl|alt|altgr|shift|win|windows|cmd|command|option|fn|strg|umschalt|maj)\b)(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[^\d\s.,])[^\s"'`,;&<>()[\]]{6,}/gi,
    ),
  },
  // A name of a secret and its value without a sign between them.
  {
    needsOneOf: trait.digit,
    andOneOf: trait.secretName,
    needsMatch: /(?:token|secret|password|passphrase|bearer|key)[ \t]/i,
    mask: createReplacer(
      /((?<![\w-])(?:token|secret|password|passphrase|bearer|api[ _-]?key)[ \t]{1,2})(?=[\w+/.=!@#$%^&*-]{0,60}\d)(?=[\w+/.=!@#$%^&*-]{0,60}[A-Za-z])[\w+/.=!@#$%^&*-]{10,}/gi,
    ),
  },
  // curl -u user:password
  {
    needsOneOf: trait.dash,
    andOneOf: anyTrait,
    needsMatch: /-u/,
    mask: createReplacer(/((?<![\w-])-u[ \t]{1,4}["']?)[^\s:"']{1,100}:[^\s"']{1,256}/g),
  },
  // The PowerShell cmdlet ConvertTo-SecureString.
  {
    needsOneOf: trait.dash,
    andOneOf: anyTrait,
    needsMatch: /SecureString/i,
    mask: createReplacer(
      /(ConvertTo-SecureString[ \t]{1,4}(?:-(?:String|AsPlainText|Force)[ \t]{1,4}){0,3})(?!\[masked|-)("[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"']+)/gi,
    ),
  },
  // A recovery key of BitLocker.
  {
    needsOneOf: trait.digit,
    andOneOf: anyTrait,
    needsMatch: /\d{6}[\s\u2010-\u2015\u2212-]{1,3}\d{6}/,
    mask: createReplacer(/(?<![\d-])\d{6}(?:[\s\u2010-\u2015\u2212-]{1,3}\d{6}){7}(?![\d-])/g, secretMask),
  },
  // The seed of one-time passwords in groups of base32: JBSW Y3DP EHPK 3PXP.
  {
    needsOneOf: trait.digit,
    andOneOf: anyTrait,
    needsMatch: /[A-Z2-7]{4} [A-Z2-7]{4} [A-Z2-7]{4} [A-Z2-7]{4}/,
    mask: createReplacer(
      /(?<![A-Z0-9])(?=[A-Z2-7 ]{0,80}(?:[A-Z][2-7]|[2-7][A-Z]))[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}(?![A-Z0-9])/g,
      secretMask,
    ),
  },
  // A product key of Windows.
  {
    needsOneOf: trait.dash,
    andOneOf: trait.digit,
    needsMatch: /-[A-Z0-9]{5}-/i,
    mask: createReplacer(
      /(?<![A-Z0-9-])(?=[A-Z0-9-]{0,28}\d)(?=[A-Z0-9-]{0,28}[A-Z])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![A-Z0-9-])/gi,
      secretMask,
    ),
  },
  // The token of a Telegram bot.
  {
    needsOneOf: trait.colon,
    andOneOf: trait.longRun,
    needsMatch: /:AA/,
    mask: createReplacer(/(?<!\d)\d{8,10}:AA[\w-]{30,}/g, secretMask),
  },
  // A PuTTY key file.
  {
    needsOneOf: trait.colon,
    andOneOf: trait.keyFile,
    needsMatch: /Private-|Public-/,
    mask: createReplacer(
      /(?<!\w)(Private-(?:MAC|Hash)|Private-Lines|Public-Lines):[ \t]{0,4}[^\r\n]*(?:\r?\n[ \t]{0,4}[A-Za-z0-9+/=]{1,80}(?=\s|$))*/g,
      `$1: ${secretMask}`,
    ),
  },
  {
    needsOneOf: trait.longRun | trait.dollar | trait.secretName | trait.nonAscii,
    andOneOf: anyTrait,
    mask: maskCodes,
  },
  { needsOneOf: anyTrait, andOneOf: trait.secretName, mask: maskDeviceSecrets },
  // Options, and commands whose password needs no option.
  {
    needsOneOf: anyTrait,
    andOneOf: anyTrait,
    needsMatch:
      /(?<![\w-])(?:-{1,2}[a-zA-Z]|\/[a-zA-Z])|rasdial|net1?(?:\.exe)? use|sqlplus|sqlldr|ftp>|wpa_pass|dump|exec\b|getTGT|GetNPU|clone|rsh |requirepass|masterauth|AUTH |radtest|\||thin:|login|passw|PASSW|_auth|pass=|key=|KEY=|Credential|auth ?=|obscure|SecureString|BY /i,
    mask: maskCommands,
  },
  { needsOneOf: anyTrait, andOneOf: trait.secretName, mask: maskTables },
  { needsOneOf: anyTrait, andOneOf: trait.secretName, mask: maskLabelled },
  {
    needsOneOf: trait.slash | trait.colon | trait.equals | trait.secretName | trait.nonAscii,
    andOneOf: anyTrait,
    needsMatch:
      /cred|log[ -]?[io]n|logowan|logged|údaje|tài kho|u\/p|\w:[^\s@]{4,60}@|asks|prompted|fragt|demande|pide|anmelden|sign in|user|admin|root|router|switch|firewall|idrac|ilo|zugang|daten|identif|inlog|ssid|wi-?fi|wlan|sa ?[/:]|guest|support|operator|(?<!\p{L})un?[:=]/iu,
    mask: maskCredentials,
  },
  { needsOneOf: trait.longRun, andOneOf: anyTrait, mask: maskKeyRuns },
]

/** Mask tokens, keys, passwords and PEM blocks. Pass the traits of the text if they are known. */
export function maskSecrets(text: string, traits = detectTraits(text)): string {
  let masked = text
  for (const { needsOneOf, andOneOf, needsMatch, mask } of rules) {
    const hasTraits = (traits | noTrait) & needsOneOf && (traits | noTrait) & (andOneOf | trait.nonAscii)
    if (hasTraits && (!needsMatch || needsMatch.test(masked))) masked = mask(masked)
  }
  return masked
}
