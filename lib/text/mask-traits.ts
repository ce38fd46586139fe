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
  /** `&`, `%`, or a bracket that can stand for a sign of an address. */
  spelled: 256,
  /** A run as long as a key. */
  long: 512,
  /** A run of eight that is no word: what may follow the name of a scheme. */
  odd: 1024,
} as const

const [inRun, lower] = [1 << 14, 1 << 15]
const kinds = new Uint16Array(128)
const mark = (chars: string, bits: number) => {
  for (const char of chars) kinds[char.charCodeAt(0)] = (kinds[char.charCodeAt(0)] ?? 0) | bits
}
mark('abcdefghijklmnopqrstuvwxyz', inRun | lower)
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZ_+.~', inRun)
mark('0123456789', inRun | has.digit)
mark('@', has.at)
mark('\\', has.backslash)
mark('/', inRun | has.slash)
mark(':', inRun | has.colon)
mark('=', inRun | has.equals)
mark('-', inRun | has.dash)
mark('&%[({', has.spelled)

/** The traits of a text, as bits of `has`. */
export function traitsOf(text: string): number {
  let traits = 0
  let run = 0
  let strange = false
  let last = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (kinds[code] as number) : has.wide
    traits |= kind
    if (kind & inRun) {
      // A capital at the beginning and a stop at the end are of a word.
      if (run > 0 ? isStop(last) : !isLetter(code)) strange = true
      if (run > 0 && !(kind & lower) && !isStop(code)) strange = true
      run++
      if (run >= 8 && strange) traits |= has.odd
      if (run >= 16) traits |= has.long
    } else {
      run = 0
      strange = false
    }
    last = code
  }
  return traits & (inRun - 1)
}

const isStop = (code: number): boolean => code === 0x2e || code === 0x3a
const isLetter = (code: number): boolean => (code | 32) >= 0x61 && (code | 32) <= 0x7a
