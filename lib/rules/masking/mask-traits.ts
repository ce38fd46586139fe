// Detects in one pass what a text contains. Most texts contain nothing to mask. A masking rule runs only if
// the text has the traits that every match of the rule needs.

/** The traits are bits, so that a text's traits are one number. */
export const trait = {
  digit: 1,
  nonAscii: 2,
  at: 4,
  backslash: 8,
  slash: 16,
  colon: 32,
  equals: 64,
  dash: 128,
  /**
   * The start of a written-out `@` or dot, such as `(at)`, `[.]` or `%40`: `&`, `%`, or a bracket before `@`,
   * `.`, `a` or `d`.
   */
  obfuscation: 256,
  /** A run of at least 16 characters that can occur in a key. */
  longRun: 512,
  /**
   * A run of at least 8 such characters that is not an ordinary word. It may be the value after the name of
   * an authentication scheme.
   */
  oddRun: 1024,
  /** A dot without a space after it. The end of a sentence has a space. */
  innerDot: 2048,
  /**
   * The next five: three letters that occur in the words of some rules. Checking letters is faster than
   * searching for the words.
   */
  secretName: 1 << 12,
  authScheme: 1 << 13,
  cookie: 1 << 14,
  keyWord: 1 << 15,
  keyFile: 1 << 16,
  dollar: 1 << 17,
} as const

// Further bits that describe a character. They are not traits of the text.
const openingBracket = 1 << 24
const runCharacter = 1 << 25
const lowerCase = 1 << 26
const letter = 1 << 27
const traitBits = openingBracket - 1

/** The bits of each ASCII character. */
const bitsByCode = new Uint32Array(128)
function setBits(chars: string, bits: number): void {
  for (const char of chars) bitsByCode[char.charCodeAt(0)] = bits
}
setBits('abcdefghijklmnopqrstuvwxyz', runCharacter | lowerCase | letter)
setBits('ABCDEFGHIJKLMNOPQRSTUVWXYZ', runCharacter | letter)
setBits('_+.~', runCharacter)
setBits('0123456789', runCharacter | trait.digit)
setBits('@', trait.at)
setBits('\\', trait.backslash)
setBits('/', runCharacter | trait.slash)
setBits(':', runCharacter | trait.colon)
setBits('=', runCharacter | trait.equals)
setBits('-', runCharacter | trait.dash)
setBits('&%', trait.obfuscation)
setBits('$', trait.dollar)
setBits('[({', openingBracket)

/** The traits that three letters in a row indicate. The index has five bits per letter and ignores case. */
const traitsByTriple = new Uint32Array(1 << 15)
const tripleMask = 0x7fff

function packTriple(letters: string): number {
  let packed = 0
  for (const char of letters) packed = (packed << 5) | (char.charCodeAt(0) & 31)
  return packed
}

function addTriples(bits: number, triples: readonly string[]): void {
  for (const triple of triples) {
    const index = packTriple(triple)
    traitsByTriple[index] = (traitsByTriple[index] ?? 0) | bits
  }
}

// Each word of a rule needs one triple. The triples are chosen by hand: of all triples in a word, the one
// that is rarest in ordinary text. The first letters of `contraseña` or `session`, for example, start many
// other words, and then the rule would run on most texts. Words with other than ASCII letters need no triple,
// because the rules also run on texts with the trait `nonAscii`.
addTriples(trait.secretName, [
  'pas', // password, passwort, passwd, passphrase, passcode, mot de passe
  'nnw', // kennwort
  'ntr', // contrasena
  'cht', // wachtwoord
  'asl', // haslo
  'nha', // senha
  'pwd', // pwd
  'ecr', // secret
  'tok', // token
  'ede', // credential
  'psk', // psk
  'key', // api key, shared key …
  'mmu', // community
  'sio', // session id
  'uth', // auth id
  'bea', // bearer
  ...['gsk', 'asa', 'esl', 'jel', 'ola', 'ifr', 'mni', 'osu', 'dsr'], // adgangskode, salasana, heslo, jelszo, parola, sifre, geheimnis, losung, dsrm
  ...['gmt', 'eap'], // mgmt-user, EAP
  ...['gsd', 'nme', 'fia', 'gev', 'gow', 'ggn', 'cre'], // zugangsdaten, anmeldedaten, identifiants, inloggegevens, dane logowania, inloggning, creds
  ...['lav', 'pin', 'otp', 'puk', 'mdp', 'nmp', 'pha', 'pwh', 'tap', 'mbi'], // clave, pin, otp, puk, mdp, snmp, phash, pwhash, tap, combination
  ...['ode', 'odi', 'dig', 'hra', 'hlu', 'wif', 'wpa', 'wla', 'eut', 'ucz', 'yck', 'fra', 'kod'], // code, codice, codigo, phrase, schluessel, wifi, wpa, wlan, sleutel …
  // losenord, mat khau, prihlasovaci udaje, ma mo khoa, ma cua, ma xac minh, and keys in French and Czech: words
  // without their accents.
  ...['eno', 'kha', 'ihl', 'kho', 'cua', 'xac', 'cle', 'bno', 'sdi', 'tov', 'pov'],
])
addTriples(trait.authScheme, [
  'bea', // Bearer
  'bas', // Basic
  'dig', // Digest
  'neg', // Negotiate
  'ntl', // NTLM
  'key', // ApiKey, SharedKey
  'aws', // AWS4-HMAC-SHA256
])
addTriples(trait.cookie, ['coo'])
addTriples(trait.keyWord, ['key', 'pas', 'pin'])
addTriples(trait.keyFile, [
  'pri', // Private-MAC
  'pub', // Public-Lines
])
// The words `pw` and `mk` have only two letters. Any letter may be before `pw`, or none, which is 0.
for (let previousLetter = 0; previousLetter < 32; previousLetter++) {
  const index = (previousLetter << 10) | packTriple('pw')
  traitsByTriple[index] = (traitsByTriple[index] ?? 0) | trait.secretName | trait.keyWord
}
traitsByTriple[packTriple('mk')] = trait.secretName

// Measured: the rules that look for the value of a secret take up to 15 µs at each place that may name one,
// all others 200 ns a character.
const stepsPerCharacter = 20
const stepsPerName = 1500

/** Return how many steps it takes at most to mask a text. */
export function countMaskingSteps(text: string): number {
  let names = 0
  let triple = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const isLetter = code < 128 && (bitsByCode[code] as number) & letter
    triple = isLetter ? ((triple << 5) | (code & 31)) & tripleMask : 0
    if (isLetter && (traitsByTriple[triple] as number) & trait.secretName) names++
  }
  return text.length * stepsPerCharacter + names * stepsPerName
}

const minOddRun = 8
const minLongRun = 16

/** Return the traits of a text as bits of `trait`. */
export function detectTraits(text: string): number {
  let bits = 0
  let runLength = 0
  let isOddRun = false
  let previousCode = 0
  let triple = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const charBits = code < 128 ? (bitsByCode[code] as number) : trait.nonAscii
    bits |= charBits
    if (charBits & letter) {
      triple = ((triple << 5) | (code & 31)) & tripleMask
      bits |= traitsByTriple[triple] as number
    } else triple = 0
    // p/w
    if (code === 0x2f && (previousCode | 0x20) === 0x70 && (text.charCodeAt(index + 1) | 0x20) === 0x77)
      bits |= trait.secretName
    if (charBits & runCharacter) {
      if (code === 0x2e /* . */ && text.charCodeAt(index + 1) > 0x20 /* space */) bits |= trait.innerDot
      // An ordinary word starts with a letter of any case, continues with lower-case letters, and may end
      // with a dot or a colon.
      if (runLength === 0 ? !(charBits & letter) : isDotOrColon(previousCode)) isOddRun = true
      if (runLength > 0 && !(charBits & lowerCase) && !isDotOrColon(code)) isOddRun = true
      runLength++
      if (runLength >= minOddRun && isOddRun) bits |= trait.oddRun
      if (runLength >= minLongRun) bits |= trait.longRun
    } else {
      if (charBits & openingBracket && startsObfuscation(text, index + 1)) bits |= trait.obfuscation
      runLength = 0
      isOddRun = false
    }
    previousCode = code
  }
  return bits & traitBits
}

function isDotOrColon(code: number): boolean {
  return code === 0x2e || code === 0x3a
}

/** Return whether `@`, `.`, `a` or `d` is at the position, or after a space at the position. */
function startsObfuscation(text: string, position: number): boolean {
  const code = text.charCodeAt(text[position] === ' ' ? position + 1 : position)
  const lowerCaseCode = code | 0x20
  return (
    code === 0x40 /* @ */ || code === 0x2e /* . */ || lowerCaseCode === 0x61 /* a */ || lowerCaseCode === 0x64
  ) /* d */
}
