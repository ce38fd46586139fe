// Tokens, keys and passwords. Each pattern begins where no character of its own run stands before it, or is bounded, so that a hostile
// text of any length costs a linear scan.

import { has, traitsOf } from './mask-traits.ts'

type Replace = (text: string) => string
const secret = '[masked secret]'

const begin = /-{4,5} ?BEGIN [A-Z0-9 ]{1,64}-{4,5}/g
const end = /-{4,5} ?END [A-Z0-9 ]{1,64}-{4,5}/g
const keyLine = /[ \t>|]{0,20}(?:[A-Za-z0-9+/=]*|[A-Za-z-]{1,30}: \S{1,200})[ \t\r]{0,20}(?:\n|$)/y

/** Whole blocks, and of one whose end is missing every line that can still be of it. */
function maskPem(text: string): string {
  let masked = ''
  let from = 0
  let ends = true
  for (let found = match(begin, text, 0); found; found = match(begin, text, from)) {
    const body = found.index + found[0].length
    const last: RegExpExecArray | null = ends ? match(end, text, body) : null
    ends = last !== null
    masked += text.slice(from, found.index) + secret
    from = last ? last.index + last[0].length : keyLines(text, body)
  }
  return masked + text.slice(from)
}

function match(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}

function keyLines(text: string, from: number): number {
  let at = from
  while (at < text.length && match(keyLine, text, at)) at = keyLine.lastIndex
  return at
}

const known = new RegExp(
  [
    'eyJ[\\w-]{10}',
    '(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12}',
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
const run = /[\w+/=.~-]{16,}/g
const loose = /[A-Za-z0-9+/_=-]{24,}/g
const digest = /^(?:sha(?:1|224|256|384|512)|md5)[-_=]/i

/** What begins like a vendor's key, and what only chance can have written. */
function maskRuns(text: string): string {
  return text.replace(run, (whole, at: number) => {
    const found = known.exec(whole)
    if (!found) return maskLoose(whole, text.slice(Math.max(0, at - 8), at))
    if (/\w$/.test(whole.slice(0, found.index)) && /^(?:re_|sl\.|dapi|pat|key-|[MN]\w|AC|SK|EAA)/.test(found[0])) return whole
    return `${whole.slice(0, found.index)}${secret}${/[.~-]*$/.exec(whole)?.[0] ?? ''}`
  })
}

function maskLoose(whole: string, before: string): string {
  if (digest.test(whole) || /(?:sha\d{1,3}|md5)[:=-]$/i.test(before)) return whole
  return whole.replace(loose, (part) => (isRandom(part) ? secret : part))
}

/** Upper, lower and digits change places as they do in no word, name or hash. */
function isRandom(part: string): boolean {
  let changes = 0
  let last = ''
  const kinds = new Set<string>()
  for (const char of part) {
    const kind = /[A-Z]/.test(char) ? 'A' : /[a-z]/.test(char) ? 'a' : /\d/.test(char) ? '0' : '-'
    kinds.add(kind)
    if (kind !== last && kind !== '-' && last !== '-' && last !== '') changes++
    last = kind
  }
  if (!kinds.has('0') || !kinds.has('a')) return false
  if (kinds.has('A')) return changes >= part.length * 0.38
  return part.length >= 32 && !kinds.has('-') && /[g-z]/.test(part) && changes >= part.length * 0.25
}

const names =
  'password|passwort|passwd|passphrase|kennwort|contrase(?:ñ|n)a|mot de passe|wachtwoord|lösenord|has(?:ł|l)o|senha|пароль|密码|密碼|パスワード|비밀번호|كلمة المرور|סיסמה|' +
  'pwd|passcode|secret|token|credentials?|psk|pre-?shared key|community(?: string)?|' +
  '(?:api|access|account|shared|secret|private|encryption|recovery|license|licence|product|auth|signing|master|session|client|subscription|storage|wpa2?|wi-?fi)[ _-]?(?:access[ _-]?)?key|(?:session|auth)[ _-]?id'
const quoted = `"[^"\\n]{1,256}"|'[^'\\n]{1,256}'|\`[^\`\\n]{1,256}\`|“[^”\\n]{1,256}”`
const bareValue = '[^\\s"\'`,;&<>“”]+'
const assigned = new RegExp(
  `((?:${names})[\\w-]{0,20}["'\`]?[ \\t\\u00a0]{0,4}(=>|:=|[:=：]|(?<= )(?:is|was|ist|lautet|est|es)(?= ))[ \\t\\u00a0]{0,4})(${quoted}|${bareValue})`,
  'giu',
)
const option = new RegExp(`((?<![\\w-])--?(?:${names}|pass)[ =]+)(?!-)(${quoted}|${bareValue})`, 'giu')
const plain =
  /^(?:not?|none|null|nil|true|false|yes|ok(?:ay)?|done|empty|blank|unknown|undefined|invalid|valid|expired?|missing|reset|changed?|rotated?|revoked?|required|optional|wrong|correct|incorrect|(?:un)?set|see|asked?|stored|saved|same|never|again|works|accepted|rejected|denied|sent|updated|must|should|cannot|can|could|will|was|were|is|are|has|have|had|the|an?|this|that|it|by|in|on|at|to|for|of|with|we|i|they|he|she|user|failed|failure|error|n\/a|tbd|still|now|already|only|too|very|locked|disabled|enabled|forgotten|lost|weak|strong|string|number|object|boolean|type|policy|field|please|check|checked|tested|verified|new|old|different|unchanged|needed|pending|public|geändert|zurückgesetzt|abgelaufen|falsch|changé|expiré|oublié|cambiada|caducada|alterada|изменён|изменен|сброшен|забыт)$/iu

function maskAssigned(text: string): string {
  const cover = (whole: string, name: string, sign: string, value: string) => (isProse(value, sign) ? whole : `${name}${secret}`)
  return text
    .replace(assigned, cover)
    .replace(option, (whole, name: string, value: string) => (isProse(value, '=') ? whole : `${name}${secret}`))
}

/** Whether what stands after the name of a secret only speaks of it. */
function isProse(value: string, sign: string): boolean {
  if (/^\[masked|^\{\{|^\$|^%\w+%$|^<|^\*+$|^•+$/.test(value)) return true
  const bare = value.replace(/[.!?):\]}]+$/, '')
  if (bare === '' || plain.test(bare)) return true
  return /^[a-z]/.test(sign) && !/[\d\p{S}!@#%&*]/u.test(bare)
}

const rules: [RegExp, string | ((...found: string[]) => string)][] = [
  // A name and password in an address.
  [/((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'<>]{0,256}:[^\s/@"'<>]{1,256}@/gi, `$1${secret}@`],
  [/((?<!\w)(?:Set-)?Cookie2?:[ \t]{0,4})(?=[^\r\n=]{1,100}=)[^\r\n]+/gi, `$1${secret}`],
  [
    /((?<!\w)(?:Bearer|Basic|Digest|Negotiate|NTLM|ApiKey|SharedKey|AWS4-HMAC-SHA256)[ \t]{1,4})([\w+/.~=:-]{8,})/gi,
    (whole, scheme, value) => (/^[a-z.:-]+$|^[A-Z][a-z]+[.:]?$/.test(value ?? '') ? (whole ?? '') : `${scheme}${secret}`),
  ],
  [
    /((?:[?&]|(?<![A-Za-z0-9]))(?:sig|signature|code|key|pass|pw|pat|sas|jwt|access_token|id_token|x-amz-[a-z-]{4,20})=)(?!\[masked)([^\s&"'<>;,]{8,})/gi,
    `$1${secret}`,
  ],
  [
    /((?<![A-Za-z])(?:key|pass|pw|pin)[ \t]{0,2}[:：=][ \t]{0,2})(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[^\d\s.,])[^\s"'`,;&<>()[\]]{6,}/gi,
    `$1${secret}`,
  ],
  [
    /((?<![\w-])(?:token|secret|password|passphrase|bearer|api[ _-]?key)[ \t]{1,2})(?=[\w+/.=!@#$%^&*-]{0,60}\d)(?=[\w+/.=!@#$%^&*-]{0,60}[A-Za-z])[\w+/.=!@#$%^&*-]{10,}/gi,
    `$1${secret}`,
  ],
  [/((?<![\w-])-u[ \t]{1,4}["']?)[^\s:"']{1,100}:[^\s"']{1,256}/g, `$1${secret}`],
  [/(ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?)(?!\[masked)("[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"']+)/gi, `$1${secret}`],
  // BitLocker's recovery key, a product key of Windows, a bot's token.
  [/(?<![\d-])\d{6}(?:-\d{6}){7}(?![\d-])/g, secret],
  [/(?<![A-Z0-9-])(?=[A-Z0-9-]{0,28}\d)(?=[A-Z0-9-]{0,28}[A-Z])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![A-Z0-9-])/gi, secret],
  [/(?<!\d)\d{8,10}:AA[\w-]{30,}/g, secret],
  [
    /(?<!\w)(Private-(?:MAC|Hash)|Private-Lines|Public-Lines):[ \t]{0,4}[^\r\n]*(?:\r?\n[ \t]{0,4}[A-Za-z0-9+/=]{1,80}(?=\s|$))*/g,
    `$1: ${secret}`,
  ],
]

// What a rule cannot do without: a trait of the first and one of the second, or anything but ASCII, which may stand for a letter; and a word.
type Need = [any: number, and: number, word?: RegExp]
const always = -1
const valued = has.colon | has.equals | has.wide
const needs: Need[] = [
  [has.colon, has.slash, /:\/\//],
  [has.colon, has.cookie],
  [has.odd, has.scheme],
  [has.equals, always],
  [valued, has.keyed],
  [has.digit, has.named, /(?:token|secret|password|passphrase|bearer|key)[ \t]/i],
  [has.dash, always, /-u/],
  [has.dash, always, /SecureString/i],
  [has.dash, has.digit, /\d{6}-\d{6}-/],
  [has.dash, has.digit, /-[A-Z0-9]{5}-/i],
  [has.colon, has.long, /:AA/],
  [has.colon, has.keyFile, /Private-|Public-/],
]

const steps: [Need, Replace][] = [
  [[has.dash, always, /----/], maskPem],
  ...rules.map(([from, to], index): [Need, Replace] => [needs[index] as Need, (text) => text.replace(from, to as string)]),
  [[always, has.named], maskAssigned],
  [[has.long, always], maskRuns],
]

/** Covers tokens, keys, passwords and PEM blocks; whoever knows the text's traits says them. */
export function maskSecrets(text: string, traits = traitsOf(text)): string {
  let masked = text
  for (const [[any, and, word], step] of steps) {
    if (traits & any && traits & (and | has.wide) && (!word || word.test(masked))) masked = step(masked)
  }
  return masked
}
