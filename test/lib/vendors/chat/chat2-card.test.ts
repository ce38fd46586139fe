import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findCardError } from '#local/vendors/chat/adaptive-card.ts'
import { toAdaptiveCard } from '#vendors/chat/chat2-card.ts'

// Shrinking texts of up to 20,000 characters takes long, and the shrunk text explains little.
const withoutShrinking = { endOnFailure: true, numRuns: 60 }

const url = `https://app.supportflow.example/${'p'.repeat(500)}`
// JSON writes a control character with six bytes, and escapes the backslashes of Markdown escapes again.
const specialText = fc.string({
  unit: fc.constantFrom('\u0001', '\\', '*', '"', '😀', '\n', '- ', '1. ', 'a', ' '),
  maxLength: 20_000,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 5000, size: 'max' }), specialText)

const joinLines = (text: string) => text.replace(/[\r\n]+/g, '\n')

function renderCard(message: Parameters<typeof toAdaptiveCard>[0]) {
  const card = toAdaptiveCard(message)
  const { content, contentType } = card.attachments[0] as NonNullable<(typeof card.attachments)[0]>
  const [title, body] = content.body.map((element) => ('text' in element ? element.text : undefined))
  return { card, content, contentType, title, body }
}

it('NOT-46 toAdaptiveCard returns one Adaptive Card 1.4 attachment with an action that opens the link', () => {
  const { card, content, contentType } = renderCard({ title: 'Dana escalated: VPN', body: 'VPN drops', url })
  expect(card).toMatchObject({ type: 'message', attachments: [{}] })
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content).toMatchObject({
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ text: 'Dana escalated: VPN' }, { text: 'VPN drops' }],
  })
  expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Support Flow', url }])
})

it('a card without a link has no action, and a card without a body has one text', () => {
  const { content } = renderCard({ title: 'Title', body: '', url: null })
  expect([content.actions, content.body.length]).toEqual([[], 1])
})

it.each([
  ['*bold* _it_', String.raw`\*bold\* \_it\_`],
  ['[click](https://evil.example)', String.raw`\[click\](https://evil.example)`],
  [String.raw`C:\temp\*`, String.raw`C:\\temp\\\*`],
  ['- one\n+ two\r\n10. three', '\\- one\n\n\\+ two\n\n10\\. three'],
  ['1) one', '1\\) one'],
  ['{{DATE(2026-02-14T06:08:39Z, SHORT)}}', String.raw`\{\{DATE(2026-02-14T06:08:39Z, SHORT)\}\}`],
  ['a-b 1.5 + 2', 'a-b 1.5 + 2'],
])('escapes Markdown in user texts: %j', (text, escaped) => {
  const { title, body } = renderCard({ title: text, body: text, url })
  expect([title, body]).toEqual([escaped, escaped])
})

it('produces a well-formed card of at most 20 KB that starts with the original texts, for random texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (title, body) => {
      const { card, ...sent } = renderCard({ title, body, url })
      const json = JSON.stringify(card)
      expect(new TextEncoder().encode(json).byteLength).toBeLessThanOrEqual(20 * 1024)
      expect(json.isWellFormed()).toBe(true)
      for (const [text = '', original] of [
        [sent.title, title],
        [sent.body, body],
      ] as const) {
        const unescaped = joinLines(text.replace(/\\(.)/g, '$1'))
        const expected = joinLines(original)
          .replace(/^\n+/, '')
          .replace(/^[^\S\n]+/gm, (space) => '\u00a0'.repeat(space.length))
        expect(expected.startsWith(unescaped.replace(/…$/, '')) || unescaped === expected).toBe(true)
        expect(text).not.toMatch(/(?<!\\)(\\\\)*[*_[\]]/)
      }
    }),
    withoutShrinking,
  )
})

it('cuts a body only when the card exceeds 20 KB of UTF-8', () => {
  const sizeOf = (body: string) =>
    new TextEncoder().encode(JSON.stringify(toAdaptiveCard({ title: 't', body, url }))).byteLength
  for (const length of [3200, 3300, 3400, 3500, 3600, 3999])
    expect(sizeOf('\u0001'.repeat(length))).toBeLessThanOrEqual(20 * 1024)
  expect(renderCard({ title: 't', body: '\u0001'.repeat(3200), url }).body).toBe('\u0001'.repeat(3200))
})

it('cuts a plain body after 4,000 characters, and keeps at least 2,000 control characters', () => {
  expect(renderCard({ title: 't', body: 'b'.repeat(4000), url }).body).toBe('b'.repeat(4000))
  expect(renderCard({ title: 't', body: 'b'.repeat(4001), url }).body).toBe(`${'b'.repeat(3999)}…`)
  const { body = '' } = renderCard({ title: '\u0001'.repeat(300), body: '\u0001'.repeat(20_000), url })
  expect(body.length).toBeGreaterThanOrEqual(2000)
})

it('produces a card that fits the schema and has at most 20 KB for random facts and sections', () => {
  const labelled = fc.array(
    anyText.map((text) => ({ label: 'Summary', text: `t${text}` })),
    { maxLength: 6 },
  )
  const button = { label: 'Pick up the session', isUrgent: true }
  fc.assert(
    fc.property(anyText, labelled, labelled, (title, facts, sections) => {
      const card = toAdaptiveCard({ title: `t${title}`, body: '', url, facts, sections, button })
      expect(findCardError(card.attachments[0]?.content)).toBeUndefined()
      expect(new TextEncoder().encode(JSON.stringify(card)).byteLength).toBeLessThanOrEqual(20 * 1024)
    }),
    withoutShrinking,
  )
})

it('a card of an alert has its facts, its sections and both buttons, and its title is red if it is urgent', () => {
  const alert = {
    ...{
      title: 'Title',
      body: 'Body',
      url: 'https://app.example/1',
      facts: [{ label: 'Client', text: 'x'.repeat(301) }],
    },
    sections: [{ label: 'Summary', text: 'It drops' }],
    secondButton: { label: 'Acknowledge', url: 'https://app.example/ack' },
  }
  const { content } = renderCard({ ...alert, button: { label: 'Pick up', isUrgent: true } })
  expect(content.body).toEqual([
    { type: 'TextBlock', text: 'Title', wrap: true, weight: 'Bolder', size: 'Medium', color: 'Attention' },
    { type: 'FactSet', facts: [{ title: 'Client', value: `${'x'.repeat(299)}…` }] },
    { type: 'TextBlock', text: 'Body', wrap: true, spacing: 'Small' },
    { type: 'TextBlock', text: 'Summary', wrap: true, weight: 'Bolder' },
    { type: 'TextBlock', text: 'It drops', wrap: true, spacing: 'Small' },
  ])
  expect(content.actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Pick up', url: 'https://app.example/1' },
    { type: 'Action.OpenUrl', title: 'Acknowledge', url: 'https://app.example/ack' },
  ])
  const calm = renderCard({
    ...alert,
    title: 'y'.repeat(301),
    button: { label: 'Pick up', isUrgent: false },
  }).content
  expect(calm.body[0]).toEqual({
    type: 'TextBlock',
    text: `${'y'.repeat(299)}…`,
    wrap: true,
    weight: 'Bolder',
    size: 'Medium',
  })
})
