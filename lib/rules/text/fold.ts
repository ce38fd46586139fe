// When two texts are the same for a reader. `app.read_form`, `app.name_key` and `app.fold` of the database give
// the same, which a test compares for every character.

/** Letters and signs that look alike or are written for each other, and what stands for them. */
const plainSigns: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  İ: 'I',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '‛': "'",
  ʻ: "'",
  ʼ: "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '«': '"',
  '»': '"',
  '⁃': '-',
  '−': '-',
}
const sign = /[ßẞİı‘’‛ʻʼ“”„‟«»⁃−]|\p{Pd}/gu
/** A reader sees an apostrophe; NFKC would make a space and an accent of it. */
const acuteAccent = /´/g
/** Points of Hebrew, vowel marks of Arabic and Syriac and the tatweel, which writers mostly leave out. */
const optionalMark =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u08ca-\u08e1\u08e3-\u08ff]/g
/** Accents, and the nukta of Indic scripts. The marks of Japanese and vowel signs make other letters. */
const accent =
  /[\u0300-\u036f\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f\u093c\u09bc\u0a3c\u0abc\u0b3c\u0c3c\u0cbc]/g
/** Letters that Unicode does not decompose. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

/** Most texts have none of the characters that change. */
const plainText = /^[\t-\r -~]*$/

/**
 * Return a text as a reader sees it: without invisible characters (Default_Ignorable_Code_Point) and marks that
 * writers leave out, in one Unicode form and width (NFKC), with plain hyphens, apostrophes, quotes and blanks. It
 * keeps cases and accents.
 */
export function toReadForm(text: string): string {
  if (plainText.test(text)) return text
  return text
    .replace(/\p{DI}/gu, '')
    .replace(acuteAccent, "'")
    .normalize('NFKC')
    .replace(sign, (found) => plainSigns[found] ?? '-')
    .replace(optionalMark, '')
}

const changedInReadForm = new RegExp(`\\p{DI}|´|${sign.source}|${optionalMark.source}`, 'u')

/** Return whether a text is in its form for readers. This is faster than comparing the two. */
export const isReadForm = (text: string): boolean =>
  !changedInReadForm.test(text) && text.normalize('NFKC') === text

const foldCases = (text: string): string =>
  toReadForm(text)
    .toLowerCase()
    .replace(/ς/g, 'σ')
    .replace(/i\u0307/g, 'i')

const blanks = /[\t-\r \u0085\u1680\u2028\u2029]+/g

/**
 * Return the form in which two spellings of one name are equal. Accents count, because they make other names:
 * `Hål` and `Hal`.
 */
export const toNameKey = (name: string): string => foldCases(name).replace(blanks, ' ').trim()

/** Return the form in which a search finds a text: "Müller" and "Muller" are the same word, "Łódź" and "lodz" too. */
export const fold = (text: string): string =>
  foldCases(text)
    .normalize('NFKD')
    .replace(accent, '')
    .normalize('NFC')
    .replace(/[łøđðħŧŋæœþ]/g, (letter) => plainLetters[letter] ?? letter)

/** A letter with its marks, or the letters of a Korean syllable: the parts of a text that NFKC composes. */
const composed = /[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|\P{M}(?:\p{M}|[\uff9e\uff9f])*|\p{M}+/gu

/** Return the parts of a text whose forms do not depend on each other, so that positions lead back. */
export const listLetters = (text: string): string[] => text.match(composed) ?? []
