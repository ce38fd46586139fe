import type { Evidence, Fact, Report, ReportCustomStep, ReportFallback, ReportStep } from './report.ts'
import { type Block, joinNonEmpty, parseMarkdown, parsePlainText, type Span, splitLines } from './text-blocks.ts'

/** Render a report as CommonMark. Text that could be read as markup is escaped; code blocks are unchanged. */
export function renderMarkdown(report: Report): string {
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    renderMarkdownText(report.description),
    renderFacts(report.facts),
    renderSection('Details', renderFacts(report.variables)),
    renderSection('Steps', report.steps.map(renderStep).join('\n\n')),
    renderSection('Also tried', report.fallbacks.map(renderFallback).join('\n\n')),
    renderSection('Also done', report.customSteps.map(renderCustomStep).join('\n\n')),
    renderSection('Supporting data', report.evidence.map(renderEvidence).join('\n\n')),
    renderSection('Notes', renderPlainText(report.notes)),
    renderSection('Next steps', renderPlainText(report.nextSteps)),
  ]
  return `${joinParts(parts)}\n`
}

function joinParts(parts: readonly string[]): string {
  return joinNonEmpty(parts, '\n\n')
}

function renderSection(title: string, content: string): string {
  return content && `## ${title}\n\n${content}`
}

function renderFacts(facts: readonly Fact[]): string {
  return facts
    .map(({ label, value }) => `- **${escapeMarkdown(label)}:** ${splitLines(value).map(renderValueLine).join('  \n')}`)
    .join('\n')
}

/** Render one line of a value. Indent every line but the first, so that it belongs to the list item. */
function renderValueLine(line: string, index: number): string {
  const text = escapeMarkdown(line.trim())
  return index > 0 && text ? `  ${text}` : text
}

function renderStep(step: ReportStep): string {
  const parts = [
    `### ${step.number}. ${escapeMarkdown(step.title)}`,
    renderMarkdownText(step.description),
    `**Answer:** ${escapeMarkdown(step.answer)} (${step.durationAndTime})`,
    step.note && `**Note:**\n\n${renderPlainText(step.note)}`,
    ...step.fallbacks.map(renderFallback),
    ...step.customSteps.map(renderCustomStep),
    ...step.evidence.map(renderEvidence),
  ]
  return joinParts(parts)
}

function renderFallback({ title, outcome, note }: ReportFallback): string {
  return joinParts([`**Also tried:** ${escapeMarkdown(title)} – ${outcome}`, renderPlainText(note)])
}

function renderCustomStep({ title, description, source }: ReportCustomStep): string {
  return joinParts([`**Also done:** ${escapeMarkdown(title)} (${source})`, renderMarkdownText(description)])
}

function renderEvidence({ kind, title, content }: Evidence): string {
  if (kind === 'screenshot') return joinParts([`**Screenshot:** ${escapeMarkdown(title)}`, renderPlainText(content)])
  return `**${escapeMarkdown(title)}**\n\n${renderCodeBlock(content, '')}`
}

function renderPlainText(text: string): string {
  return renderBlocks(parsePlainText(text))
}

function renderMarkdownText(text: string): string {
  return renderBlocks(parseMarkdown(text))
}

/** Join blocks with blank lines, and neighbouring list items with line breaks. */
function renderBlocks(blocks: readonly Block[]): string {
  let markdown = ''
  for (const [index, block] of blocks.entries()) {
    const isNextItem = block.kind === 'item' && blocks[index - 1]?.kind === 'item'
    if (markdown !== '') markdown += isNextItem ? '\n' : '\n\n'
    markdown += renderBlock(block)
  }
  return markdown
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return renderCodeBlock(block.text, block.language)
    case 'heading':
      return `**${renderSpans(block.spans)}**`
    case 'item':
      return `${'   '.repeat(block.depth)}${block.marker} ${renderSpans(block.spans)}`
    case 'paragraph':
      return block.lines.map((spans) => trimBlanks(renderSpans(spans))).join('  \n')
  }
}

const [tab, lineFeed, space, noBreakSpace] = [0x09, 0x0a, 0x20, 0xa0]

/** Trim spaces and tabs: leading ones could start a code block. Also remove leading no-break spaces. */
function trimBlanks(line: string): string {
  let start = 0
  let end = line.length
  while (isBlank(line.charCodeAt(start)) || line.charCodeAt(start) === noBreakSpace) start++
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--
  return line.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === space || code === tab
}

/** Render a code block whose fence is longer than any run of backticks in the text. */
function renderCodeBlock(text: string, language: string): string {
  const longestRun = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function renderSpans(spans: readonly Span[]): string {
  let markdown = ''
  for (const span of spans) {
    // With an exclamation mark before it, the link would be an image, which viewers load from the address.
    if (span.style === 'link' && markdown.endsWith('!')) markdown = `${markdown.slice(0, -1)}\\!`
    markdown += renderSpan(span)
  }
  return markdown
}

function renderSpan({ text, style, href }: Span): string {
  if (style === 'code') return `\`${text}\``
  if (style === 'strong') return `**${escapeMarkdown(text.trim())}**`
  return style === 'link' ? `[${escapeMarkdown(text)}](<${href}>)` : escapeMarkdown(text)
}

/** How an ASCII character is escaped: never, everywhere, or only where it would start a list or a heading underline. */
const [plain, escapedEverywhere, escapedAtStart] = [0, 1, 2]
const escapeKinds = new Uint8Array(128).fill(plain)
for (const char of '\\`*_[]<>|~&#') escapeKinds[char.charCodeAt(0)] = escapedEverywhere
for (const char of '-+=0123456789 \t') escapeKinds[char.charCodeAt(0)] = escapedAtStart
const markupAtStart = /^[ \t]*(?:([-+=])|(\d{1,9})([.)])(?=\s|$))/

/**
 * Escape a text so that CommonMark shows it literally, and join its lines. A loop over character codes is faster than a regular expression
 * here.
 */
function escapeMarkdown(text: string): string {
  let escaped = ''
  let copiedTo = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === lineFeed) return escapeMarkdown(text.replace(/\s*\n\s*/g, ' '))
    if (code < 128 && escapeKinds[code] === escapedEverywhere) {
      escaped += `${text.slice(copiedTo, index)}\\`
      copiedTo = index
    }
  }
  escaped += text.slice(copiedTo)
  if (escapeKinds[text.charCodeAt(0)] !== escapedAtStart) return escaped
  return escaped.replace(markupAtStart, (_, sign, digits, delimiter) => (sign ? `\\${sign}` : `${digits}\\${delimiter}`))
}
