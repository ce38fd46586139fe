import { describe, expect, it } from 'vitest'
import { Problem } from '#problem.ts'
import { createBudget, getSpent, jobSteps, pause, runWithin, spend } from '#rules/budget.ts'
import { wrapText } from '#rules/diagrams/boxes.ts'
import { fillPlaceholders } from '#rules/flows/placeholders.ts'
import { readArticleFile, readArticleText } from '#rules/knowledge/article.ts'
import { redact } from '#rules/masking/redaction.ts'
import { renderScript, type Template, validateTemplate } from '#rules/scripts/render.ts'
import type { ScriptParameter } from '#rules/scripts/schema.ts'
import { type Content, compareVersions } from '#rules/versions/compare.ts'
import { readBlocksOf } from '#test/support/articles.ts'

// What a small input could make large. Work and output are counted, so these tests say the same on every
// machine.

const parameter: ScriptParameter = { name: 'a', label: 'A', type: 'string', required: true }
const createTemplate = (script_body: string): Template => ({
  language: 'bash',
  script_body,
  parameters_schema: [parameter],
})

describe('WIR-44 placeholders', () => {
  it('WIR-44 add at most 500,000 characters to a text; the others stay in it', () => {
    const filled = fillPlaceholders('{{a}}'.repeat(3900), { a: 'x'.repeat(60_000) })
    expect(filled.length).toBeLessThan(500_000 + 20_000)
    expect([filled.startsWith('x'), filled.endsWith('{{a}}')]).toEqual([true, true])
  })

  it('WIR-44 show a value of more than 20,000 characters cut, with an ellipsis', () => {
    const filled = fillPlaceholders('<{{a}}>', { a: 'x'.repeat(60_000) })
    expect([filled.length, filled.slice(-3)]).toEqual([20_002, 'x…>'])
  })

  it('WIR-44 of all texts of a request add at most what its budget has', () => {
    const budget = createBudget({ bytes: 250_000 })
    const texts = Array.from({ length: 50 }, () =>
      runWithin(budget, () => fillPlaceholders('{{a}}'.repeat(100), { a: 'x'.repeat(20_000) })),
    )
    expect(texts.join('').length).toBeLessThan(250_000 + 50 * 500)
    expect(budget.getSpent().bytes).toBe(240_000)
  })
})

describe('VER-07 a comparison', () => {
  const words = (count: number, word: string) =>
    Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ')
  const createContent = (texts: number, word: string): Content => ({
    fields: {},
    items: Array.from({ length: texts }, (_, index) => ({
      list: 'steps',
      id: `${index}`,
      label: '',
      parentId: null,
      fields: { description: words(450, word) },
    })),
    isOrdered: true,
  })

  it('VER-07 shows the texts that differ much as replaced when its work is used up', () => {
    const budget = createBudget()
    const { items } = runWithin(budget, () =>
      compareVersions(createContent(300, 'a'), createContent(300, 'b')),
    )
    const counts = items.map(({ fields }) => fields[0]?.parts?.length ?? 0)
    expect([counts.length, counts[0], counts.at(-1)]).toEqual([
      300,
      expect.toSatisfy((count: number) => count > 2),
      2,
    ])
    expect(budget.getSpent().steps).toBeLessThan(25_000_000)
  })

  it('VER-07 finds moved items with as much work as texts', () => {
    const reverse = (content: Content) => ({ ...content, items: content.items.toReversed() })
    const [before, budget] = [createContent(2000, 'a'), createBudget()]
    const small = { ...before, items: before.items.map((item) => ({ ...item, fields: {} })) }
    expect(runWithin(budget, () => compareVersions(small, reverse(small))).items).toHaveLength(2000)
    expect(budget.getSpent().steps).toBeGreaterThan(1_000_000)
  })
})

describe('WIR-45 a rendered script', () => {
  const render = (body: string, a: string) => renderScript(createTemplate(body), { a }).script

  it('WIR-45 has at most 1 MiB', () => {
    expect(render('{{a}}\n'.repeat(20), 'x'.repeat(50_000)).length).toBe(20 * 50_003)
    expect(() => render('{{a}}\n'.repeat(2000), 'x'.repeat(50_000))).toThrow(Problem)
  })

  it('WIR-45 is not computed by filters that lengthen a value eight times', () => {
    expect(() => render('{{a|json|json|json|json|json|json|json|json}}', '"'.repeat(100_000))).toThrow(
      Problem,
    )
  })

  it('WIR-45 filters each expression once', () => {
    const [once, often] = [createBudget(), createBudget()]
    const values = { a: 'x'.repeat(1000) }
    runWithin(once, () => renderScript(createTemplate('{{a|base64}}'), values))
    runWithin(often, () => renderScript(createTemplate('{{a|base64}}'.repeat(100)), values))
    const perPlaceholder = (often.getSpent().steps - once.getSpent().steps) / 99
    expect(perPlaceholder).toBeLessThan(100)
  })

  it('WIR-45 encodes a value in base64 once at most', () => {
    expect(validateTemplate(createTemplate('echo {{ a|base64|base64 }}'))).toEqual([
      { line: 1, message: '{{ a }} uses the filter base64 more than once' },
    ])
  })
})

describe('WIR-47 what is read is counted before', () => {
  it.each([
    ['cells of an HTML table', 'html', '<table><tr>'.concat('<td>a'.repeat(240_000))],
    ['paragraphs of an HTML page', 'html', '<p>a</p>'.repeat(187_000)],
    ['blank lines', 'text', '\n'.repeat(5_000_000)],
  ] as const)('WIR-47 an article of many %s is too complex', (_, format, content) => {
    expect(() => runWithin(createBudget({ steps: jobSteps }), () => readBlocksOf(format, content))).toThrow(
      Problem,
    )
  })

  it('WIR-47 an ordinary page of 5,000 elements takes little of it', () => {
    const budget = createBudget({ steps: jobSteps })
    runWithin(budget, () => readBlocksOf('html', '<p>Restart the <b>spooler</b>.</p>'.repeat(2000)))
    expect(budget.getSpent().steps).toBeLessThan(jobSteps / 20)
  })

  it.each(['text', 'file'])(
    'KBI-11 a long HTML page that is sent as %s lets other requests run between its passes',
    async (kind) => {
      const page = `<table>${'<tr><td>a<td>b<td>c'.repeat(20_000)}</table>`
      const budget = createBudget({ steps: jobSteps, bytes: Number.POSITIVE_INFINITY })
      const stepsAtPause: number[] = []
      const watched = { ...budget, pause: async () => void stepsAtPause.push(budget.getSpent().steps) }
      await runWithin(watched, () =>
        kind === 'text'
          ? readArticleText('html', 'A', page)
          : readArticleFile({ bytes: new TextEncoder().encode(page), name: 'a.html', type: '' }),
      )
      const { steps } = budget.getSpent()
      const passes = [...stepsAtPause, steps].map((at, n) => at - (stepsAtPause[n - 1] ?? 0))
      expect(passes).toHaveLength(3)
      expect(Math.max(...passes)).toBeLessThan(steps * 0.6)
    },
  )

  it('WIR-47 the texts that are redacted for the model are counted', () => {
    const budget = createBudget()
    runWithin(budget, () => redact({ facts: ['x '.repeat(50_000)] }, 'all'))
    expect(budget.getSpent().steps).toBe(2_000_000)
    expect(() =>
      runWithin(budget, () => redact({ facts: Array(30).fill('x '.repeat(50_000)) }, 'all')),
    ).toThrow(Problem)
  })

  it('WIR-47 a label is shown like the part of it that fits', () => {
    expect(wrapText('a '.repeat(200_000))).toEqual(wrapText('a '.repeat(200)))
    expect(wrapText('x'.repeat(3200))).toEqual(wrapText('x'.repeat(100)))
  })
})

it('WIR-55 what takes more than five minutes gives up at its next pause, with 503', async () => {
  let time = 0
  const budget = createBudget({ now: () => time })
  time = 300_000
  await budget.pause()
  time = 300_001
  await expect(budget.pause()).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '60' } })
})

describe('WIR-48 the current budget', () => {
  it('WIR-48 of two requests that take turns is the own one of each', async () => {
    const work = async (steps: number) => {
      for (let turn = 0; turn < 3; turn++) {
        spend(steps)
        await pause()
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      return getSpent().steps
    }
    const [small, large] = [createBudget({ steps: 100 }), createBudget({ steps: 1000 })]
    const both = [runWithin(small, () => work(1)), runWithin(large, () => work(300))]
    expect(await Promise.all(both)).toEqual([3, 900])
    expect([small, large].map((budget) => budget.getSpent().steps)).toEqual([3, 900])
    await expect(runWithin(small, () => work(50))).rejects.toThrow(Problem)
    expect(large.getSpent().steps).toBe(900)
  })

  it('WIR-48 that somebody forgot is the one of a request for synchronous work, and no other may pause', async () => {
    const spendForever = () => {
      for (;;) spend(1_000_000)
    }
    expect(spendForever).toThrow(Problem)
    expect(() => spend(1)).toThrow(Problem)
    await Promise.resolve()
    expect(getSpent().steps).toBe(0)
    await expect(pause()).rejects.toThrow('must run within a budget')
  })
})
