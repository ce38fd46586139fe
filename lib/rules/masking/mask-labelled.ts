// Masks secrets that follow their name in a text: `password: …`, `the token is …`, `reset the password to …`.
// All quantifiers are limited, so the time is linear in the length of the text.

import {
  isDescribed,
  isDescription,
  isDescriptionWord,
  isNameAt,
  isNoCode,
  isOtherName,
  isPhrase,
  isSentencePart,
  looksSecret,
  measureSecretTail,
  secretMask,
  secretName,
} from './secret-labels.ts'

const quotedValue = `\\\\?"(?:[^"\\n\\\\]|\\\\[^"\\n]){1,256}\\\\?"|'[^'\\n]{1,256}'|\`[^\`\\n]{1,256}\`|[“„][^”“\\n]{1,256}[”“]|\\{[^{}\\n]{1,256}\\}`
const bareCharacter = '[^\\s"\'`,;&<>“”|]'
/** A comma and `&` belong to the value, unless the next name of a list follows: `password=x,user=y`. */
const bareValue = `${bareCharacter}(?:${bareCharacter}|[,&](?=${bareCharacter})(?![\\w.-]{1,40}[=:]))*`
const value = `(?<value>${quotedValue}|${bareValue})`

// Two words need a space between them. Otherwise one long word could be split in thousands of ways, each with
// all glues tried after it.
const aboutWord = '[\\p{L}\\p{N}._-]{1,60}'
/** What the secret is for, as in `password for the server`. */
const about = `(?:[ ](?:for|of|on|at|between|für|fürs|von|vom|zum|zur|des|der|am|im|pour|per|voor|para|dla|till|to|du|de|del|do|da|di|od|ke?|na|của)[ ]${aboutWord}(?:[ ]${aboutWord}){0,3}?[ ]?)`
/** An adjective or a network after the name. */
const adjective = `(?:[ ]?(?:wi-?fi|wlan|vpn|admin|nueva|nuova|nova|nouveau|neu|tempor\\p{L}{1,8}|provisoire|initiale?|actual|inicial|tymczasowe|tijdelijk|nové|nowe|dočasné|mới|itself|selbst))`
const remark = `[ ]?(?:\\((?!\\[masked)[^()\\n]{1,40}\\)|\\[(?!masked)[^\\]\\n]{1,20}\\])`
/**
 * A longer name, what the secret is for, and marks around it: `password_prod`, `Password (temp)`,
 * `**Password**`, `"password"]`.
 */
const afterName = `(?<suffix>[\\w-]{0,20}(?:\\.\\w{1,20})?)(?:${remark}|/pin|/password)?(?:${about}${adjective}?|${adjective}?(?<loose>(?:[ ]\\p{L}{2,20}){1,3}(?=[ ]?:[ ]|[ ](?:is|ist|est|es|je|to|jest|là|lautet)[ ]))?)${remark}?`
const space = '[ \\t\\u00a0]{0,24}'
/** Tags around a value: `password: <b>x</b>`. Other names in angle brackets are placeholders. */
const tags = `(?:<(?:a|b|big|br|code|del|em|font|i|ins|kbd|mark|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)(?:[ ][^<>\\n]{0,120})?/?>${space}){0,4}`
/** Between a name and its value: a sign, or the syntax of a markup or programming language. */
const glues = [
  // password: x, "password": "x", **Password:** x, 'password' => 'x', $x['password'] = 'x', PASSWORD = N'x',
  // Password ..... x
  `\\\\?["'\`*_\\])]{0,3}${space}(?:=>|:=|::|={1,2}|[:：]|->|→|[–—](?=[ ])|(?<=[ ])-(?=[ ])|\\.{3,10}(?=[ ]))[*_]{0,2}${space}(?:&nbsp;|\\*{1,2}|base64:|N(?=')|@["']\\n[ \\t]{0,8}|[>|][+-]?\\n[ ]{0,20}|["'\\\\]?\\n{1,2}[ \\t]{0,20})?`,
  // {"name": "password", "value": "x"}, <add key="password" value="x">, a name and a value of a YAML list
  `\\\\?["'],?\\s{0,20}\\\\?["']?(?:value|val|content|answer|text|data|default)\\\\?["']?${space}[:=]${space}`,
  `["']?[ ]{0,4}\\n[ ]{0,20}value:[ ]{0,4}`,
  // define('DB_PASSWORD', 'x'), PASSWORD('x'), ConvertTo-SecureString
  `["'],[ ]{0,4}(?=["'])`,
  `\\((?=["'])`,
  // <password>x</password>, <td>Password</td><td>x</td>, <key>Password</key><string>x</string>
  `["']?[^<>\\n=]{0,40}(?:[ ][\\w:-]{1,30}=["'][^"'<>\\n]{0,60}["']){0,4}:?(?<=<[^<>\\n]{1,200})(?<!/)>:?\\s{0,20}(?:<(?!/?(?:br|p)\\b)/?[\\w:-]{1,30}>[:\\s]{0,20}){0,4}(?:<!\\[CDATA\\[)?(?=[^\\s<])`,
  `:?(?:</[\\w:-]{1,30}>[:\\s]{0,20}){1,2}(?:<[\\w:-]{1,30}>){0,2}(?=[^\\s<])`,
  // reg add … /v DefaultPassword /t REG_SZ /d x
  `["']?${space}(?:/t[ ])?REG_\\w{2,12}${space}(?:/d[ ]{1,4})?`,
]
// Bounded: mask.ts counts the text by its size.
const valueAfterSign = new RegExp(
  `(?<before>(?<name>${secretName})${afterName}(?:${glues.join('|')})${tags})${value}`,
  'giu',
)

const verb =
  '(?:(?<later>will be(?:come)?|becomes?|became|is going to be|has become|wird|wurde zu|sera|devient|est devenu|será|pasa a ser|bude|będzie|sẽ là|vẫn là)(?:[ ]?:)?|(?:(?:now|still) )?(?:is|was|are|were|should be|has to be|ist|sind|war|bleibt|lautet|lauten|est|sont|était|es|era|è|é|jest|to|är|var|er|on|je|là|brzmi|zní)(?: (?:now|still|jetzt|nun|noch|immer noch|maintenant|désormais|toujours|ahora|todavía|nu|ora|adesso|agora|teraz|wciąż|nadal|pořád|stále|currently))?(?:[ ]?:)?|(?:は|を|是|为|改为|改成|는|은|가|が))'
const valueAfterVerb = new RegExp(
  `(?<before>(?<name>${secretName})${afterName}[ ]?(?<=[ ]|[^\\x00-\\x7f])${verb}(?:[ ]{1,2}|(?<=[^\\x00-\\x7f]))${tags})${value}`,
  'giu',
)
const valueAfterName = new RegExp(
  `(?<before>${secretName}(?<suffix>s?)(?:[ ](?:wi-?fi|wlan|#\\d|provisoire|temporal|tymczasowe|dočasné|(?:do|k|for|für|pour|para|of)[ ]\\p{L}{2,20}))?(?:,?[ \\t\\u00a0]{1,20}(?:of[ ])?|,?[ \\t]{0,4}\\n[ \\t]{0,20}))(?<value>["'“\`(*]{0,2}(?:\\d{2,4}(?:[ -]\\d{2,4}){1,3}(?![\\d.:/])|[^\\s"'\`,;<>“”|]+))`,
  'giu',
)

type Groups = Record<'before' | 'name' | 'value' | 'suffix' | 'loose' | 'later', string | undefined>
type Judge = (value: string, rest: string, groups: Groups, position: number) => boolean

const maxRestLength = 160
/** The first group of a key in base32. */
const keyGroup = /^[A-Z2-7]{4}$/
/** Names after which another word may stand before the sign, as in `Passwort Drucker: …`. */
const strongName =
  /pass(?:w|wor|code)|kennwort|heslo|hasło|mật khẩu|contrase|mot de passe|code|kod|kód|pin$|^(?:pw|pwd|psk|mdp|mk)$/iu

/**
 * Mask the group `value` of all matches that are secrets, and what belongs to it after a named one. The group
 * `before` stays.
 */
function maskMatches(text: string, pattern: RegExp, isSecret: Judge): string {
  let masked = ''
  let copied = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const groups = match.groups as Groups
    const { before = '', value = '', suffix = '', loose } = groups
    const name = groups.name === undefined ? '' : `${groups.name}${suffix}`
    const isNamed =
      isNameAt(text, match.index) &&
      (loose === undefined || (strongName.test(name) && (looksSecret(value) || code.test(value))))
    if (!isNamed || isOtherName(suffix) || isOtherName(loose ?? '')) {
      // Another name can be among the words after this one: `TOTP secret: …`.
      if (loose !== undefined) pattern.lastIndex = match.index + 1
      continue
    }
    const rest = text.slice(pattern.lastIndex, pattern.lastIndex + maxRestLength)
    if (!isSecret(value, rest, { ...groups, name }, match.index)) {
      // The word after a name can be a name itself: `credential password x`. It ends at a space, so the time
      // stays linear.
      if (name === '') pattern.lastIndex = match.index + before.length
      continue
    }
    masked += `${text.slice(copied, match.index)}${before}${secretMask}`
    const hasTail = name !== '' || keyGroup.test(value)
    pattern.lastIndex += hasTail ? measureSecretTail(value, rest, name, before.endsWith('=')) : 0
    copied = pattern.lastIndex
  }
  return masked + text.slice(copied)
}

const codeName =
  // Bounded: it is tried on a name, which has at most 60 characters.
  /(?:code|code (?:for|of|to) the [\p{L} ]{1,40}|comb(?:o|ination)|pin|puk|otp|one[ -]?time[ -]?password|passcode|tap|kennwort|verificaci(?:ó|o)n|verifica|k[óo]d (?:k|ke|od|do) \p{L}{3,15}|puerta|alarma|acc(?:è|e)s|accesso|acceso|验证码|暗証番号|combination|key)s?\W*$/iu
/** A code of digits, in one group or several. */
const code = /^(?:[*#]?\d{4,10}[*#]?|\d{2,4}(?:[ -]\d{2,4}){1,3}|\d{1,4}(?:-\d{1,4}){2})$/

function unquote(text: string): string {
  return /^\\?["'`“„{](.*?)\\?["'`”“}]$/su.exec(text)?.[1] ?? text
}

/** Return the text before a comma or `&`, as in `reset,see the ticket`. */
function readHead(text: string): string {
  return text.split(/[,&]/, 1)[0] ?? ''
}

const isSecretAfterSign: Judge = (quoted, rest, { before = '', name = '' }) => {
  const text = unquote(quoted)
  const isQuoted = text !== quoted
  const [first = ''] = text.split(/\s/, 1)
  if (isQuoted && quoted.startsWith('{') && isDescription(quoted, rest)) return false
  if (/^(?:\{\{|\$\{|\[masked)/.test(text) || /^\d{1,2}$/.test(text) || /^(?:false|true|null),?$/.test(text))
    return false
  if (/(?:\n|<br[^<>]*>)[ \t]*$/i.test(before) && !/[>|][+-]?\n/.test(before))
    return looksSecret(text) && !/^[^\n]{0,40}:(?:\s|$)/.test(text + rest)
  if (isQuoted && first.length < text.length)
    return !/^(?:see|ask|not|no|in|is|to|stored|same|must|the|your|siehe|voir|ver|vedi|zie)$/i.test(first)
  const head = readHead(first)
  return (
    !isDescribed(head, first.slice(head.length) + rest, name) &&
    (isQuoted || /[="'(]\s*$/.test(before) || !isNoCode(first, name))
  )
}
const isSecretAfterVerb: Judge = (quoted, rest, { before = '', name = '', later }) => {
  const text = unquote(quoted)
  // Without a space, only another script separates the value from the sentence.
  if (/\p{Lo}\s?$/u.test(before) && !looksSecret(text)) return false
  if (/^\p{L}+$/u.test(text) && codeName.test(name)) return false
  if (later !== undefined && text === quoted) return looksSecret(text)
  if (isPhrase(text, rest, name) || (/^[A-Z0-9]+$/.test(text) && measureSecretTail(text, rest, name) > 0))
    return true
  const head = readHead(text)
  return text === quoted
    ? !isSentencePart(isDescription(head) ? head : text, rest)
    : !isDescription(text.replace(/\s.*/su, ''), text)
}
const isSecretAfterName: Judge = (text, rest, { before = '' }) =>
  looksSecret(text)
    ? !/^\s?=/.test(rest)
    : (codeName.test(before) && code.test(text.replace(/(?<![.,;:)])[.,;:)]+$/, ''))) ||
      (keyGroup.test(text) && /^(?: [A-Z2-7]{4}){2}/.test(rest))

/** Verbs of sentences such as `changed the password to …`. */
export const changeVerb =
  /(?:re)?set|chang|typ(?:es?|ed|ing) |enter|updat|replac|assign|zurückgesetzt|geändert|gesetzt|änder|réinit|modif|rempla|défini|cambi|restabl|actualiz|alter|redefin|mud[ae]|reimpost|impost|gewijzig|gereset|ingesteld|zmieni|zreset|změni|nastavi|đổi|đặt lại|ustaw|ändra|återställ|satt|изменён|изменен|сброшен|установлен/iu
const changedValue = new RegExp(
  `(?<before>(?<name>${secretName})(?<suffix>\\p{L}{0,4})[^\\n.!?:;]{0,40}?[ ](?:to|auf|zu|à|a|en|par|para|na|thành|naar|su|till|as|from|von|de|da|van|z|från|на|in)(?: be)?:?[ ](?:["'“]|(?=[^\\s]{0,60}[\\d!@#$%^&*?+~])))(?<value>[^\\s"'“”<>]+(?:[ ][^\\s"'“”<>]{1,30}){0,3}?(?=["”])|[^\\s"'“”<>]+)`,
  'giu',
)
/** The second value in `changed the password from … to …`. */
const secondChangedValue =
  /(\[masked secret\][ ](?:to|auf|zu|à|a|para|na|thành|naar|su|till|into|and|und)[ ])(?<value>[^\s"'“”<>]+)/giu

function maskChanges(text: string): string {
  const masked = maskMatches(text, changedValue, (value, rest, { before = '', name = '' }, position) => {
    const hasVerb =
      changeVerb.test(text.slice(Math.max(0, position - 40), position)) ||
      changeVerb.test(before + rest.slice(0, 30))
    const isCode = codeName.test(name) && code.test(value.replace(/[.,;]$/, ''))
    return hasVerb && (looksSecret(value) || / /.test(value) || isCode)
  })
  return masked.replace(secondChangedValue, (match, before: string, value: string) =>
    looksSecret(value) || /^\d{4,10}\W*$/.test(value) ? `${before}${secretMask}` : match,
  )
}

/**
 * A word with letters, digits and a sign that names do not have, in the same sentence as the name: `the
 * password of … is Ink&Paper5`.
 */
const signedValue = new RegExp(
  `(?<before>(?<name>${secretName})(?<suffix>[\\w-]{0,20})[^\\n;]{0,60}?[ ]["'“(]?)(?<value>(?=[^\\s"'“”<>]{0,40}\\d)(?=[^\\s"'“”<>]{0,40}[!#$%&*?][^\\s"'“”<>.,])[^\\s"'“”<>=]{6,40})(?![^\\s.,;:)"'”])`,
  'giu',
)
const signInWord = /[!#$%&*?][^\s"'“”<>.,]/
const isSigned: Judge = (value, _rest, { name = '' }) =>
  strongName.test(name) && looksSecret(value) && !/[&%?]\w{1,20}=|%\w+%/.test(value)

/** `use … as the password`, `… is your verification code`, `… are the credentials`. */
const valueBeforeName = new RegExp(
  `(?<![^\\s("'])(?<value>[^\\s"'“”<>]{4,80})(?<after>["'”]?[ ](?:as|als|comme|como|is|are|est|ist)[ ](?:(?:the|a|an|her|his|my|your|our|das|dein|ihr|votre|the new|[\\p{Lu}]\\p{L}{1,20})[ ]){0,3}(?:\\p{L}{1,15}[ ]){0,2}${secretName})`,
  'giu',
)

function maskPreceding(text: string): string {
  return text.replace(valueBeforeName, (match: string, value: string, after: string) =>
    looksSecret(value) || /^(?:G-)?\d{4,8}$/.test(value) ? `${secretMask}${after}` : match,
  )
}

const furtherValues = new RegExp(
  `(?<before>${secretName}(?<suffix>s?)(?:[ ]are)?[:, ]{1,3}\\s{0,4}(?:\\[masked secret\\])?)(?<value>(?:(?:,|[ ]and|[ ]und|[ ]or|[ ]/)?\\s{1,4}[^\\s,;<>|]{4,60}){1,10})`,
  'giu',
)

/** Mask further values after a plural or a first value: `passwords: …, … and …`. */
function maskLists(text: string): string {
  return text.replace(furtherValues, (match: string, ...args: unknown[]) => {
    const { before = '', value = '' } = args.at(-1) as Groups
    const isList =
      /codes?\W*$|s[:, ]*$|\[masked secret\]$/i.test(before) && isNameAt(text, args.at(-3) as number)
    if (!isList) return match
    const isCode = codeName.test(before.replace('[masked secret]', ''))
    let isOpen = true
    const masked = value.replace(
      /((?:,| and| und| or| \/)?\s{1,4})([^\s,;<>|]{4,60})/g,
      (item: string, separator: string, text: string) => {
        isOpen &&= looksSecret(text) || (isCode && code.test(text))
        if (!isOpen || (separator === ' ' && !isCode)) return item
        return `${separator}${secretMask}`
      },
    )
    return `${before}${masked}`
  })
}

const user = "[\\p{L}\\p{N}._@\\\\'-]{1,64}"
/** `creds are user:password`, `login: user / password`, `admin/password`. */
const credentials = new RegExp(
  `((?<!\\p{L})(?:creds?|credentials?|log[ -]?in|logon|logged in|log in|u/p|user(?:name)?[ ]?/[ ]?pass(?:word)?|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais|inloggegevens|dane logowania|inloggning|přihlašovací údaje|tài khoản|router|switch|firewall|idrac|ilo|\\[masked secret\\][ ])(?:[ ][^\\s:/]{1,20}){0,4}?(?:[ ](?:are|is|with|sind|ist))?(?:[: ]{1,3}|[ ]?(?:->|→|=)[ ]?)(?:as[ ])?)(${user}(?:[ ]?/[ ]?|:[ ]?(?!\\S{1,60}[ ]/[ ])|[ ]and[ ]|[ ]und[ ]|(?<=[ ](?:as|als)[ ]\\S{1,40})[ ](?:with|mit)[ ]))(["'“]?[^\\s"'“”<>]{4,80})`,
  'giu',
)
const pair =
  /((?<![\p{L}\p{N}/\\.:-])(?:admin|administrator|root|sa|user|guest|support|operator)[ ]?[/:][ ]?)([^\s"'“”<>/\\]{6,60})(?<next>[ ]\p{L}{1,20})?/giu
/** `user:password@10.0.0.1`, and names of administrators with any host. */
const pairAtHost =
  /((?<![\p{L}\p{N}/\\.:-])(?:(?:admin|administrator|root|sa):(?=[^\s@]{4,60}@[\w[])|[\w.-]{2,32}:(?=[^\s@]{4,60}@\d{1,3}\.\d)))([^\s"'“”<>/\\@]{4,60})/giu
/** `type … when it asks for the password`, `mit … anmelden`, `use … for admin`. */
const usedValue =
  /((?<!\p{L})(?:type|enter|use|try|with|mit|avec|con|nhập|dùng|zadej(?:te)?|wpisz|tapez|gib)[ ]["'“]?)([^\s"'“”<>]{6,60})(?=["'”]?[ ](?<use>(?:for[ ](?:admin|administrator|root|sa)(?!\p{L}))|[^.\n]{0,40}(?:asks?|prompted|fragt|demande|pide)[ ][^.\n]{0,20}(?:password|passwort|kennwort|mot de passe|contraseña)|[^.\n]{0,20}(?:anmelden|log[ ]?in|sign in)))/giu
const wirelessKey =
  /((?<!\p{L})(?:ssid|wi-?fi|wlan)(?!\p{L})[^\n]{0,60}?[ ,](?:key|code|schlüssel)[ :]{1,3})([^\s"'<>,;]{8,63})/giu
const shortPair =
  /((?<!\p{L})u(?:n|ser(?:name)?)?[:=][ ]?\S{1,64},?[ ]p(?:w|wd|ass)?[:=][ ]?)([^\s"'<>]{4,80})/giu

/** Mask the password of a user that stands beside the user's name. */
export function maskCredentials(text: string): string {
  return text
    .replace(credentials, (match, before: string, name: string, value: string) =>
      looksSecret(value) && !/^\/\//.test(value) ? `${before}${name}${secretMask}` : match,
    )
    .replace(pair, (match, before: string, value: string, next = '') => {
      // `guest: printer2 does not print` is what someone wrote.
      const isSentence =
        /^ \p{L}/u.test(next) &&
        (/^(?:admin|root|sa)/i.test(before) ? / $/.test(before) && isDescriptionWord(next.trim()) : true)
      return looksSecret(value) && !value.includes('.') && !isSentence
        ? `${before}${secretMask}${next}`
        : match
    })
    .replace(pairAtHost, (match, before: string, value: string) =>
      looksSecret(value) ? `${before}${secretMask}` : match,
    )
    .replace(usedValue, (match, before: string, value: string, use: string) => {
      const isLogin = !/password|passwort|kennwort|passe|contrase|^for/i.test(use)
      return looksSecret(value) && /\p{Ll}/u.test(value) && (!isLogin || /[!#$%&*?]/.test(value))
        ? `${before}${secretMask}`
        : match
    })
    .replace(wirelessKey, (match, before: string, value: string) =>
      looksSecret(value) ? `${before}${secretMask}` : match,
    )
    .replace(shortPair, (match, before: string, value: string) =>
      looksSecret(value) ? `${before}${secretMask}` : match,
    )
}

/** The value before its name: `{"value": "x", "name": "password"}`. */
const reversedPair = new RegExp(
  `(["']value["'][ ]?:[ ]?)(${quotedValue})(?=,\\s{0,4}["'](?:name|key|label|title)["'][ ]?:[ ]?["'][\\w .-]{0,40}${secretName}["'])`,
  'giu',
)
/** The values of a list: `"passwords": ["a", "b"]`. */
const jsonList = new RegExp(
  `(["'][\\w .-]{0,40}${secretName}s?["'][ ]?:[ ]?)\\[\\s{0,20}["'][^\\[\\]{}]{2,2000}\\]`,
  'giu',
)
const credentialObject =
  /(["']credentials?["'][ ]?:[ ]?\{[^{}]{0,200}["']value["'][ ]?:[ ]?)("[^"\n]{1,256}")/giu

/** Mask every value that is labelled in the text. */
export function maskLabelled(text: string): string {
  let masked = text
    .replace(reversedPair, `$1${secretMask}`)
    .replace(jsonList, `$1[${secretMask}]`)
    .replace(credentialObject, `$1${secretMask}`)
  masked = maskMatches(masked, valueAfterSign, isSecretAfterSign)
  masked = maskChanges(masked)
  masked = maskMatches(masked, valueAfterVerb, isSecretAfterVerb)
  masked = maskMatches(masked, valueAfterName, isSecretAfterName)
  if (signInWord.test(masked)) masked = maskMatches(masked, signedValue, isSigned)
  return maskLists(maskPreceding(masked))
}
