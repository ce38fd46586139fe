// The names of secrets in several languages, and the words that people write after a name instead of the secret.

export const secretMask = '[masked secret]'

/** Names that are unmistakable inside a longer name too, as in `DB_PASSWORD` or `Gästepasswort`. */
const longNames = [
  'password|passwort|passwd|passphrase|passcode|passord|kennwort|contrase(?:ñ|n)a|mot de passe|wachtwoord|lösenord|has(?:ł|l)o|senha|palavra[ -]passe',
  'adgangskode|salasana|heslo|jelszó|jelszo|parol(?:ă|a)(?: d.ordine| chiave)?|şifre|sifre|парол[ьяею]|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة المرور|סיסמה',
  'pwd|psk|pre[ -]?shared[ -]?(?:key|secret)|psksecret|geheimnis|losung|userpassword|unicodepwd|admpwd|dsrm',
  'zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali|credenciais|inloggegevens|dane logowania|inloggningsuppgifter|credentials?',
].join('|')

/** Names that occur in other words, so no letter of the same case may be before them. */
const boundedNames = [
  '(?:api|access|account|shared|secret|private|encryption|recovery|license|licence|product|auth|signing|master|session|client|subscription|storage|wpa[23]?|wi-?fi|wlan|network|aes|hmac|app|host|support|security)[ _-]?(?:access[ _-]?)?key',
  '(?:session|auth)[ _-]?id|one[ -]?time[ -]?password|tap|temporary access pass|(?:uninstall|master)[ -]?(?:pass|code)',
  '(?:verification|security|mfa|2fa|sms|login|device|door|gate|alarm|access|backup|recovery|emergency|scratch|bypass|unlock|activation|puk|pin|otp|authenticator|entry)[ _-]?(?:code|pin)s?',
  'safe combination|combination|seed(?: phrase)?|totp seed|bestätigungscode|sicherheitscode|zugangscode|einmalkennwort|code d.acc(?:è|e)s|code pin|c(?:ó|o)digo de (?:verificaci(?:ó|o)n|acceso)',
  'codice di (?:verifica|accesso)|toegangscode|验证码|wlan-?schl(?:ü|ue)ssel|netzwerkschl(?:ü|ue)ssel|schl(?:ü|ue)ssel|cl(?:é|e) (?:wi-?fi|wpa2?)|chiave (?:wi-?fi|wpa)|chave (?:wi-?fi|wpa)|(?:wi-?fi )?sleutel|klucz(?: wi-?fi)?|nyckel(?: till wi-?fi)?',
  'secret(?!ar)|token(?!s|iz)|pass|pw|pin|otp|puk|mdp|clave|creds|losung|skey|(?:snmp[ _-]?)?(?:community(?:[ _-]?string)?)|snmp string|phash|pwhash|keymaterial',
].join('|')

/** Names that can be a part of a name in camel case, as in `jwtSecret`. `isNameAt` tells them from the ends of other words. */
const camelCaseNames = 'secret|token|pass|pin|otp|community'

const nameEnding = '(?:s|n|en|code|word|value|text|string|phrase)?(?!\\p{L})'
/** Matches the name of a secret. Use it with the flags `iu`, and check its matches with `isNameAt`. */
export const secretName = `(?:(?:${longNames})|(?<![\\p{L}\\p{N}])(?:${boundedNames})${nameEnding}|(?<=\\p{L})(?:${camelCaseNames})${nameEnding})`

/** A value that only repeats the name, as in `this.password = password`. */
const bareName = new RegExp(`^(?:${longNames}|${boundedNames})s?$`, 'iu')
const longName = new RegExp(`^(?:${longNames})`, 'iu')

/** Return whether the name at the position is a name of its own and not the end of another word, such as `compass`. */
export function isNameAt(text: string, position: number): boolean {
  const previous = text[position - 1] ?? ''
  if (!/\p{L}/u.test(previous) || longName.test(text.slice(position, position + 30))) return true
  return /^\p{Lu}\p{Ll}/u.test(text.slice(position, position + 2))
}

/** The rest of a name that does not hold the secret itself, as in `PasswordExpires`, `token_type` or `SECRET_NAME`. */
const otherPart =
  '(?:expir\\w*|length|len|min\\w*|max\\w*|polic(?:y|ies)|file(?:name)?|path|ur[il]|name|ref|types?|ttl|count|changed?\\w*|last\\w*|required|protect\\w*|format|age|hint|complex\\w*|never\\w*|reset\\w*|manager|field|prompt|life\\w*|algorithm|provider|location|stores?|size|limit|endpoint|sync|auth(?:entication)?|less|rotation|status|set|enabled|disabled|writeback|spray|list|history|notrequired|server|permission|attempts?|version|agent|encryption|recovery|id|ID)'
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
  const name = text.replace(/[*`"']+|[:：?\s]+$/g, '')
  return [name, name.replace(wordBorders, ' ')].some((text) => {
    const match = label.exec(text)
    return match !== null && isNameAt(text, match.index) && !isOtherName(match.groups?.suffix ?? '')
  })
}

/** Words that say something about the secret, as in `password: expired`, and words that continue a sentence. */
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
fel|okänt|saknas|har|utgått|ändrat|glömt|tomt|inget|korrekt|rätt|изменён|изменен|сброшен|забыт|неверный|неверен|истёк|неизвестен|нет|不明|已过期|错误的|错误|正确|만료됨
`
  .trim()
  .split(/[\n|]/)
const descriptionWords = new Set(descriptions)
/** Endings of adjectives and participles, for words after `is`. */
const adjectiveEnding =
  /(?:ed|ing|able|ible|ful|less|ive|ous|ent|ant|ly|ical|own|ten|bar|lich|iert|isch|ée?|ado|ada|ato|ata|ido|ida|ito|ita|owany|owane|ane|one)$/i

/** Return whether a word describes a secret or belongs to a sentence. */
export function isDescriptionWord(word: string): boolean {
  return descriptionWords.has(word.toLowerCase())
}

/** Text instead of a secret: a placeholder, a variable, a mask, or only punctuation. */
const placeholder =
  /^(?:\[masked|\{\{|\$[A-Za-z_{(]|%\w+%$|<|!(?:secret|Ref|vault)\b|[*•xX?_.…–—-]+$|\(|\[[^\]]*\]?$|[^\p{L}\p{N}]*$|[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*(?:\(|\[|\?\.)|(?:[a-zA-Z_]+\.)+[A-Z][A-Z_]*$|process\.env|os\.environ|(?:Get|Read|New|ConvertTo|ConvertFrom|Import|Select|Invoke|Request)-[A-Z]|~?(?:\/[a-z_.-]+){2,}$)/u

/** Return whether a value after a sign such as `:` describes the secret, or stands in for it. `rest` is the text after the value. */
export function isDescription(value: string, rest = ''): boolean {
  if (placeholder.test(value)) return true
  const word = value.replace(/^[“"'`(]+|[.!?):\]}”"'`]+$/g, '')
  if (word === '' || isDescriptionWord(word) || bareName.test(word)) return true
  if (!/^\p{L}+$/u.test(word)) return false
  const [, next = '', third = ''] = /^[ \t]+(\p{L}+)(?:[ \t]+(\p{L}+))?/u.exec(rest) ?? []
  return isDescriptionWord(next) || (next !== '' && isDescriptionWord(third))
}

/** Return whether a value after a word such as `is` or `to` belongs to the sentence. */
export function isSentencePart(value: string, rest: string): boolean {
  if (isDescription(value, rest)) return true
  const word = value.replace(/[.!?):\]}]+$/, '')
  if (/[\d\p{S}!@#%&*_]/u.test(word)) return /^\d{1,2}$/.test(word)
  const isLastWord = /^\s*(?:[.,;!?)]|$)|^ (?:and|und|et|y|e|en|i|can|could|please)\b/.test(rest)
  return !isLastWord || word.length < 6 || adjectiveEnding.test(word) || /^\p{Lu}\p{Ll}+$/u.test(word)
}

/** Return whether a text looks like a password: letters with digits or symbols. Dates, times, versions, addresses and paths do not. */
export function looksSecret(text: string): boolean {
  const value = text.replace(/^[("'`“*]+|[.,;:)"'`”*]+$/g, '')
  if (value.length < 4 || value.length > 200 || /\s/.test(value) || placeholder.test(value)) return false
  if (/^(?:\d+(?:st|nd|rd|th|x|h|min|ms|s|d|gb|mb|kb)|\d[\d.,:/-]*|v?\d+(?:\.\w+)+|0x[0-9a-f]+|kb\d{6,}|(?:ghz|mhz)\d*)$/i.test(value))
    return false
  if (/^[\p{L}\p{M}'’-]+$/u.test(value) || /:\/\/|^[/\\~]|^[a-z]:\\|^--?[a-z]|^https?\/|=$/i.test(value)) return false
  const hasDigit = /\d/.test(value)
  const hasSymbol = /[!@#$%^&*?+~]/.test(value)
  return /\p{L}/u.test(value) && (hasDigit || hasSymbol)
}

/** Mask the value of a label that names a secret. Any other value, and one that only describes the secret, stays. */
export function maskLabelledValue(name: string, value: string): string {
  const text = value.trim()
  if (text === '' || !isSecretLabel(name)) return value
  const [first = ''] = text.split(/\s/, 1)
  const isDescribed = text.length > first.length ? isDescription(first, text.slice(first.length)) : isDescription(text)
  return isDescribed ? value : secretMask
}
