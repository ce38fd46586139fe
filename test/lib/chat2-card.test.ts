import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toAdaptiveCard } from '../../lib/chat/chat2-card.ts'

// Shrinking a text of thousands of characters takes longer than reading it.
const long = { endOnFailure: true, numRuns: 60 }

const url = `https://app.supportflow.example/${'p'.repeat(500)}`
// JSON writes a control character with six bytes; the escapes of Markdown are escaped again.
const awkward = fc.string({
  unit: fc.constantFrom('\u0001', '\\', '*', '"', '😀', '\n', '- ', '1. ', 'a', ' '),
  maxLength: 20_000,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 5000, size: 'max' }), awkward)

function parts(message: Parameters<typeof toAdaptiveCard>[0]) {
  const card = toAdaptiveCard(message)
  const { content, contentType } = card.attachments[0] as NonNullable<(typeof card.attachments)[0]>
  const [title, body] = content.body.map(({ text }) => text)
  return { card, content, contentType, title, body }
}

it('NOT-46 chat2 sends one Adaptive Card 1.4 attachment with an open-link action', () => {
  const { card, content, contentType } = parts({ title: 'Dana escalated: VPN', body: 'VPN drops', url })
  expect(card).toMatchObject({ type: 'message', attachments: [{}] })
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4', body: [{ text: 'Dana escalated: VPN' }, { text: 'VPN drops' }] })
  expect(content.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open in Support Flow', url }])
})

it('without a link there is no action, and without a body one text alone', () => {
  const { content } = parts({ title: 'Title', body: '', url: null })
  expect([content.actions, content.body.length]).toEqual([[], 1])
})

it.each([
  ['*bold* _it_', String.raw`\*bold\* \_it\_`],
  ['[click](https://evil.example)', String.raw`\[click\](https://evil.example)`],
  [String.raw`C:\temp\*`, String.raw`C:\\temp\\\*`],
  ['- one\n+ two\n10. three', '\\- one\n\\+ two\n\\10. three'],
  ['a-b 1.5 + 2', 'a-b 1.5 + 2'],
])('what users wrote stays text: %j', (given, shown) => {
  const { title, body } = parts({ title: given, body: given, url })
  expect([title, body]).toEqual([shown, shown])
})

it('whatever the texts are, the card is under 20 KB, well formed, and begins as they do', () => {
  fc.assert(
    fc.property(anyText, anyText, (title, body) => {
      const { card, ...shown } = parts({ title, body, url })
      const json = JSON.stringify(card)
      expect(new TextEncoder().encode(json).byteLength).toBeLessThanOrEqual(20 * 1024)
      expect(json.isWellFormed()).toBe(true)
      for (const [text = '', whole] of [
        [shown.title, title],
        [shown.body, body],
      ] as const) {
        const plain = text.replace(/\\(.)/g, '$1')
        expect(whole.startsWith(plain.replace(/…$/, '')) || plain === whole).toBe(true)
        expect(text).not.toMatch(/(?<!\\)(\\\\)*[*_[\]]/)
      }
    }),
    long,
  )
})

it('the limit is 20 KB of UTF-8: what is larger is cut, what is smaller stays', () => {
  const sizeOf = (body: string) => new TextEncoder().encode(JSON.stringify(toAdaptiveCard({ title: 't', body, url }))).byteLength
  for (const length of [3200, 3300, 3400, 3500, 3600, 3999]) expect(sizeOf('\u0001'.repeat(length))).toBeLessThanOrEqual(20 * 1024)
  expect(parts({ title: 't', body: '\u0001'.repeat(3200), url }).body).toBe('\u0001'.repeat(3200))
})

it('a text of 4,000 plain characters is shown whole, and the longest of the widest is cut', () => {
  expect(parts({ title: 't', body: 'b'.repeat(4000), url }).body).toBe('b'.repeat(4000))
  expect(parts({ title: 't', body: 'b'.repeat(4001), url }).body).toBe(`${'b'.repeat(3999)}…`)
  const { body = '' } = parts({ title: '\u0001'.repeat(300), body: '\u0001'.repeat(20_000), url })
  expect(body.length).toBeGreaterThanOrEqual(2000)
})
