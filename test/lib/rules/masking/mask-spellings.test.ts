import { expect, it } from 'vitest'
import { mask } from '#rules/masking/mask.ts'
import { boundedNames, isSecretLabel, longNames } from '#rules/masking/secret-labels.ts'
import { fold } from '#rules/text/fold.ts'

/** Return some texts that a pattern of the labels matches: each alternative, and each part that may be absent. */
function expand(pattern: string): string[] {
  let position = 0
  const readAlternatives = (): string[] => {
    const alternatives: string[] = []
    let texts = ['']
    while (position < pattern.length && pattern[position] !== ')') {
      if (pattern[position] === '|') {
        alternatives.push(...texts)
        texts = ['']
        position++
      } else {
        const parts = readQuantified()
        texts = texts.flatMap((text) => parts.map((part) => text + part)).slice(0, 200)
      }
    }
    return [...alternatives, ...texts]
  }
  const readQuantified = (): string[] => {
    const parts = readAtom()
    if (pattern[position] === '?') {
      position++
      return [...parts, '']
    }
    const repeats = /^\{(\d+)(?:,\d+)?\}/.exec(pattern.slice(position))
    if (!repeats) return parts
    position += repeats[0].length
    return parts.map((part) => part.repeat(Math.max(1, Number(repeats[1]))))
  }
  const readAtom = (): string[] => {
    const rest = pattern.slice(position)
    const look = /^\(\?<?[!=][^)]*\)/.exec(rest)
    if (look) {
      position += look[0].length
      return ['']
    }
    if (rest.startsWith('(?:')) {
      position += 3
      const texts = readAlternatives()
      position++
      return texts
    }
    const set = /^\[([^\]]+)\]/.exec(rest)
    if (set) {
      position += set[0].length
      return Array.from(set[1] ?? '').filter((letter) => letter !== '_')
    }
    if (rest.startsWith('\\p{L}')) {
      position += 5
      return ['xyz']
    }
    const [letter = ''] = rest
    position += letter.length
    return letter === '.' ? ["'"] : [letter]
  }
  return readAlternatives()
}

const secret = 'Xk9#vTq2!Lm'
/** Names, each in the spelling of the rules. Some name a secret only beside other words. */
const labels = [...new Set([...expand(longNames), ...expand(boundedNames)])].filter(
  (label) => isSecretLabel(label) && !mask(`${label}: ${secret}`).includes(secret),
)

const dots: Record<string, string> = { i: 'İ', I: 'İ' }
const latinLookalikes: Record<string, string> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', x: 'х', y: 'у' }
const map = (text: string, letters: Record<string, string>) =>
  Array.from(text, (letter) => letters[letter] ?? letter).join('')

/** Ways to write a label so that it reads the same. */
const spellings: Record<string, (label: string) => string> = {
  decomposed: (label) => label.normalize('NFD'),
  'wide letters': (label) => label.replace(/[!-~]/g, (l) => String.fromCharCode(l.charCodeAt(0) + 0xfee0)),
  'an invisible character after each letter': (label) => Array.from(label).join('\u2060'),
  'soft hyphens and a mark of direction': (label) => `\u200f${Array.from(label).join('\u00ad')}`,
  capitals: (label) => label.toUpperCase(),
  'a capital i with a dot': (label) => map(label, dots),
  'one accent less': (label) => label.replace(/\p{M}|(?![ -~])./u, fold),
  'no accents': (label) => Array.from(label, (l) => (/\p{sc=Latin}/u.test(l) ? fold(l) : l)).join(''),
  'no-break blanks': (label) => label.replaceAll(' ', '\u00a0'),
  'narrow blanks': (label) => label.replaceAll(' ', '\u202f'),
  'a hard hyphen': (label) => label.replaceAll('-', '\u2011'),
  'a minus sign': (label) => label.replaceAll('-', '\u2212'),
  'a typographic apostrophe': (label) => label.replaceAll("'", '’'),
  'ß for ss': (label) => label.replaceAll('ss', 'ß'),
  'a Cyrillic letter in a Latin word': (label) =>
    /^[ -~]+$/.test(label)
      ? label.replace(/(?<=[a-z])[aeopcxy](?=[a-z])/g, (l) => latinLookalikes[l] ?? l)
      : label,
  'points of Arabic and Hebrew': (label) =>
    label.replace(/(?<=[\u05d0-\u05ea])/g, '\u05b8').replace(/(?<=[\u0621-\u064a])/g, '\u064e'),
}
const signs = [
  ': ',
  ' : ',
  '\u00a0: ',
  '\u202f: ',
  '\u2009: ',
  '：',
  ' ： ',
  ' = ',
  '\u00ad: ',
  ':\u00a0',
  ' –\u00a0',
]

it('SES-22 knows the names of secrets', () => expect(labels.length).toBeGreaterThan(400))

it.each(Object.entries(spellings))('SES-22 masks a secret after its label with %s', (_, spell) => {
  const leaked = labels
    .map((label) => `${spell(label)}: ${secret}`)
    .filter((line) => mask(line).includes(secret) || !isSecretLabel(line.slice(0, line.indexOf(':'))))
  expect(leaked).toEqual([])
})

it.each(signs)('SES-22 masks a secret after a label and %j', (sign) => {
  const lines = labels.map((label) => `${label}${sign}${secret}`)
  expect(lines.filter((line) => mask(line).includes(secret))).toEqual([])
})

it.each([
  ['10.20.30.44', '１０．２０．３０．４４'],
  ['10.20.30.44', '10。20。30。44'],
  ['10.20.30.44', 'https://x.example/?host=10%2E20%2e30%2E44'],
  ['fe80::1:2', 'fe80%3A%3A1%3a2'],
  ['\\\\srv09\\adm$', '%5C%5Csrv09%5Cadm$'],
  ['bob.k@contoso.example', 'ｂｏｂ.k＠contoso．example'],
  ['\\\\srv09\\adm$', '＼＼srv09＼adm＄'],
  ['fe80::1:2', 'ｆｅ８０：：１：２'],
  [`ghp_${'a1B2'.repeat(9)}`, `ｇｈｐ＿${'a1B2'.repeat(9)}`],
  ['mysql -p hunter2', 'mysql –p hunter2'],
  ['curl --user bob:hunter2 https://x', 'curl —user bob:hunter2 https://x'],
  ['net use x: /user:bob "hunt er2"', 'net use x: /user:bob “hunt er2”'],
])('SES-22 masks %s as it masks %s', (plain, written) => {
  const count = (text: string) => mask(text).split('[masked').length
  expect([count(plain) > 1 || mask(plain) === plain, count(written)]).toEqual([true, count(plain)])
})

it('SES-22 keeps what is written around a mask, and masks a text once', () => {
  const text =
    'Straße „Süd“ – İzmir\u00a0ﬁle ½ Ｗｉ－Ｆｉ\u200b: contraseña\u202f: Xk9#vTq2!Lm … fin\u00ad al'
  const masked = mask(text)
  expect(masked).toBe(text.replace(secret, '[masked secret]'))
  expect(mask(masked)).toBe(masked)
})
