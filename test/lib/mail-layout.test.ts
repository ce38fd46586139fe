import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderEmail } from '../../lib/mail/layout.ts'
import { escapeHtml } from '../../lib/text/html.ts'

// Shrinking a text of thousands of characters takes longer than reading it.
const long = { endOnFailure: true, numRuns: 60 }

const link = { label: 'Open', url: 'https://app.example/verify?token=a&b="c"' }
const markup = fc.string({
  unit: fc.constantFrom('<', '>', '"', "'", '&', '/', 'script', 'a', ' ', '\n', '😀'),
  maxLength: 400,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400, size: 'max' }), markup)

it('escapes everything that HTML reads', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;')
})

it('has an HTML and a text part that say the same', () => {
  const letter = renderEmail({ subject: 'Dana & Sam', paragraphs: ['VPN <drops>', 'Since "today"'], link })
  expect(letter.text).toBe(`Dana & Sam\n\nVPN <drops>\n\nSince "today"\n\nOpen: ${link.url}`)
  expect(letter.html).toContain('<title>Dana &amp; Sam</title>')
  expect(letter.html).toContain('>VPN &lt;drops&gt;</p>')
  expect(letter.html).toContain('>Since &quot;today&quot;</p>')
  expect(letter.html).toContain('<a href="https://app.example/verify?token=a&amp;b=&quot;c&quot;"')
  expect(renderEmail({ subject: 's', paragraphs: [] }).html).not.toContain('<a ')
})

it('whatever the texts are, the tags of the letter are its own', () => {
  const tags = (html: string) => html.match(/<\/?[a-z!][^>]*>/g)
  const own = tags(renderEmail({ subject: '', paragraphs: [''], link: { label: '', url: '' } }).html)
  fc.assert(
    fc.property(anyText, anyText, anyText, (subject, paragraph, label) => {
      const { html } = renderEmail({ subject, paragraphs: [paragraph], link: { label, url: '' } })
      expect(tags(html)).toEqual(own)
      expect(html).toContain(`>${escapeHtml(paragraph)}</p>`)
    }),
    long,
  )
})

it('a subject is one line of at most 300 characters, none of them halved', () => {
  expect(renderEmail({ subject: 'Hi\r\nBcc: everyone@example.com', paragraphs: [] }).subject).toBe('Hi Bcc: everyone@example.com')
  expect(renderEmail({ subject: `${'x'.repeat(299)}😀`, paragraphs: [] }).subject).toMatch(/^x{299}/)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('😀', 'a', '\n', '\u2028'), maxLength: 400 }), (text) => {
      const subject = text + '😀'.repeat(301)
      const shown = renderEmail({ subject, paragraphs: [] }).subject
      expect(shown).not.toMatch(/[\r\n\u2028\u2029]/)
      expect(shown.isWellFormed()).toBe(true)
      expect(Array.from(shown).length).toBeLessThanOrEqual(300)
    }),
    long,
  )
})
