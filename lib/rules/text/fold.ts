/** Letters with a stroke and the like, which Unicode does not decompose, and typographic apostrophes. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  ŋ: 'n',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  '’': "'",
  '‘': "'",
  ʼ: "'",
}

/**
 * Return a text in lower case without accents, and with full forms of wide and narrow characters: "Müller"
 * and "Muller" are the same word, "Łódź" and "lodz" too. The function app.fold of the database gives the
 * same.
 */
export function fold(text: string): string {
  const withoutAccents = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
  return withoutAccents
    .toLowerCase()
    .replace(/[łøđðħıŧŋςæœßþ’‘ʼ]/g, (letter) => plainLetters[letter] ?? letter)
}
