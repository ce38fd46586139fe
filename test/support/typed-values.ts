import { join } from 'node:path'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import MarkdownIt, { type Token } from 'markdown-it'
import { extractText, getDocumentProxy } from 'unpdf'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { releaseParts } from '#rules/audience.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import type { Report, ReportStep } from '#rules/exports/report.ts'
import { fillMarkdown } from '#rules/flows/fill-markdown.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { createReport } from '#test/support/report.ts'
import { renderHtml, renderMarkdown, renderText, renderTicketNote } from '#test/support/with-budget.ts'
import { toBlocks } from '#vendors/chat/chat1-blocks.ts'
import { toAdaptiveCard } from '#vendors/chat/chat2-card.ts'
import { renderEmail } from '#vendors/mail/layout.ts'

// Values that a technician types, through everything that is made of them.

const parts = fc.constantFrom(
  ...'\\ ` * _ [ ] ( ) < > { } # + - . ! | ~ & = : ; / % $ ^ @ " \' ? ,'.split(' '),
  ...[
    '``',
    '```',
    '**',
    '__',
    '~~',
    '~~~',
    '](',
    '![',
    '&amp;',
    '&#35;',
    '<b>',
    '-->',
    '\\\\',
    '\\_',
    '1.',
    '2)',
    '- ',
    '# ',
    '> ',
    '===',
    '---',
  ],
  ...['|---|', 'http://a.b/_c_', 'C:\\', '\\.cache', '\\[old]\\', 'x', 'word', ' a ', 'é', '漢', '😀', '7'],
)
const line = fc.array(parts, { minLength: 1, maxLength: 10 }).map((texts) => texts.join('').trim() || '\\')
/** One line, or several of which none is empty. */
export const typedValue = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))

const places: Record<string, string> = {
  paragraph: 'Delete {{v}} now, then\ngo on.',
  'whole paragraph': '{{v}}',
  'after a path': 'C:\\Users\\{{v}}',
  item: '- one\n- {{v}}\n  1. {{v}} x',
  heading: '## {{v}}',
  quote: '> {{v}}\n> more',
  bold: 'See **the {{v}} disk** here',
  cell: '| a | b |\n| --- | --- |\n| {{v}} | `{{v}}` |',
  label: '[open {{v}}](https://x.example/)',
  code: 'Run `del {{v}}` or ``{{v}}``.',
  block: '```sh\ndel {{v}}\n```',
  'block of an item': '1. Run\n\n   ~~~\n   {{v}}\n   ~~~',
  'indented block': 'Run\n\n    del {{v}}',
}

/**
 * Return the lines of a value that must be found, without white space, which formats change at the ends of
 * lines and cells.
 */
const listLines = (value: string) => value.split('\n').map(squeeze)
const squeeze = (text: string) => text.replace(/\s+/g, '')

const assets = folderAssets(join(root, 'dist/assets'))
const budget = () => createBudget({ steps: jobSteps })

const reader = new MarkdownIt()
/** Return the text that a viewer of markdown shows. */
function readMarkdown(markdown: string): string {
  const read = (token: Token): string =>
    token.type === 'image' || !token.children ? token.content : token.children.map(read).join('\n')
  return reader
    .parse(markdown, {})
    .filter(({ type }) => type === 'inline' || type === 'fence' || type === 'code_block')
    .map((token) =>
      (token.children ?? [token]).map((child) => (child === token ? token.content : read(child))).join(''),
    )
    .join('\n')
}

/** Return the text that a browser shows. */
function readHtml(html: string): string {
  let text = ''
  const parser = new Parser({ ontext: (data) => (text += data) })
  parser.end(html)
  return text
}

const emptyStep = {
  number: '1',
  headers: [],
  details: [],
  answer: '',
  isDone: false,
  durationAndTime: '',
  note: '',
  fallbacks: [],
  customSteps: [],
  evidence: [],
}

/** Return the formats that do not show a value as it was typed, each with its text. */
export async function findChangedValues(
  value: string,
  place: string,
  options: { pdf: boolean },
): Promise<[string, string][]> {
  const source = places[place] ?? ''
  const description = runWithin(budget(), () => fillMarkdown(toMarkdown(source), { v: value }))
  const step: ReportStep = { ...emptyStep, title: value, description }
  const report: Report = createReport({
    facts: [{ label: 'Client', value }],
    variables: [{ label: 'V', value }],
    notes: /```|~~~/.test(value) ? '' : value,
  })
  const described = { ...createReport({}), description }
  const shown: [string, string][] = [
    ['API', readMarkdown(description)],
    ['markdown', readMarkdown(renderMarkdown(described))],
    ['text', renderText(described)],
    ['html', readHtml(renderHtml(described))],
    ['markdown facts', readMarkdown(renderMarkdown(report))],
    ['html facts', readHtml(renderHtml({ ...report, steps: [{ ...step, description: toMarkdown('') }] }))],
    ['text facts', renderText(report)],
    ['ticket note', renderTicketNote(report)],
    ['mail', readHtml(renderMail(value).html)],
    ['text of the mail', renderMail(value).text],
    ['blocks', readBlocks(value)],
    ['card', readCard(value)],
  ]
  if (options.pdf) shown.push(['pdf', await readPdf(described)])
  return shown.filter(([, text]) => !hasLines(text, value))
}

/** The lines are there in their order. A quote has its marks between them. */
function hasLines(text: string, value: string): boolean {
  const shown = squeeze(text)
  let position = 0
  return listLines(value).every((part) => {
    const index = shown.indexOf(part, position)
    position = index + part.length
    return index >= 0
  })
}

export const placeNames = Object.keys(places)

function renderMail(value: string) {
  const frame = {
    brand: { accountName: 'Acme', colour: '#123456' },
    reason: 'You asked for it',
    stop: 'Change it in the app',
  }
  return renderEmail(
    releaseParts({ subject: 'Subject', paragraphs: [], sections: [{ label: 'Note', text: value }] }),
    frame as Parameters<typeof renderEmail>[1],
  )
}

function readBlocks(value: string): string {
  const { blocks } = toBlocks({ title: 'T', body: value, url: null })
  const readText = (text: string) =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return blocks
    .flatMap((block) => ('text' in block && block.text ? readText(block.text.text) : []))
    .join('\n')
}

function readCard(value: string): string {
  const body = toAdaptiveCard({ title: 'T', body: value, url: null }).attachments[0]?.content.body ?? []
  // Cards know fewer marks than CommonMark. What they do not know stays as it is.
  return body
    .flatMap((element) => ('text' in element ? element.text.replace(/\\([!-/:-@[-`{-~])/g, '$1') : []))
    .join('\n')
}

async function readPdf(report: Report): Promise<string> {
  const branding = { company: 'Acme', colour: '#b4232a', footer: null, logo: null }
  const pdf = await runWithin(budget(), () => renderPdf(report, { branding, images: new Map(), assets }))
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
  return text
}
