// Joins Arabic letters. A letter has different shapes, depending on its neighbours. Unicode has a code point for each shape, and the
// fonts contain these code points.

interface LetterShapes {
  isolated: number
  final: number
  /** Null for a letter that does not join the next one. */
  initial: number | null
  medial: number | null
}

const isMark = /\p{Mn}/u
const tatweel = 0x640
const zeroWidthJoiner = 0x200d
const arabicLetter = /[\u0600-\u06ff\u0750-\u077f]/
const lam = 'ل'

/** The Unicode blocks of shapes: Arabic Presentation Forms-A and -B. */
const presentationForms = [
  [0xfb50, 0xfbff],
  [0xfe80, 0xfefc],
] as const

const shapesByLetter = new Map<number, LetterShapes>()
const ligatureShapes = new Map<string, { isolated: number; final: number }>()
for (const [first, last] of presentationForms) addShapes(first, last)

/** Add the letters of a Unicode block, where the shapes of one letter are consecutive: isolated, final, initial, medial. NFKC maps a shape to its letter. */
function addShapes(firstCode: number, lastCode: number): void {
  let letter = ''
  let letterStart = firstCode
  for (let code = firstCode; code <= lastCode; code++) {
    const baseLetter = String.fromCharCode(code).normalize('NFKC')
    if (baseLetter === letter) continue
    addLetter(letter, letterStart, code - letterStart)
    letter = baseLetter
    letterStart = code
  }
  addLetter(letter, letterStart, lastCode + 1 - letterStart)
}

function addLetter(letter: string, firstShape: number, shapeCount: number): void {
  if (letter.length === 2 && letter.startsWith(lam)) ligatureShapes.set(letter, { isolated: firstShape, final: firstShape + 1 })
  if (letter.length !== 1 || shapeCount > 4) return
  const joinsNext = shapeCount === 4
  shapesByLetter.set(letter.charCodeAt(0), {
    isolated: firstShape,
    final: shapeCount > 1 ? firstShape + 1 : firstShape,
    initial: joinsNext ? firstShape + 2 : null,
    medial: joinsNext ? firstShape + 3 : null,
  })
}

export interface ShapedCharacter {
  /** The character of the text. */
  text: string
  /** The code point to show. It is 0 for the second letter of a ligature, because the first one shows both. */
  code: number
}

/** Return the characters of a text with the shapes of their Arabic letters. */
export function shapeArabic(text: string): ShapedCharacter[] {
  const characters: ShapedCharacter[] = Array.from(text, (char) => ({ text: char, code: char.codePointAt(0) ?? 0 }))
  if (!arabicLetter.test(text)) return characters
  // Vowel marks do not separate the letters they stand between.
  const letters = characters.filter((character) => !isMark.test(character.text))
  let isJoinedToPrevious = false
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] as ShapedCharacter
    const next = letters[index + 1]
    const ligature = ligatureShapes.get(letter.text + (next?.text ?? ''))
    if (ligature && next && characters[characters.indexOf(letter) + 1] === next) {
      letter.code = isJoinedToPrevious ? ligature.final : ligature.isolated
      next.code = 0
      isJoinedToPrevious = false
      index++
      continue
    }
    isJoinedToPrevious = shapeLetter(letter, isJoinedToPrevious, next)
  }
  return characters
}

/** Set the shape of one letter. Return whether it joins the next one. */
function shapeLetter(letter: ShapedCharacter, isJoinedToPrevious: boolean, next: ShapedCharacter | undefined): boolean {
  if (letter.code === tatweel || letter.code === zeroWidthJoiner) return true
  const shapes = shapesByLetter.get(letter.code)
  if (!shapes) return false
  const joinsNext = shapes.initial !== null && next !== undefined && canJoinPrevious(next.code)
  if (isJoinedToPrevious) letter.code = (joinsNext ? shapes.medial : shapes.final) ?? shapes.isolated
  else letter.code = (joinsNext ? shapes.initial : shapes.isolated) ?? shapes.isolated
  return joinsNext
}

function canJoinPrevious(code: number): boolean {
  const shapes = shapesByLetter.get(code)
  return code === tatweel || code === zeroWidthJoiner || (shapes !== undefined && shapes.final !== shapes.isolated)
}
