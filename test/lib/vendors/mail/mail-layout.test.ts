import fc from 'fast-check'
import { expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { getContrast, parseHexColour } from '#rules/text/colour.ts'
import { html as writeHtml } from '#rules/text/html.ts'
import { toReadableColours } from '#vendors/mail/brand.ts'
import { type EmailContent, type EmailFrame, renderEmail } from '#vendors/mail/layout.ts'

// Shrinking is off, because a shrunk text explains no more than the original.
const withoutShrinking = { endOnFailure: true, numRuns: 60 }

const frame: EmailFrame = {
  brand: { accountName: 'Northwind IT', colour: '#0f766e' },
  reason: 'You are a member.',
  stop: { label: 'Stop', url: 'https://app.example/stop?a&b' },
}
const render = (content: EmailContent, changes: Partial<EmailFrame> = {}) =>
  renderEmail(releaseParts(content), releaseParts({ ...frame, ...changes }))
const footer = '-- \nNorthwind IT via Support Flow\nYou are a member.\nStop: https://app.example/stop?a&b'

const link = { label: 'Open', url: 'https://app.example/verify?token=a&b="c"' }
const markup = fc.string({
  unit: fc.constantFrom('<', '>', '"', "'", '&', '/', 'script', 'a', ' ', '\n', '😀'),
  maxLength: 400,
  size: 'max',
})
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 400, size: 'max' }), markup)

it('escapes every character that is special in HTML', () => {
  expect(String(writeHtml`${`<a href="x" id='y'>&amp;</a>`}`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})

it('renders an HTML and a text part with the same content', () => {
  const email = render({ subject: 'Dana & Sam', paragraphs: ['VPN <drops>', 'Since "today"'], link })
  expect(email.text).toBe(`VPN <drops>\n\nSince "today"\n\nOpen: ${link.url}\n\n${footer}`)
  expect(email.html).toContain('<title>Dana &amp; Sam</title>')
  expect(email.html).toContain('>VPN &lt;drops&gt;</p>')
  expect(email.html).toContain('>Since &quot;today&quot;</p>')
  expect(email.html).toContain('href="https://app.example/verify?token=a&amp;b=&quot;c&quot;"')
  expect(render({ subject: 's', paragraphs: [] }, { stop: 'Nobody can.' }).html).not.toContain('<a ')
})

it('an e-mail with random texts contains only the tags of the layout', () => {
  const findTags = (html: string) => html.match(/<\/?[a-z!][^>]*>/g)?.filter((tag) => tag !== '<br>')
  const layoutTags = findTags(render({ subject: '', paragraphs: [''], link: { label: '', url: '' } }).html)
  fc.assert(
    fc.property(anyText, anyText, anyText, (subject, paragraph, label) => {
      const { html } = render({ subject, paragraphs: [paragraph], link: { label, url: '' } })
      expect(findTags(html)).toEqual(layoutTags)
      const [first, ...lines] = paragraph.split(/\r\n?|\n/)
      expect(html).toContain(
        String(writeHtml`>${first ?? ''}${lines.map((line) => writeHtml`<br>${line}`)}</p>`),
      )
    }),
    withoutShrinking,
  )
})

it('limits a subject to one line of at most 300 code points', () => {
  expect(render({ subject: 'Hi\r\nBcc: everyone@example.com', paragraphs: [] }).subject).toBe(
    'Hi Bcc: everyone@example.com',
  )
  expect(render({ subject: `${'x'.repeat(299)}😀`, paragraphs: [] }).subject).toMatch(/^x{299}/)
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('😀', 'a', '\n', '\u2028'), maxLength: 400 }), (text) => {
      const subject = text + '😀'.repeat(301)
      const rendered = render({ subject, paragraphs: [] }).subject
      expect(rendered).not.toMatch(/[\r\n\u2028\u2029]/)
      expect(rendered.isWellFormed()).toBe(true)
      expect(Array.from(rendered).length).toBeLessThanOrEqual(300)
    }),
    withoutShrinking,
  )
})

it('NOT-70 shows facts and sections in both parts, escaped, and the subject in neither', () => {
  const email = render({
    subject: 'Dana escalated: VPN',
    paragraphs: [],
    facts: [{ label: 'Urgency', text: 'Critical' }],
    sections: [{ label: 'Summary', text: '<b>down</b>\nsince 9:40' }],
    isUrgent: true,
    link,
  })
  expect(email.text).toBe(
    `Urgency: Critical\n\nSummary\n<b>down</b>\nsince 9:40\n\nOpen: ${link.url}\n\n${footer}`,
  )
  expect(email.html).toContain('&lt;b&gt;down&lt;/b&gt;<br>since 9:40')
  expect(email.html.split('Dana escalated')).toHaveLength(2)
})

const toHex = (channels: readonly number[]) =>
  `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
const channel = fc.integer({ min: 0, max: 255 })
const anyColour = fc.tuple(channel, channel, channel).map(toHex)
const steps = [0, 64, 128, 192, 255]
const grid = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => toHex([red, green, blue]))))

/**
 * Return the colours of an element's text and background in light and in dark mode, as the style of the
 * e-mail sets them.
 */
function readColours(html: string, name: 'brand' | 'button') {
  const read = (pattern: RegExp) => parseHexColour(pattern.exec(html)?.[1] ?? 'missing')
  const readElement = (className: string) =>
    new RegExp(`class="${className}"[^>]*style="[^"]*`).exec(html)?.[0] ?? ''
  const readRule = (className: string) =>
    new RegExp(`\\.${className}[,{][^}]*\\}`).exec(html)?.[0].replace(/^.*\{/, '{') ?? ''
  const page = {
    light: read(/<body[^>]*background-color:(#\w{6})/),
    dark: read(/\.page\{background-color:(#\w{6})/),
  }
  const readIn = (text: string, property: string) =>
    parseHexColour(new RegExp(`[;{"]${property}:(#\\w{6})`).exec(text)?.[1] ?? '')
  if (name === 'brand')
    return {
      light: [readIn(readElement(name), 'color'), page.light],
      dark: [readIn(readRule(name), 'color'), page.dark],
      page,
    }
  return {
    light: [readIn(readElement('button-label'), 'color'), readIn(readElement(name), 'background-color')],
    dark: [readIn(readRule('button-label'), 'color'), readIn(readRule(name), 'background-color')],
    page,
  }
}

it('NOT-74 any colour of an account has a contrast of 4.5 in light and dark mode, as text and as a button', () => {
  for (const colour of [...grid, ...fc.sample(anyColour, 200)]) {
    const { html } = render(
      { subject: 's', paragraphs: [], link },
      { brand: { accountName: 'Northwind IT', colour } },
    )
    for (const name of ['brand', 'button'] as const) {
      const { light, dark, page } = readColours(html, name)
      for (const [text, background] of [light, dark]) {
        const contrast = getContrast(text as never, background as never)
        expect(contrast, `${colour} ${name} ${contrast}`).toBeGreaterThanOrEqual(4.5)
      }
      // The shape of the button is visible on the page too.
      if (name === 'button') expect(getContrast(light[1] as never, page.light)).toBeGreaterThanOrEqual(4.5)
      if (name === 'button') expect(getContrast(dark[1] as never, page.dark)).toBeGreaterThanOrEqual(4.5)
    }
  }
})

it('NOT-74 keeps a colour that can be read', () => {
  expect(toReadableColours('#0f766e').light).toBe('#0f766e')
  expect(toReadableColours('#fde047').dark).toBe('#fde047')
})

it('NOT-73 shows the name of the account and of the service, and why and how to stop, in both parts', () => {
  const email = render({ subject: 's', paragraphs: ['p'] })
  for (const text of ['Northwind IT via Support Flow', 'You are a member.', 'Stop']) {
    expect(email.html).toContain(text)
    expect(email.text).toContain(text)
  }
  expect(email.html).toContain('href="https://app.example/stop?a&amp;b"')
  expect(
    render({ subject: 's', paragraphs: [] }, { brand: { accountName: null, colour: null } }).text,
  ).toContain('-- \nSupport Flow\n')
  const bait = { accountName: 'Log in at https://evil.example/login', colour: null }
  const baited = render({ subject: 's', paragraphs: [] }, { brand: bait })
  for (const part of [baited.html, baited.text]) {
    expect(part).not.toContain('evil.example')
    expect(part).toContain('via Support Flow')
  }
})
