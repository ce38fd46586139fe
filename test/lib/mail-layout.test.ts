import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderEmail } from '../../lib/mail/layout.ts'
import { escapeHtml } from '../../lib/text/html.ts'

// Shrinking is off, because a shrunk text explains no more than the original.
const withoutShrinking = { endOnFailure: true, numRuns: 60 }

const link = { label: 'Open', url: 'https://app.example/verify?token=a&b="c"' }
const markup = fc.string({
  unit: fc.constantFrom('<', '>', '"', "'", '&', '/', 'script', 'a', ' ', '\n', '😀'),
  maxLength: 400,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400, size: 'max' }), markup)

it('escapes every character that is special in HTML', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;')
})

it('renders an HTML and a text part with the same content', () => {
  const email = renderEmail({ subject: 'Dana & Sam', paragraphs: ['VPN <drops>', 'Since "today"'], link })
  expect(email.text).toBe(`VPN <drops>\n\nSince "today"\n\nOpen: ${link.url}`)
  expect(email.html).toContain('<title>Dana &amp; Sam</title>')
  expect(email.html).toContain('>VPN &lt;drops&gt;</p>')
  expect(email.html).toContain('>Since &quot;today&quot;</p>')
  expect(email.html).toContain('href="https://app.example/verify?token=a&amp;b=&quot;c&quot;"')
  expect(renderEmail({ subject: 's', paragraphs: [] }).html).not.toContain('<a ')
})

it('an e-mail with random texts contains only the tags of the layout', () => {
  const findTags = (html: string) => html.match(/<\/?[a-z!][^>]*>/g)
  const layoutTags = findTags(renderEmail({ subject: '', paragraphs: [''], link: { label: '', url: '' } }).html)
  fc.assert(
    fc.property(anyText, anyText, anyText, (subject, paragraph, label) => {
      const { html } = renderEmail({ subject, paragraphs: [paragraph], link: { label, url: '' } })
      expect(findTags(html)).toEqual(layoutTags)
      expect(html).toContain(`>${escapeHtml(paragraph)}</p>`)
    }),
    withoutShrinking,
  )
})

it('limits a subject to one line of at most 300 code points', () => {
  expect(renderEmail({ subject: 'Hi\r\nBcc: everyone@example.com', paragraphs: [] }).subject).toBe('Hi Bcc: everyone@example.com')
  expect(renderEmail({ subject: `${'x'.repeat(299)}😀`, paragraphs: [] }).subject).toMatch(/^x{299}/)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('😀', 'a', '\n', '\u2028'), maxLength: 400 }), (text) => {
      const subject = text + '😀'.repeat(301)
      const rendered = renderEmail({ subject, paragraphs: [] }).subject
      expect(rendered).not.toMatch(/[\r\n\u2028\u2029]/)
      expect(rendered.isWellFormed()).toBe(true)
      expect(Array.from(rendered).length).toBeLessThanOrEqual(300)
    }),
    withoutShrinking,
  )
})

it('NOT-70 shows facts and sections in both parts, escaped, and the subject in neither', () => {
  const email = renderEmail({
    subject: 'Dana escalated: VPN',
    paragraphs: [],
    facts: [{ label: 'Urgency', text: 'Critical' }],
    sections: [{ label: 'Summary', text: '<b>down</b>\nsince 9:40' }],
    isUrgent: true,
    link,
  })
  expect(email.text).toBe(`Urgency: Critical\n\nSummary\n<b>down</b>\nsince 9:40\n\nOpen: ${link.url}`)
  expect(email.html).toContain('&lt;b&gt;down&lt;/b&gt;\nsince 9:40')
  expect(email.html.split('Dana escalated')).toHaveLength(2)
})
