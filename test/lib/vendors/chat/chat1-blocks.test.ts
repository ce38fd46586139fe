import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSlackError } from '#local/vendors/chat/slack-blocks.ts'
import { clip } from '#rules/text/clip.ts'
import { measureCpuTimeMs } from '#test/support/measure.ts'
import { toBlocks } from '#vendors/chat/chat1-blocks.ts'

// Shrinking texts of up to 4,000 characters takes long, and the shrunk text explains little.
const withoutShrinking = { endOnFailure: true, numRuns: 60 }

// Characters that become longer when escaped, a surrogate pair, and combining sequences, which may be cut
// between code points.
const specialText = fc.string({
  unit: fc.constantFrom('&', '<', '>', '😀', 'e\u0301', '👩‍💻', '\u0001', '\n', 'a', ' '),
  maxLength: 4000,
  size: 'max',
})
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4000, size: 'max' }),
  fc.string({ unit: 'binary' }),
  specialText,
)
const url = 'https://app.supportflow.example/pilot/1?pickup=true&x=1'
const unescapeText = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

type Blocks = [{ text: { text: string } }, { text: { text: string } }, { elements: { text: string }[] }?]

function extractTexts(message: Parameters<typeof toBlocks>[0]) {
  const chatMessage = toBlocks(message)
  const [header, section, context] = chatMessage.blocks as unknown as Blocks
  return {
    text: chatMessage.text,
    header: header.text.text,
    section: section.text.text,
    context: context?.elements[0]?.text,
    chatMessage,
  }
}

it('clip returns a short text unchanged, and cuts a long text between code points and appends an ellipsis', () => {
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
    withoutShrinking,
  )
})

it('NOT-46 toBlocks returns a text and the blocks header, section and, for a link, context', () => {
  expect(
    toBlocks({ title: 'Dana escalated: VPN', body: 'VPN drops', url: 'https://app.example/pilot/1' }),
  ).toEqual({
    text: 'Dana escalated: VPN',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Dana escalated: VPN', emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: 'VPN drops', emoji: false } },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: '<https://app.example/pilot/1|Open in Support Flow>' }],
      },
    ],
  })
  expect(toBlocks({ title: 't', body: '', url: null }).blocks).toHaveLength(2)
  expect(extractTexts({ title: 'the title', body: '', url: null }).section).toBe('the title')
})

it('escapes mentions and links in user texts', () => {
  const { header, section, text } = extractTexts({
    title: '<!channel> & co',
    body: '<https://evil.example|click> <@U1> &lt;',
    url,
  })
  expect(header).toBe('&lt;!channel&gt; &amp; co')
  expect(text).toBe('&lt;!channel&gt; &amp; co')
  expect(section).toBe('&lt;https://evil.example|click&gt; &lt;@U1&gt; &amp;lt;')
})

it('produces a message that Slack accepts, within its length limits, for random texts', () => {
  fc.assert(
    fc.property(anyText, anyText, (randomTitle, body) => {
      const title = `t${randomTitle}`
      const { header, section, text, chatMessage } = extractTexts({ title, body, url })
      expect(findSlackError(chatMessage)).toBeUndefined()
      expect([header.length <= 150, section.length <= 3000, text.length <= 3000]).toEqual([true, true, true])
      for (const [sent, original] of [
        [header, title],
        [text, title],
        [section, body.trim() === '' ? title : body],
      ] as const) {
        expect(sent).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
        expect(sent.isWellFormed()).toBe(true)
        expect(
          original.startsWith(unescapeText(sent).replace(/…$/, '')) || unescapeText(sent) === original,
        ).toBe(true)
      }
    }),
    withoutShrinking,
  )
})

it('keeps texts at their limits, and cuts a text that is too long after escaping at the end of an escape', () => {
  expect(extractTexts({ title: 'x'.repeat(150), body: 'y'.repeat(3000), url })).toMatchObject({
    header: 'x'.repeat(150),
    section: 'y'.repeat(3000),
  })
  const { section } = extractTexts({ title: 't', body: '&'.repeat(3000), url })
  expect(section.length).toBeGreaterThan(2900)
  expect(section.endsWith('&amp;…')).toBe(true)
})

it('converts 20,400 characters that all need escaping in less than 15 ms of CPU time', () => {
  const message = { title: '&'.repeat(400), body: '&'.repeat(20_000), url }
  const durationsMs = Array.from({ length: 5 }, () => measureCpuTimeMs(() => toBlocks(message)))
  expect(Math.min(...durationsMs)).toBeLessThan(15)
})

it('NOT-72 shows the texts of users as plain text, because mrkdwn cannot be escaped', () => {
  const fact = { label: 'Client', text: '*Contoso*' }
  const { blocks } = toBlocks({
    title: '*t*',
    body: '_slow_',
    url,
    facts: [fact],
    sections: [{ label: 'Summary', text: '`x` ~y~' }],
  })
  const texts = JSON.stringify(blocks).match(/\{"type":"(plain_text|mrkdwn)","text":"[^"]*"/g)
  expect(
    texts?.filter((text) => /\*t|Contoso|slow|`x`/.test(text)).every((text) => text.includes('plain_text')),
  ).toBe(true)
  expect(texts).toHaveLength(7)
})

it('produces a message that Slack accepts for random facts and sections', () => {
  const labelled = fc.array(
    anyText.map((text) => ({ label: 'Summary', text: `t${text}` })),
    { maxLength: 8 },
  )
  const button = { label: 'Pick up the session', isUrgent: true }
  fc.assert(
    fc.property(anyText, labelled, labelled, (title, facts, sections) => {
      expect(
        findSlackError(toBlocks({ title: `t${title}`, body: '', url, facts, sections, button })),
      ).toBeUndefined()
    }),
    withoutShrinking,
  )
})

describe('the blocks of a message', () => {
  const list = (count: number) => Array.from({ length: count }, (_, n) => ({ label: `l${n}`, text: `t${n}` }))
  const kinds = (message: Partial<Parameters<typeof toBlocks>[0]>) =>
    toBlocks({ title: 't', body: '', url: null, ...message }).blocks.map((block) =>
      'fields' in block ? 'fields' : block.type,
    )

  it.each([
    [{}, ['header', 'section']],
    [{ body: 'b', facts: list(1) }, ['header', 'fields', 'section']],
    [{ facts: list(1) }, ['header', 'fields']],
    [{ sections: list(1) }, ['header', 'section', 'section']],
    [{ body: 'b', sections: list(1) }, ['header', 'section', 'section', 'section']],
    [{ url }, ['header', 'section', 'context']],
    [{ url, button: { label: 'Open', isUrgent: true } }, ['header', 'section', 'actions']],
    [{ button: { label: 'Open', isUrgent: true } }, ['header', 'section']],
  ])('with %j are %j', (message, expected) => expect(kinds(message)).toEqual(expected))

  it('show at most eight facts and eight sections, and say how many are left out', () => {
    const { blocks } = toBlocks({ title: 't', body: '', url: null, facts: list(9), sections: list(9) })
    const fields = blocks.flatMap((block) => ('fields' in block ? (block.fields as { text: string }[]) : []))
    expect(fields.map(({ text }) => text)).toEqual(list(8).flatMap(({ label, text }) => [`*${label}*`, text]))
    expect(blocks.length).toBe(3 + 2 * 8 + 1)
    expect(blocks.at(-1)).toMatchObject({ text: { text: '… and 2 more' } })
  })
  it('cut facts after 300 characters, and sections to 10,000 together', () => {
    const fact = { label: 'l', text: 'x'.repeat(301) }
    const section = { label: 'l', text: 'y'.repeat(4000) }
    const lengths = (sections: number) =>
      JSON.stringify(
        toBlocks({ title: 't', body: '', url: null, facts: [fact], sections: Array(sections).fill(section) })
          .blocks,
      )
        .match(/[xy]{9,}…?/g)
        ?.map((text) => text.length)
    expect(lengths(1)).toEqual([300, 3000])
    expect(lengths(5)).toEqual([300, ...Array(5).fill(2000)])
  })
  const actionsOf = (message: Partial<Parameters<typeof toBlocks>[0]>) => {
    const actions = [
      { kind: 'claim' as const, deliveryId: 'd' },
      { kind: 'approve' as const, deliveryId: 'd' },
    ]
    const button = { label: 'Open', isUrgent: true }
    const { blocks } = toBlocks({ title: 't', body: '', url, button, actions, ...message })
    return blocks.find(({ type }) => type === 'actions')?.elements as Record<string, unknown>[]
  }
  it('NOT-112 have buttons that act, the first of which is red if it is urgent', () => {
    const text = (label: string) => ({ type: 'plain_text', text: label, emoji: false })
    expect(actionsOf({})).toEqual([
      { type: 'button', text: text('Claim'), action_id: 'claim', value: 'd', style: 'danger' },
      { type: 'button', text: text('Approve'), action_id: 'approve', value: 'd' },
      { type: 'button', text: text('Open'), url, action_id: 'open' },
    ])
  })
  it.each([
    ['facts', { facts: list(9) }],
    ['a fact', { facts: [{ label: 'l', text: '&'.repeat(61) }] }],
    ['sections', { sections: list(9) }],
    ['a section', { sections: [{ label: 'l', text: '&'.repeat(601) }] }],
  ])('APR-15 approve nothing where %s are cut', (_, message) => {
    expect(actionsOf(message).map(({ action_id }) => action_id)).toEqual(['claim', 'open'])
  })
  it.each([
    [true, { style: 'danger' }],
    [false, {}],
  ])('have a button, which is red if it is urgent: %s', (isUrgent, style) => {
    const secondButton = { label: 'Acknowledge', url: 'https://app.example/ack' }
    const { blocks } = toBlocks({
      title: 't',
      body: 'b',
      url,
      button: { label: 'Pick up', isUrgent },
      secondButton,
    })
    const toText = (text: string) => ({ type: 'plain_text', text, emoji: false })
    expect(blocks.find(({ type }) => type === 'actions')).toEqual({
      type: 'actions',
      elements: [
        { type: 'button', text: toText('Pick up'), url, action_id: 'open', ...style },
        { type: 'button', text: toText('Acknowledge'), url: secondButton.url, action_id: 'second' },
      ],
    })
  })
})
