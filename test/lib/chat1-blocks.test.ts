import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clip } from '../../lib/chat/chat.ts'
import { toBlocks } from '../../lib/chat/chat1-blocks.ts'
import { findSlackError } from '../../lib/local/slack-blocks.ts'
import { cpuTimeMs } from '../support/measure.ts'

// Shrinking a text of thousands of characters takes longer than reading it.
const long = { endOnFailure: true, numRuns: 60 }

// Every code point, and texts that are mostly what gets longer or can be cut in two.
const awkward = fc.string({
  unit: fc.constantFrom('&', '<', '>', '😀', 'e\u0301', '👩‍💻', '\u0001', '\n', 'a', ' '),
  maxLength: 4000,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 4000, size: 'max' }), fc.string({ unit: 'binary' }), awkward)
const url = 'https://app.supportflow.example/pilot/1?pickup=true&x=1'
const decoded = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

type Drawn = [{ text: { text: string } }, { text: { text: string } }, { elements: { text: string }[] }?]

function texts(message: Parameters<typeof toBlocks>[0]) {
  const made = toBlocks(message)
  const [header, section, context] = made.blocks as unknown as Drawn
  return { text: made.text, header: header.text.text, section: section.text.text, context: context?.elements[0]?.text, made }
}

it('clip keeps what is short, and cuts at whole characters with an ellipsis', () => {
  expect(clip('abc', 3)).toBe('abc')
  expect(clip('abcd', 3)).toBe('ab…')
  expect(clip('😀😀😀', 3)).toBe('😀😀😀')
  expect(clip('😀😀😀😀', 3)).toBe('😀😀…')
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, max) => {
      const clipped = clip(text, max)
      expect(Array.from(clipped).length).toBe(Math.min(max, Array.from(text).length))
      expect(clipped.isWellFormed()).toBe(true)
      expect(text.startsWith(clipped.replace(/…$/, '')) || clipped === text).toBe(true)
    }),
    long,
  )
})

it('NOT-46 chat1 sends text and blocks: header, section, and a context with the link', () => {
  expect(toBlocks({ title: 'Dana escalated: VPN', body: 'VPN drops', url: 'https://app.example/pilot/1' })).toEqual({
    text: 'Dana escalated: VPN',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Dana escalated: VPN', emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: 'VPN drops' } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: '<https://app.example/pilot/1|Open in Support Flow>' }] },
    ],
  })
  expect(toBlocks({ title: 't', body: '', url: null }).blocks).toHaveLength(2)
  expect(texts({ title: 'the title', body: '', url: null }).section).toBe('the title')
})

it('what users wrote mentions nobody and links nowhere', () => {
  const { header, section, text } = texts({ title: '<!channel> & co', body: '<https://evil.example|click> <@U1> &lt;', url })
  expect(header).toBe('&lt;!channel&gt; &amp; co')
  expect(text).toBe('&lt;!channel&gt; &amp; co')
  expect(section).toBe('&lt;https://evil.example|click&gt; &lt;@U1&gt; &amp;lt;')
})

it('whatever the texts are, Slack takes the message, and no length is over its limit', () => {
  fc.assert(
    fc.property(anyText, anyText, (given, body) => {
      const title = `t${given}`
      const { header, section, text, made } = texts({ title, body, url })
      expect(findSlackError(made)).toBeUndefined()
      expect([header.length <= 150, section.length <= 3000, text.length <= 3000]).toEqual([true, true, true])
      for (const [shown, whole] of [
        [header, title],
        [text, title],
        [section, body || title],
      ] as const) {
        expect(shown).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
        expect(shown.isWellFormed()).toBe(true)
        expect(whole.startsWith(decoded(shown).replace(/…$/, '')) || decoded(shown) === whole).toBe(true)
      }
    }),
    long,
  )
})

it('a text that fits is not cut, and one that grows by its escapes is cut no more than needed', () => {
  expect(texts({ title: 'x'.repeat(150), body: 'y'.repeat(3000), url })).toMatchObject({
    header: 'x'.repeat(150),
    section: 'y'.repeat(3000),
  })
  const { section } = texts({ title: 't', body: '&'.repeat(3000), url })
  expect(section.length).toBeGreaterThan(2900)
  expect(section.endsWith('&amp;…')).toBe(true)
})

it('the longest text of the worst kind costs a few milliseconds at most', () => {
  const message = { title: '&'.repeat(400), body: '&'.repeat(20_000), url }
  const costs = Array.from({ length: 5 }, () => cpuTimeMs(() => toBlocks(message)))
  expect(Math.min(...costs)).toBeLessThan(15)
})
