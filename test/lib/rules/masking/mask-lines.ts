// Reads lines in which the secrets stand between ⟦ and ⟧, and fills in generated keys, so that secret
// scanners find none in the repository.

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  digit: '0123456789',
}
type Alphabet = keyof typeof alphabets

let randomState = 20261122
function randomCharacter(chars: string): string {
  randomState = (Math.imul(randomState, 1664525) + 1013904223) >>> 0
  return chars[Math.floor((randomState / 2 ** 32) * chars.length)] as string
}

export interface SecretLine {
  line: string
  /** Parts that must not remain after masking. */
  secretParts: string[]
}

/**
 * Read one line per row of the text. `␤` is a line break, `␉` a tab, `‹hex:32›` a generated text of 32
 * characters.
 */
export function readSecretLines(text: string): SecretLine[] {
  return text.trim().split('\n').map(readSecretLine)
}

export function readSecretLine(source: string): SecretLine {
  const text = source
    .replace(/‹(hex|upper|word|digit):(\d+)›/g, (_, alphabet: Alphabet, length: string) =>
      Array.from({ length: Number(length) }, () => randomCharacter(alphabets[alphabet])).join(''),
    )
    .replaceAll('␤', '\n')
    .replaceAll('␉', '\t')
  return {
    line: text.replace(/[⟦⟧]/g, ''),
    secretParts: Array.from(text.matchAll(/⟦([^⟧]+)⟧/g), ([, secret]) => secret as string),
  }
}

/** Read one line per row of a text without secrets. */
export function readOrdinaryLines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('␤', '\n').replaceAll('␉', '\t'))
}

const values = ['Ab9#tyQ2', 'Winter2026!', 'kp7-Mmz-33', '9f8e7d6c5b4a', 'correct7horse']
const forms: ((label: string, value: string) => string)[] = [
  (label, value) => `${label}: ${value}`,
  (label, value) => `| ${label} | ${value} |`,
  (label, value) => `${label}\t${value}`,
  (label, value) => JSON.stringify({ id: 7, [label]: value }),
  (label, value) => `${label} = "${value}"`,
  (label, value) => `host;${label};port\nsrv1;${value};22`,
]

/** Build every form of a labelled value: a line, a table row, two columns, JSON, an assignment and CSV. */
export function buildLabelledLines(labels: readonly string[]): SecretLine[] {
  return labels.flatMap((label, index) =>
    forms.map((form, n) => {
      const value = values[(index + n) % values.length] as string
      return { line: form(label, value), secretParts: [value] }
    }),
  )
}
