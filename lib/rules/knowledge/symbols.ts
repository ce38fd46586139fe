// Office writes bullets, boxes and arrows with the places of its fonts Symbol and Wingdings, which are private
// characters of Unicode.

const symbols: Record<string, string> = {
  '\uf0e0': '→',
  '\uf0df': '←',
  '\uf0e8': '➔',
  '\uf0fc': '✓',
  '\uf0fb': '✗',
  '\uf0fe': '☑',
  '\uf0fd': '☒',
  '\uf078': '☒',
  '\uf0a8': '☐',
  '\uf06f': '☐',
  '\uf071': '☐',
  '\uf072': '☐',
  '\uf0b7': '•',
  '\uf0a7': '▪',
  '\uf0d8': '➢',
  '\uf04a': '☺',
}

/** Return the sign that a private character stands for, by its code in hexadecimal digits. */
export const findSymbol = (code: string): string | undefined =>
  /^[ef][\da-f]{3}$/i.test(code) ? symbols[String.fromCharCode(Number.parseInt(code, 16))] : undefined

/** Replace the private characters of a text by their signs; `other` is for those that are not known. */
export const replaceSymbols = (text: string, other = (char: string) => char): string =>
  /[\ue000-\uf8ff]/.test(text)
    ? text.replace(/[\ue000-\uf8ff]/g, (char) => symbols[char] ?? other(char))
    : text
