import type { FieldError } from '#problem.ts'
import { spend, tooComplex } from '#rules/budget.ts'

export const maxJsonDepth = 32

/** An object takes up to 112 bytes of memory, and its text two. */
export const maxJsonParts = 200_000
/** Creating an object or a list, and a key that no other object has. */
const [stepsPerPart, stepsPerKey] = [40, 100]

/**
 * Parse JSON, whose work is counted first. Throw a SyntaxError for any other text, and `too_complex` for one that
 * has more than 200,000 objects and lists, or more than the budget can pay.
 */
export function readJson(text: string): unknown {
  const { parts, keys } = countParts(text)
  if (parts > maxJsonParts) throw tooComplex()
  spend(text.length + parts * stepsPerPart + keys * stepsPerKey)
  return JSON.parse(text)
}

/** Parse JSON as `readJson` does, or return undefined. */
export function parseJson(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

/**
 * Return whether a JSON text has more than `maxDepth` levels. It is checked before parsing, because a deep
 * value overflows the stack later.
 */
export function isTooDeep(json: string, maxDepth: number = maxJsonDepth): boolean {
  return countParts(json).levels > maxDepth
}

/** Count the objects and lists of a JSON text, the keys of its objects, and its levels. */
function countParts(json: string): { parts: number; keys: number; levels: number } {
  const counts = { parts: 0, keys: 0, levels: 0 }
  let depth = 0
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (isInString) {
      if (code === 0x5c /* \ */) i++
      else if (code === 0x22 /* " */) isInString = false
    } else if (code === 0x22 /* " */) isInString = true
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      counts.parts++
      if (++depth > counts.levels) counts.levels = depth
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) depth--
    else if (code === 0x3a /* : */) counts.keys++
  }
  return counts
}

/** Return whether PostgreSQL can store the text. It cannot store NUL characters and lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/**
 * Return a field error for each text and each key in a parsed JSON value that cannot be stored: by PostgreSQL,
 * or as a key of an object that is copied, which loses `__proto__`.
 */
export function findUnstorableText(value: unknown, loc: (string | number)[]): FieldError[] {
  if (typeof value === 'string') {
    return isStorable(value)
      ? []
      : [{ loc, msg: 'must not contain NUL characters or lone surrogates', type: 'invalid_text' }]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => findUnstorableText(item, [...loc, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]): FieldError[] => {
    if (key === '__proto__')
      return [{ loc, msg: 'must not have a key with the name __proto__', type: 'invalid_text' }]
    return isStorable(key)
      ? findUnstorableText(item, [...loc, key])
      : [{ loc, msg: 'must not have a key with NUL characters or lone surrogates', type: 'invalid_text' }]
  })
}

/** A number that may have more digits than a double keeps, outside of texts or inside. */
const longNumber = /\d{16}|\d\.\d{15}/
const minLongNumber = 16

/**
 * Return the first number of a JSON text whose digits parsing would change, such as a serial number of 20
 * digits. Parsing again with a function that sees each source text takes a microsecond a value.
 */
export function findInexactNumber(json: string): string | undefined {
  if (!longNumber.test(json)) return undefined
  let isInString = false
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (isInString) {
      if (code === 0x5c /* \ */) i++
      else if (code === 0x22 /* " */) isInString = false
    } else if (code === 0x22 /* " */) isInString = true
    else if (isOfNumber(code)) {
      const start = i
      while (isOfNumber(json.charCodeAt(i + 1))) i++
      if (i - start + 1 < minLongNumber) continue
      const source = json.slice(start, i + 1)
      if (!keepsDigits(source, Number(source))) return source.slice(0, 60)
    }
  }
  return undefined
}

/** Return whether a character is one of a number: + - . 0 to 9 E e */
const isOfNumber = (code: number) =>
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x45 ||
  code === 0x65

/**
 * A double has up to 17 digits, with which some programs write each fraction. Whole numbers, such as serial
 * numbers, must stay as they are.
 */
function keepsDigits(source: string, value: number): boolean {
  const digits = toSignificantDigits(source)
  return digits === toSignificantDigits(String(value)) || digits.length <= (/[.e]/i.test(source) ? 17 : 15)
}

/** Return the digits of a number without its sign, its point, its exponent, and zeros at both ends. */
function toSignificantDigits(number: string): string {
  return (number.toLowerCase().split('e')[0] ?? '').replace(/[-.]/g, '').replace(/^0+|(?<!0)0+$/g, '')
}

/**
 * Return how many bytes longer a JSON text is at most when it is indented. Lines of deep lists can have more
 * spaces than text.
 */
export function countIndentation(json: string): number {
  let [depth, bytes] = [1, 0]
  for (let index = 0; index < json.length; index++) {
    const character = json.charAt(index)
    if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    else if (character !== ',' && character !== ':') continue
    bytes += 1 + 2 * Math.max(0, depth)
  }
  return bytes
}

/** Write a value as JSON, indented unless that would be longer than an answer may be. */
export function writeIndentedJson(value: object, maxBytes: number): string {
  const json = JSON.stringify(value)
  return json.length + countIndentation(json) > maxBytes ? json : JSON.stringify(value, null, 2)
}
