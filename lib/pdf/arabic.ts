// How Arabic letters join. Unicode keeps a code point for each shape of a letter, and the fonts have them.

interface Shapes {
  alone: number
  end: number
  /** Null for a letter that does not join the next one. */
  begin: number | null
  middle: number | null
}

const isMark = /\p{Mn}/u
const tatweel = 0x640
const joiner = 0x200d

/** Shapes by letter, read off the blocks of shapes: those of one letter stand together. */
const shapes = new Map<number, Shapes>()
const ligatures = new Map<string, { alone: number; end: number }>()
for (const [from, to] of [
  [0xfb50, 0xfbff],
  [0xfe80, 0xfefc],
] as const) {
  let letter = ''
  let first = from
  for (let code = from; code <= to + 1; code++) {
    const base = code <= to ? String.fromCharCode(code).normalize('NFKC') : ''
    if (base === letter) continue
    if (letter) note(letter, first, code - first)
    letter = base
    first = code
  }
}

function note(letter: string, first: number, count: number): void {
  if (letter.length === 2 && letter.startsWith('ل')) ligatures.set(letter, { alone: first, end: first + 1 })
  if (letter.length !== 1 || count > 4) return
  const joins = count === 4
  shapes.set(letter.charCodeAt(0), {
    alone: first,
    end: count > 1 ? first + 1 : first,
    begin: joins ? first + 2 : null,
    middle: joins ? first + 3 : null,
  })
}

/** A letter, and the code point of the shape it has where it stands; 0 when the letter before it shows both. */
export interface Shaped {
  text: string
  code: number
}

export function shapeArabic(text: string): Shaped[] {
  const shaped: Shaped[] = Array.from(text, (char) => ({ text: char, code: char.codePointAt(0) ?? 0 }))
  if (!/[\u0600-\u06ff\u0750-\u077f]/.test(text)) return shaped
  const letters = shaped.filter(({ text: char }) => !isMark.test(char))
  let joined = false
  for (let n = 0; n < letters.length; n++) {
    const letter = letters[n] as Shaped
    const next = letters[n + 1]
    const ligature = ligatures.get(letter.text + (next?.text ?? ''))
    if (ligature && next && shaped[shaped.indexOf(letter) + 1] === next) {
      letter.code = joined ? ligature.end : ligature.alone
      // Its second letter shows nothing more, but is there to be read.
      next.code = 0
      joined = false
      n++
      continue
    }
    joined = shapeOne(letter, joined, next)
  }
  return shaped
}

/** Whether the letter joins the one behind it. */
function shapeOne(letter: Shaped, joined: boolean, next: Shaped | undefined): boolean {
  if (letter.code === tatweel || letter.code === joiner) return true
  const own = shapes.get(letter.code)
  if (!own) return false
  const joins = own.begin !== null && next !== undefined && takesBefore(next.code)
  letter.code = (joined ? (joins ? own.middle : own.end) : joins ? own.begin : own.alone) ?? own.alone
  return joins
}

function takesBefore(code: number): boolean {
  const own = shapes.get(code)
  return code === tatweel || code === joiner || (own !== undefined && own.end !== own.alone)
}
