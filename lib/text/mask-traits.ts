// What a text holds, found in one pass: most texts hold nothing to mask, and each rule is asked only where what it cannot do without is there.

export const has = {
  digit: 1,
  /** Anything but ASCII. */
  wide: 2,
  at: 4,
  backslash: 8,
  slash: 16,
  colon: 32,
  equals: 64,
  dash: 128,
  /** `&`, `%`, or a bracket before what can stand for a sign of an address: `(at)`, `[.]`. */
  spelled: 256,
  /** A run as long as a key. */
  long: 512,
  /** A run of eight that is no word: what may follow the name of a scheme. */
  odd: 1024,
  /** A stop that no space follows, as at no sentence's end. */
  inner: 2048,
  /** Three letters of the name of a secret, of a scheme, and so on: less work than looking for the words. */
  named: 1 << 12,
  scheme: 1 << 13,
  cookie: 1 << 14,
  keyed: 1 << 15,
  keyFile: 1 << 16,
} as const

const [bracket, inRun, lower, letter] = [1 << 24, 1 << 25, 1 << 26, 1 << 27]
const kinds = new Uint32Array(128)
const mark = (chars: string, bits: number) => {
  for (const char of chars) kinds[char.charCodeAt(0)] = (kinds[char.charCodeAt(0)] ?? 0) | bits
}
mark('abcdefghijklmnopqrstuvwxyz', inRun | lower | letter)
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ', inRun | letter)
mark('_+.~', inRun)
mark('0123456789', inRun | has.digit)
mark('@', has.at)
mark('\\', has.backslash)
mark('/', inRun | has.slash)
mark(':', inRun | has.colon)
mark('=', inRun | has.equals)
mark('-', inRun | has.dash)
mark('&%', has.spelled)
mark('[({', bracket)

// By three letters in a row, five bits each in any case: what a word may be that has them.
const words = new Uint32Array(1 << 15)
const threeOf = (letters: string) => [...letters].reduce((three, letter) => (three << 5) | (letter.charCodeAt(0) & 31), 0)
const begin = (bits: number, ...parts: string[]) => {
  for (const part of parts) words[threeOf(part)] = (words[threeOf(part)] ?? 0) | bits
}
// Of pass, Kennwort, contraseña, wachtwoord, haslo, senha, pwd, secret, token, credential, psk, key, community, session id, auth id, bearer.
begin(has.named, 'pas', 'nnw', 'ntr', 'cht', 'asl', 'nha', 'pwd', 'ecr', 'tok', 'ede', 'psk', 'key', 'mmu', 'sio', 'uth', 'bea')
begin(has.scheme, 'bea', 'bas', 'dig', 'neg', 'ntl', 'key', 'aws')
begin(has.cookie, 'coo')
begin(has.keyed, 'key', 'pas', 'pin')
for (let before = 0; before < 32; before++) words[(before << 10) | threeOf('pw')] = (words[(before << 10) | threeOf('pw')] ?? 0) | has.keyed
begin(has.keyFile, 'pri', 'pub')

/** The traits of a text, as bits of `has`. */
export function traitsOf(text: string): number {
  let traits = 0
  let run = 0
  let strange = false
  let last = 0
  let three = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (kinds[code] as number) : has.wide
    traits |= kind
    if (kind & letter) {
      three = ((three << 5) | (code & 31)) & 0x7fff
      traits |= words[three] as number
    } else three = 0
    if (kind & inRun) {
      if (code === 0x2e && text.charCodeAt(at + 1) > 0x20) traits |= has.inner
      // A capital at the beginning and a stop at the end are of a word.
      if (run > 0 ? isStop(last) : !(kind & letter)) strange = true
      if (run > 0 && !(kind & lower) && !isStop(code)) strange = true
      run++
      if (run >= 8 && strange) traits |= has.odd
      if (run >= 16) traits |= has.long
    } else {
      if (kind & bracket && isSpelled(text.charCodeAt(text[at + 1] === ' ' ? at + 2 : at + 1))) traits |= has.spelled
      run = 0
      strange = false
    }
    last = code
  }
  return traits & (bracket - 1)
}

const isStop = (code: number): boolean => code === 0x2e || code === 0x3a
/** What a bracket's inside begins with that is read as `@` or as a dot. */
const isSpelled = (code: number): boolean => code === 0x40 || code === 0x2e || (code | 32) === 0x61 || (code | 32) === 0x64
