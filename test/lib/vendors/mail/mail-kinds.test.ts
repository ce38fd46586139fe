import { caniemail } from 'caniemail'
import { DomUtils, parseDocument } from 'htmlparser2'
import { expect, it } from 'vitest'
import { samples } from '#local/dashboard/preview-samples.ts'
import { listPreviews, type Preview, type Samples } from '#local/dashboard/previews.ts'
import { nameMatter } from '#rules/events/conversations.ts'
import { toAnnouncement } from '#rules/events/events.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { sentence } from '#rules/text/sentence.ts'
import { fullReport } from '#test/lib/rules/exports/export-document.ts'
import { renderTicketNote } from '#test/support/with-budget.ts'
import { createMailHeaders } from '#vendors/mail/mail.ts'
import { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { findMatter } from '#work/delivery-matters.ts'

// Every kind of e-mail goes through these checks. `listPreviews` has all of them: its table of purposes and the
// list of events do not compile, or NOT-75 fails, without a new one.

type Mail = Extract<Preview, { kind: 'mail' }>
const isMail = (preview: Preview): preview is Mail => preview.kind === 'mail'
const listMails = (texts = samples) => listPreviews('#0f766e', texts.accountName, texts).filter(isMail)

// Words of the service, dates, addresses and ids, by their keys, are not what users write.
const fixedKeys =
  /(?:^|_)(?:ids?|key|urgency|outcome|source|email|url|link|timezones?|week|monday|host|from|to|at|on|label|path|waits_for|phone)$|(?:Id|Ids|Url|At|On)$/

/** Replace the texts of users, and give those that can have several lines a second one. */
function replaceTexts<T>(value: T, write: (index: number) => string, key = ''): T {
  let index = 0
  const visit = (item: unknown, name: string): unknown => {
    if (typeof item === 'string') return fixedKeys.test(name) ? item : write(index++)
    if (Array.isArray(item)) return item.map((part) => visit(part, name))
    if (typeof item !== 'object' || item === null) return item
    return Object.fromEntries(Object.entries(item).map(([k, part]) => [k, visit(part, k)]))
  }
  return visit(value, key) as T
}

const arabic = {
  ...replaceTexts<Samples>(samples, (index) => `الطابعة ${index} (لا تعمل)!`),
  opening: sentence`Dana Reyes escalated: ${'الطابعة لا تعمل!'}`,
}
const hostile = replaceTexts<Samples>(
  samples,
  (index) => `<b>${index}</b> & "quoted"\r\nsecond <i>line</i>\nthird`,
)

/** Return the parts of a text that stand outside of every isolate. */
function removeIsolated(line: string): string {
  let depth = 0
  let outside = ''
  for (const character of line) {
    if (/[\u2066-\u2068]/.test(character)) depth++
    else if (character === '\u2069') depth--
    else if (depth <= 0) outside += character
  }
  return outside
}

/** Return the lines in which a value from right to left stands unisolated among words of the service. */
const listMixedLines = (text: string) =>
  text.split('\n').filter((line) => {
    const outside = removeIsolated(line)
    return /\p{Script=Arabic}/u.test(outside) && /[a-z]{2}/i.test(outside)
  })

const blocks = new Set(['p', 'h1', 'h2', 'td', 'th', 'caption'])
const strip = (text: string) =>
  text
    .replace(/[\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Return what is wrong with an e-mail. */
function check({ id, subject, html, text }: Mail): string[] {
  const document = parseDocument(html)
  const body = DomUtils.getElementsByTagName('body', document)[0]
  const all = DomUtils.getElementsByTagName('*', body?.children ?? [])
  const byName = (name: string) => all.filter((element) => element.name === name)
  const problems: string[] = []
  const claim = (isRight: boolean, problem: string) => isRight || problems.push(`${id}: ${problem}`)

  claim(byName('h1').length === 1, 'has not one h1')
  const headings = all.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name[1])] : []))
  claim(headings[0] === 1 && headings.every((level) => level <= 2), 'has headings in a wrong order')
  claim(
    DomUtils.getElementsByTagName('html', document)[0]?.attribs.lang === 'en' &&
      byName('div')[0]?.attribs.lang === 'en',
    'has no language, or loses it with its first element',
  )
  for (const table of byName('table'))
    claim(
      table.attribs.role === 'presentation' ||
        DomUtils.getElementsByTagName('th', table).some(({ attribs }) => attribs.scope),
      'has a table that is neither for the layout nor has headers',
    )
  const others = new Set([...blocks, 'div', 'a', 'br', 'table', 'tr'])
  claim(
    all.every(({ name }) => others.has(name)),
    'has an element that no layout wrote',
  )
  for (const { attribs, name } of all) {
    claim(!/white-space/.test(attribs.style ?? ''), 'keeps line feeds by a style')
    claim(name !== 'a' || attribs.dir === undefined, 'has a direction on a link, which Outlook gets wrong')
  }
  for (const anchor of byName('a').filter(({ attribs }) => /padding/.test(attribs.style ?? ''))) {
    const cell = anchor.parent as unknown as { name: string; attribs: Record<string, string> }
    claim(
      cell.name === 'td' && Boolean(cell.attribs.bgcolor) && /mso-padding-alt/.test(cell.attribs.style ?? ''),
      'has a button that is none in Outlook',
    )
  }
  const textNodes = DomUtils.find((node) => node.type === 'text', body?.children ?? [], true, 1e6)
  for (const node of textNodes) {
    const shown = (node as unknown as { data: string }).data
    if (!shown.trim()) continue
    let block = node.parent as unknown as {
      name: string
      attribs: Record<string, string>
      parent: typeof block
    }
    while (!blocks.has(block.name) && block.parent) block = block.parent
    claim(block.attribs?.dir === 'auto', `has a text without a direction: ${shown}`)
    claim(!/[\r\n]/.test(shown), 'has a line feed that is not a <br>')
    claim(strip(text).includes(strip(shown)), `has not in its text part: ${shown}`)
    claim(listMixedLines(shown).length === 0, `mixes directions in ${shown}`)
  }
  for (const { attribs } of byName('a')) claim(text.includes(attribs.href ?? '-'), 'has a link in HTML alone')
  claim(listMixedLines(text).length === 0, `mixes directions in its text part: ${listMixedLines(text)[0]}`)
  claim(listMixedLines(subject).length === 0, `mixes directions in its subject: ${subject}`)
  // Gmail clips a larger one: https://developers.google.com/gmail/markup
  claim(new TextEncoder().encode(html).length < 102 * 1024, 'is clipped by Gmail')
  return problems
}

it.each([
  ['as in the previews', samples],
  ['in Arabic', arabic],
  ['with markup and line feeds', hostile],
])(
  'NOT-108 every kind of e-mail has a structure, directions, lines, and the same text part, %s',
  (_, texts) => {
    const mails = listMails(texts)
    expect(mails.length).toBeGreaterThan(95)
    expect(mails.flatMap(check)).toEqual([])
  },
)

// What Outlook on Windows, Gmail or Apple Mail ignores, and what the reader then sees.
const harmless: Record<string, string> = {
  '@media': 'without it there is no dark mode, or the program makes its own',
  '<style> element': 'has the colours of dark mode alone',
  'color-scheme CSS property': 'as @media',
  'color-scheme meta tag': 'as @media',
  '<body> element': 'the first element has its style, language and direction',
  'border-radius': 'the corners of a button are square',
  'max-width': 'lines are as long as the window is wide',
  background: 'the checker takes background-color for it; there is no other background',
  border: 'only that of the heading, with 3 pixels; those of paragraphs are unreliable',
  'dir attribute': 'Outlook gets it wrong on links alone, which have none',
  display: 'the cell of a button has its padding in Outlook',
  'font-size': 'pixels are supported everywhere',
  'font-weight': '400 and 600 are normal and bold',
  'height attribute': 'of a bar: a larger one at 120 dpi',
  'height property': 'of a bar, which has the attribute too',
  'line-height': 'a number without a unit is supported',
  margin: 'none is negative; a box that cannot be centred is at the left',
  padding: 'Outlook takes that of cells; that of the page is its own margin, that of a button is in its cell',
  'text-align': 'only left and right are used',
  'text-decoration': 'a single value; where it is ignored, a button is underlined',
  'width attribute': 'of a bar: it has no pixels',
  'width property': 'of tables and cells alone',
  'word-break': 'a long word is broken elsewhere, or makes its line longer',
}

it('NOT-109 no e-mail relies on what Outlook, Gmail or Apple Mail ignores', () => {
  const ignored = new Map<string, string>()
  const clients = ['outlook.windows', 'gmail.*', 'apple-mail.*'] as const
  for (const { id, html } of listMails()) {
    const { errors, warnings } = caniemail({ clients: [...clients], html }).issues
    for (const issues of [...errors.values(), ...warnings.values()])
      for (const { title } of issues) ignored.set(title, id)
  }
  expect([...ignored].filter(([title]) => !(title in harmless))).toEqual([])
  // A reason for something that no e-mail has any more would hide its return.
  expect(Object.keys(harmless).filter((title) => !ignored.has(title))).toEqual([])
})

it('NOT-107 titles, bodies, chat messages and ticket notes isolate values from right to left', () => {
  const texts = eventKeyList.flatMap((key) => {
    const { title, body } = toAnnouncement(arabic.events[key])
    return [title, body]
  })
  const collect = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(collect)
        : []
  const chats = listPreviews('#0f766e', arabic.accountName, arabic).flatMap((preview) =>
    preview.kind === 'chat' ? collect(preview.body) : [],
  )
  const report = replaceTexts(fullReport, (index) => `القيمة ${index}!`)
  const mixed = [...texts, ...chats, renderTicketNote(report)].flatMap(listMixedLines)
  expect(mixed).toEqual([])
})

const delivery = (fields: Partial<ClaimedDelivery>) =>
  ({
    ...Object.fromEntries(Object.keys(ClaimedDelivery.shape).map((key) => [key, `${key}-1`])),
    ...fields,
  }) as ClaimedDelivery

it('NOT-106 the e-mails of one matter have the same References, and those of others do not', () => {
  const from = 'Support Flow <flow@example.com>'
  const list = [
    ...eventKeyList.map((key) => {
      const { link } = toAnnouncement(samples.events[key])
      return delivery({ purpose: null, event_key: key, link })
    }),
    ...ClaimedDelivery.shape.purpose.unwrap().options.map((purpose) => delivery({ purpose })),
  ]
  for (const item of list) {
    const matter = findMatter(item)
    const headers = createMailHeaders({ to: '', subject: '', html: '', text: '', matter }, from)
    expect(headers['In-Reply-To']).toBe(headers.References)
    if (matter === null) expect(headers).not.toHaveProperty('References')
    else expect(headers.References).toMatch(/^<[\w.%-]{3,200}@example\.com>$/)
  }
  const session = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15'
  const cases = eventKeyList.filter((key) => /^(?:escalation|handoff)\.|^session\.escalated/.test(key))
  const matters = cases.map((key) => nameMatter(key, toAnnouncement(samples.events[key]).link))
  expect([cases.length, new Set(matters)]).toEqual([6, new Set([`pilot.${session}`])])
  expect(nameMatter('psa.push_failed', '/tickets/a b)c/ü')).toBe('tickets.a%20b_c.%C3%BC')
  expect(nameMatter('member.joined', '/settings/members')).toBeNull()
})
