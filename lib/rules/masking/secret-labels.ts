// The names of secrets in several languages, and the words that people write after a name instead of the
// secret.

import { fold } from '#rules/text/fold.ts'
import { toReading } from './reading.ts'

export const secretMask = '[masked secret]'

/**
 * Make a pattern accept letters without their accents too, and `ae`, `oe` and `ue` for letters with two dots:
 * writers without the keyboard of a language leave them out. Texts are compared in their form for readers.
 */
function acceptPlainLetters(pattern: string): string {
  let isClass = false
  return Array.from(pattern, (letter) => {
    if (letter === '[' || letter === ']') isClass = letter === '['
    const plain = fold(letter)
    if (letter < '\x7f' || plain === letter) return letter
    if (isClass) return letter + plain
    return /[äöü]/.test(letter) ? `(?:${letter}|${plain}e?)` : `(?:${letter}|${plain})`
  }).join('')
}

/** Names that are unmistakable inside a longer name too, as in `DB_PASSWORD` or `Gästepasswort`. */
export const longNames = acceptPlainLetters(
  [
    'password|passwort|passwd|pass[ -]?phrase|passcode|passord|kennwort|contraseña|mot de passe|wachtwoord|lösenord|hasło|senha|palavra[ -]passe',
    'adgangskode|salasana|heslo|jelszó|parolă(?: d.ordine| chiave)?|şifre|парол[ьяею]|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة المرور|סיסמה',
    'pwd|psk|pre[ -]?shared[ -]?(?:key|secret)|psksecret|geheimnis|losung|userpassword|unicodepwd|admpwd|dsrm',
    'mật khẩu|authtok|bindpw|phrase (?:secrète|de passe)|frase (?:de (?:contraseña|paso)|secreta)',
    'přihlašovací údaje|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais|inloggegevens|dane logowania|inloggningsuppgifter|credentials?',
  ].join('|'),
)

/** Names that occur in other words, so no letter of the same case may be before them. */
export const boundedNames = acceptPlainLetters(
  [
    '(?:api|access|account|shared|secret|private|encryption|recovery|license|licence|product|auth|signing|master|session|client|subscription|storage|wpa[23]?|wi-?fi|wlan|network|aes|hmac|app|host|support|security)[ _-]?(?:access[ _-]?)?key',
    '(?:session|auth)[ _-]?id|one[ -]?time[ -]?(?:password|code)|tap|temporary access pass|(?:uninstall|master)[ -]?(?:pass|code)',
    '(?:verification|security|mfa|2fa|sms|login|device|door|gate|alarm|access|backup|recovery|emergency|scratch|bypass|unlock|activation|puk|pin|otp|authenticator|entry)[ _-]?(?:code|pin)s?|(?:safe|vault|lock|door|gate|alarm)(?: \\p{L}{1,12}){1,2} code',
    "(?:tür|tor|alarm|safe|tresor|zutritts)code|mã pin|kód (?:k|ke|od|do) \\p{L}{3,15}|código (?:de la|del) (?:puerta|alarma|caja(?: fuerte)?)|code (?:de la porte|du portail|du coffre|de l['’]alarme)|code (?:for|of|to) the (?:\\p{L}{1,12} )?(?:alarm|door|gate|safe|lock|vault|room|office|building|elevator|lift|cabinet|rack)(?: \\p{L}{1,12})?|mã (?:mở khóa|cửa|xác minh|xác nhận)|key (?:for|of|to) the (?:wireless|wi-?fi|wlan|guest)(?: network)?",
    '(?:safe|vault|lock) comb(?:o|ination)|combination|seed(?: phrase)?|totp seed|bestätigungscode|sicherheitscode|zugangscode|einmalkennwort|code d.accès(?: de la porte)?|code pin|código de (?:verificación|acceso)',
    'codice di (?:verifica|accesso)|toegangscode|验证码|wlan-?schlüssel|netzwerkschlüssel|\\p{L}{0,30}schlüssel|clé (?:wi-?fi|wpa2?|de récupération|réseau|secrète|partagée)|chiave (?:wi-?fi|wpa)|chave (?:wi-?fi|wpa)|(?:wi-?fi )?sleutel|klucz(?: wi-?fi| sieciowy| odzyskiwania| dostępu)?|(?:obnovovací|sdílený|síťový|přístupový) klíč|nyckel(?: till wi-?fi)?',
    'secret(?!ar)|token(?!s|iz)|pass|pw|pin|otp|puk|mdp|p/w|mk|(?<!palabra )clave|creds|losung|skey|(?:snmp[ _-]?)?(?:community(?:[ _-]?string)?)|snmp string|phash|pwhash|keymaterial',
  ].join('|'),
)

/**
 * Names that can be a part of a name in camel case, as in `jwtSecret`. `isNameAt` tells them from the ends of
 * other words.
 */
const camelCaseNames = 'secret|token|pass|pin|otp|community'

const nameEnding = '(?:s|n|en|code|word|[ _-]?value|text|string|phrase)?(?!\\p{L})'
/** Matches the name of a secret. Use it with the flags `iu`, and check its matches with `isNameAt`. */
export const secretName = `(?:(?:${longNames})|(?<![\\p{L}\\p{N}])(?:${boundedNames})${nameEnding}|(?<=\\p{L})(?:${camelCaseNames})${nameEnding})`

/** A value that only repeats the name, as in `this.password = password`. */
const bareName = new RegExp(`^(?:${longNames}|${boundedNames})s?$`, 'iu')
const longName = new RegExp(`^(?:${longNames})`, 'iu')

const maskStart = '[masked '

/**
 * Return whether the name at the position is a name of its own and not the end of another word, such as
 * `compass`, or a part of a mask.
 */
export function isNameAt(text: string, position: number): boolean {
  if (text.startsWith(maskStart, position - maskStart.length)) return false
  const previous = text[position - 1] ?? ''
  if (!/\p{L}/u.test(previous) || longName.test(text.slice(position, position + 30))) return true
  return /^\p{Lu}\p{Ll}/u.test(text.slice(position, position + 2))
}

/**
 * The rest of a name that does not hold the secret itself, as in `PasswordExpires`, `token_type` or
 * `SECRET_NAME`.
 */
const otherPart =
  '(?:expir\\w*|length|len|min\\w*|max\\w*|polic(?:y|ies)|file(?:name)?|path|ur[il]|name|ref|types?|ttl|count|changed?\\w*|last\\w*|required|protect\\w*|format|age|hint|complex\\w*|never\\w*|reset\\w*|manager|field|prompt|life\\w*|algorithm|provider|location|stores?|size|limit|endpoint|sync|auth(?:entication)?|less|rotation|status|set|mgmt|management|enabled|disabled|writeback|spray|list|history|notrequired|server|permission|attempts?|version|agent|encryption|recovery|id|ID)'
// Bounded: what follows a word for a secret has at most 60 characters.
const otherName = new RegExp(`^[ _.-]?${otherPart}(?![\\p{Ll}])|[ _.-]${otherPart}$`, 'iu')

/** Return whether the part of a name after the word for a secret makes it the name of something else. */
export function isOtherName(suffix: string): boolean {
  return otherName.test(suffix)
}

const label = new RegExp(`${secretName}(?<suffix>[^:=]{0,40})$`, 'iu')
const wordBorders = /(?<=\p{Ll})(?=\p{Lu})|[_./-]+/gu

/** Return whether a label, such as a field name, a column head or a title, names a secret. */
export function isSecretLabel(text: string): boolean {
  if (text.length > 120) return false
  const name = toReading(text).replace(/[*`"']+|(?<![:：?\s])[:：?\s]+$/g, '')
  return [name, name.replace(wordBorders, ' ')].some((text) => {
    const match = label.exec(text)
    return match !== null && isNameAt(text, match.index) && !isOtherName(match.groups?.suffix ?? '')
  })
}

/**
 * Words that say something about the secret, as in `password: expired`, and words that continue a sentence.
 */
const descriptions = `
not|no|none|null|nil|true|false|yes|ok|okay|done|empty|blank|unknown|undefined|invalid|valid|expire|expired|expires|missing|reset|change|changed|rotate|rotated|revoked|require|required|optional
wrong|correct|incorrect|unset|set|see|ask|asked|asks|stored|saved|same|never|again|works|working|accepted|rejected|denied|sent|updated|must|should|cannot|can|could|will|was|were|is|are|has|have|had|be|been
the|an|a|this|that|these|it|its|by|in|on|at|to|for|of|off|with|from|and|or|but|if|when|after|before|as|we|i|they|he|she|you|my|your|his|her|our|their|user|users|client|fail|failed|fails|failure|error
n/a|na|tbd|still|now|already|only|too|very|locked|disabled|enabled|forgotten|forgot|lost|weak|strong|string|number|object|boolean|type|policy|field|please|check|checked|tested|verified|new|old|different
unchanged|needed|pending|public|private|default|known|identical|unreachable|bearer|basic|oauth|oauth2|hidden|shared|usual|standard|mismatch|mismatched|protected|removed|deleted|created|generated|provided|redacted|masked|omitted|available|unavailable
securestring|cancellationtoken|integer|promise|int|bool|any|text|await|new|function|self|request|req|config|env|input|args|auto|on|off|always|all|least|out|up|one|two|three|days|posted|printed|written|attached|there|here|below|above
abgelaufen|falsch|geändert|zurückgesetzt|unbekannt|bekannt|siehe|beim|bei|bitte|ist|wurde|war|liegt|fehlt|leer|kein|keine|nicht|neu|alt|vergessen|gesperrt|muss|läuft|richtig|gesetzt|gültig|ungültig|im|der|die|das|am|an|auf|dem|den|wird
changé|expiré|expirée|oublié|oubliée|perdu|perdue|incorrecte|inconnu|inconnue|inconnus|voir|vide|invalide|bloqué|est|été|le|la|les|de|du|dans|chez|à|pas|non|bon|faux|fausse|correcte|modifié|erroné|périmé
cambiada|caducada|incorrecta|correcta|alterada|desconocida|olvidada|vacía|ver|no|sin|en|el|es|está|ha|inválida|expirada|vencida|errata|scaduta|cambiata|dimenticata|sconosciuta|vuota|vedi|è|stata|corretta|valida
verlopen|onjuist|vergeten|gewijzigd|onbekend|bij|zie|leeg|geen|niet|juist|werd|wordt|onveranderd|inválido|pendente|redefinida|bloqueada|esquecida|vazia|foi|não|sem|wygasło|nieprawidłowe|zmienione|brak|zobacz|nieznane|jest|zostało|puste|poprawne
mandatory|per|steht|fragen|erfragen|anders|hängt|oben|unten|trop|selon|transmis|transmise|remise|remis|par|demander|auprès|sera|demasiado|demasiada|según|preguntar|obligatoria|pedir|será
příliš|podle|dle|na|u|v|je|není|byl|byla|bylo|bude|viz|nelze|chybí|zeptejte|vyprší|stejné|zbyt|według|będzie|nie|zapytaj|wygasa|takie|konieczne
never|nunca|jamais|nikdy|nigdy|minimum|min|maximum|max|length|level|letters|characters|digits|mindestens|höchstens|stufe|zeichen|groß-|mínimo|cada|caracteres|caractères|minimálně|znaků|znaków|tối|ký|does
đã|bị|cần|xem|không|sẽ|phải|hỏi|nhập|chưa|hết|sai|đúng|được|đang|quên|vẫn|theo|bí
fel|okänt|saknas|har|utgått|ändrat|glömt|tomt|inget|korrekt|rätt|изменён|изменен|сброшен|забыт|неверный|неверен|истёк|неизвестен|нет|不明|已过期|错误的|错误|正确|만료됨
`
  .trim()
  .split(/[\n|]/)
const descriptionWords = new Set(descriptions.map(fold))
/** Endings of adjectives and participles, for words after `is`. */
const adjectiveEnding =
  /(?:ed|ing|able|ible|ful|less|ive|ous|ent|ant|ly|ical|own|ten|bar|lich|iert|isch|ée?|ado|ada|ato|ata|ido|ida|ito|ita|owany|owane|ane|one)$/i

/** Articles, prepositions and conjunctions. A passphrase has them as well. */
const functionWords = new Set(
  'the an a this that by in on at to for of off with from and or as der die das im am an auf dem den beim bei le la les de du dans chez à el en es na u v w i do one two three'.split(
    ' ',
  ),
)
/** Participles of six and more letters, as in `credentials: cached`. */
const participle =
  /^(?=\p{Ll}{6})(?:\p{Ll}+ed|(?:ab|an|auf|aus|ein|zu|zurück)?ge\p{Ll}{3,}t|\p{Ll}+iert|(?:ver|über|ent)\p{Ll}{3,}t|\p{Ll}+(?:ées?|és?|[ai]d[oa]s?)|\p{Ll}+(?:owan|nian|kazan|łan)[yaeo]|\p{Ll}+(?:ová|lá|dá|leze|ně)n[oyaéýá]?|\p{Ll}+nut[oyaéýá])$/u

/** Return whether a word describes a secret or belongs to a sentence. */
export function isDescriptionWord(word: string): boolean {
  return descriptionWords.has(fold(word))
}

const phraseName = /phrase|frase|satz$|seed|psk|shared[ _-]?key/iu
/** Names of codes and generated keys: a word of letters after them is never the secret. */
const generatedName =
  /^(?:mã |code )?(?:pin|puk|otp|tap|token|creds|credentials?|credenciales|claves|zugangsdaten|anmeldedaten|identifiants|inloggegevens|dane logowania|přihlašovací údaje|(?!.*(?:wi-?fi|wlan|netz)).*schl(?:ü|ue)ssel|(?:obnovovací )?klíč|klucz(?: odzyskiwania)?|recovery key)$/iu
/** Words after the first one, up to the end of the line or of the sentence. */
const followingWords =
  /^(?:[ \t]+[\p{L}\p{M}\p{N}'’-]{1,30}){1,11}(?=[ \t]*(?:$|[\n\r,;!|<"]|\.(?:\s|$)|[–—-] ))/u
/** Groups of the same kind, such as `JBSW Y3DP EHPK` or six digits each. */
const followingGroups = /^(?:(?:[ \t]{1,3}|[ \t]?[–—-][ \t]?)(?:[A-Z0-9]{2,8})(?![\p{L}\p{N}])){1,15}/u

/**
 * Return how many characters after the first word still belong to the secret: the words of a passphrase, or
 * the groups of a key.
 */
export function measureSecretTail(first: string, rest: string, name: string, isAssigned = false): number {
  if (/^[A-Z0-9]{2,8}$/.test(first)) {
    const groups = followingGroups.exec(rest)?.[0] ?? ''
    const hasSameLength = groups
      .split(/[ \t–—-]+/)
      .every((group) => group === '' || group.length === first.length)
    if (groups !== '' && hasSameLength) return groups.length
  }
  if (!/^[\p{L}\p{M}'’-]+$/u.test(first)) return 0
  // `PASSWORD=x npm start` sets a variable of a command.
  const words = isAssigned && !phraseName.test(name) ? '' : (followingWords.exec(rest)?.[0] ?? '')
  return words !== '' && !isProse(words.trim().split(/\s+/), name) ? words.length : 0
}

/**
 * Return whether words belong to a sentence. Those of a passphrase may be articles, and one of them any word.
 */
function isProse(words: readonly string[], name: string): boolean {
  const isPhrase = phraseName.test(name)
  const described = words.filter(
    (word) => isStatus(word) && !(isPhrase && functionWords.has(word.toLowerCase())),
  )
  if (/^(?:min|max|mindest|höchst|mín|tối)/iu.test(words[0] ?? '')) return true
  return isPhrase ? described.length > 1 || described.length * 2 >= words.length : described.length > 0
}

const isStatus = (word: string) => isDescriptionWord(word) || participle.test(word)

/** Return whether the words after `is` are the passphrase that the name promises. */
export function isPhrase(first: string, rest: string, name: string): boolean {
  if (!/phrase|frase|satz$/iu.test(name) || (isStatus(first) && !functionWords.has(first.toLowerCase())))
    return false
  return measureSecretTail(first, rest, name) > 0 && !isDescribed(first, rest, name)
}

/**
 * Return whether a value, of which `first` is the first word, cannot be the code or the generated key that
 * its name promises.
 */
export function isNoCode(first: string, name: string): boolean {
  return /^\p{L}+[.!]?$/u.test(first) && generatedName.test(name)
}

/** Return whether the text after the name of a secret says something about it. */
export function isDescribed(first: string, rest: string, name: string): boolean {
  if (!phraseName.test(name) || /[\d\p{S}]/u.test(first)) return isDescription(first, rest)
  const words = `${first}${/^[^\n,;.:!?()|]{0,120}/u.exec(rest)?.[0] ?? ''}`.trim().split(/\s+/)
  return words.length > 2 ? isProse(words, name) : isDescription(first, rest)
}

/** Text instead of a secret: a placeholder, a variable, a mask, or only punctuation. */
const placeholder =
  /^(?:\[masked|\{\{|\$(?:[{(]|[A-Za-z_](?!\S{0,200}[!#^~*?]\w))|%\w+%$|<|!(?:secret|Ref|vault)\b|[*•xX?_.…–—-]+$|\(|\[[^\]]*\]?$|[^\p{L}\p{N}]*$|[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*(?:\(|\[|\?\.)|(?:[a-zA-Z_]+\.)+[A-Z][A-Z_]*$|process\.env|os\.environ|(?:Get|Read|New|ConvertTo|ConvertFrom|Import|Select|Invoke|Request)-[A-Z]|~?(?:\/[a-z_.-]+){2,}$)/u

/**
 * Return whether a value after a sign such as `:` describes the secret, or stands in for it. `rest` is the
 * text after the value.
 */
export function isDescription(value: string, rest = ''): boolean {
  if (placeholder.test(value)) return true
  const word = value.replace(/^[“"'`(]+/, '').replace(/(?<![.!?):\]}”"'`])[.!?):\]}”"'`]+$/, '')
  if (word === '' || isStatus(word) || bareName.test(word)) return true
  if (!/^\p{L}+$/u.test(word)) return false
  const [, next = '', third = ''] = /^[ \t]+(\p{L}+)(?:[ \t]+(\p{L}+))?/u.exec(rest) ?? []
  return isDescriptionWord(next) || (next !== '' && isDescriptionWord(third))
}

/** Return whether a value after a word such as `is` or `to` belongs to the sentence. */
export function isSentencePart(value: string, rest: string): boolean {
  if (isDescription(value, rest)) return true
  const word = value.replace(/(?<![.!?):\]}])[.!?):\]}]+$/, '')
  if (/[\d\p{S}!@#%&*_]/u.test(word)) return /^\d{1,2}$/.test(word)
  const isLastWord = /^\s*(?:[.,;!?)]|$)|^ (?:and|und|et|y|e|en|i|can|could|please)\b/.test(rest)
  return !isLastWord || word.length < 6 || adjectiveEnding.test(word) || /^\p{Lu}\p{Ll}+$/u.test(word)
}

/**
 * Return whether a text looks like a password: letters with digits or symbols. Dates, times, versions,
 * addresses and paths do not.
 */
export function looksSecret(text: string): boolean {
  const value = text.replace(/^[("'`“*]+/, '').replace(/(?<![.,;:)"'`”*])[.,;:)"'`”*]+$/, '')
  if (value.length < 4 || value.length > 200 || /\s/.test(value) || placeholder.test(value)) return false
  if (
    /^(?:\d+(?:st|nd|rd|th|x|h|min|ms|s|d|gb|mb|kb)|\d[\d.,:/-]*|v?\d+(?:\.\w+)+|0x[0-9a-f]+|kb\d{6,}|(?:ghz|mhz)\d*)$/i.test(
      value,
    )
  )
    return false
  if (/^[\p{L}\p{M}'’-]+$/u.test(value) || /:\/\/|^[/\\~]|^[a-z]:\\|^--?[a-z]|^https?\/|=$/i.test(value))
    return false
  const hasDigit = /\d/.test(value)
  const hasSymbol = /[!@#$%^&*?+~]/.test(value)
  return /\p{L}/u.test(value) && (hasDigit || hasSymbol)
}

/**
 * Mask the value of a label that names a secret. Any other value, and one that only describes the secret,
 * stays.
 */
export function maskLabelledValue(name: string, value: string): string {
  const text = value.trim()
  if (text === '' || !isSecretLabel(name)) return value
  const [first = ''] = text.split(/\s/, 1)
  return isDescribed(first, text.slice(first.length), name) ? value : secretMask
}
