// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are scripts
import { describe, expect, it } from 'vitest'
import {
  afterText,
  insideQuotes,
  joinedToTextAfter,
  joinedToTextBefore,
  partOfQuotes,
} from '#rules/scripts/placement-reasons.ts'
import type { Language } from '#rules/scripts/schema.ts'
import { judgeScript } from './judge-script.ts'

interface Strings {
  /** A use of a string. */
  use: (text: string) => string
  quotes: string[]
  /** What the advice makes of a value that is a part of a string. */
  follow: (before: string, after: string) => string
}
const languages: Record<Language, Strings> = {
  bash: {
    use: (text) => `echo ${text}`,
    quotes: ['"', "'"],
    follow: (before, after) => `value={{ p }}\necho "${before}$value${after}"`,
  },
  powershell: {
    use: (text) => `Write-Host ${text}`,
    quotes: ['"', "'", '”', '’'],
    follow: (before, after) => `$value = {{ p }}\nWrite-Host "${before}$value${after}"`,
  },
  python: {
    use: (text) => `print(${text})`,
    quotes: ['"', "'", '"""', "'''"],
    follow: (before, after) => `value = {{ p }}\nprint(f"${before}{value}${after}")`,
  },
}
const pieces = ['', ' ', '*', 'a', 'a ', '/', '-', ':', ' is full']

it.each(Object.entries(languages))(
  'SCR-38 the refusal of a value in quotes of %s fits a whole string or a part of one, and leads to a script that is accepted',
  (name, { use, quotes, follow }) => {
    const language = name as Language
    const places = quotes.flatMap((quote) =>
      pieces.flatMap((before) => pieces.map((after) => ({ quote, before, after }))),
    )
    const wrong = places.flatMap(({ quote, before, after }) => {
      const isWhole = (before + after).trim() === ''
      const body = use(`${quote}${before}{{ p }}${after}${quote}`)
      const problems = [
        judgeScript(language, body),
        judgeScript(language, isWhole ? use('{{ p }}') : follow(before, after)),
      ]
      const expected = [[`1 p: ${isWhole ? insideQuotes : partOfQuotes[language]}`], []]
      // The parser of Python stops where a literal ends and a text goes on.
      const isUnread = language === 'python' && problems[0]?.[0]?.includes('cannot follow')
      if (isUnread && problems[1]?.length === 0) return []
      return JSON.stringify(problems) === JSON.stringify(expected) ? [] : [{ body, problems }]
    })
    expect(wrong).toEqual([])
    expect(places.length).toBe(quotes.length * pieces.length ** 2)
  },
)

/** What may touch a value in PowerShell: brackets, separators, operators that take it, and a member's dot. */
const mayTouch = { before: ' ([{,;=+!:<>|&#"', after: ' )]},;=+.<>|&#["' }
const reasons = { before: joinedToTextBefore, after: joinedToTextAfter }
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))

it.each(
  ['Where-Object { $_.Path -eq @ }', '$m = (@)', 'Get-ChildItem @'].flatMap((script) =>
    (['before', 'after'] as const).map((side) => ({ script, side })),
  ),
)('SCR-39 refuses a PowerShell value that has a text $side it: $script', ({ script, side }) => {
  const accepted = printable.filter((char) => {
    if (mayTouch[side].includes(char)) return false
    const body = script.replace('@', () => (side === 'before' ? `${char}{{ p }}` : `{{ p }}${char}`))
    return !judgeScript('powershell', body).some((problem) => problem.startsWith('1 p: is '))
  })
  expect(accepted).toEqual([])
  const star = side === 'before' ? '*{{ p }}' : '{{ p }}*'
  expect(judgeScript('powershell', script.replace('@', star))).toEqual([`1 p: ${reasons[side]}`])
})

describe('SCR-39 the words of a text that is assigned', () => {
  it.each([
    '$m = Share {{ p }} is full',
    '$m = Share {{ p }}',
    '$m += Share {{ p }} is full',
    '[string]$m = The share {{ p }} is full',
    '$s = {{ p }}\n$m = Share $s is full',
  ])('SCR-39 are refused: %j', (body) => {
    const problems = judgeScript('powershell', body).map((problem) => problem.replace(/^\d+ p: /, ''))
    expect(problems).toEqual([afterText])
  })

  it.each([
    '$s = {{ p }}\n$m = "Share $s is full"',
    '$s = {{ p }}\n$m = "Status = Share $s is full"',
    '$x = Get-Item {{ p }}',
    '$x = nslookup {{ p }}',
    '$x = If ($a) { Get-Item {{ p }} } else { 1 }',
    'Where-Object { $_.Path -eq {{ p }} }',
  ])('SCR-39 are not the words of a command or in quotes: %j', (body) => {
    expect(judgeScript('powershell', body)).toEqual([])
  })
})
