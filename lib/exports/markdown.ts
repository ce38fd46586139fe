import { type Block, joined, linesOf, plainText, type Span, typedBlocks, writtenBlocks } from './prose.ts'
import type { Addition, Evidence, Fact, Fallback, Report, Step } from './report.ts'

/** A report in CommonMark. What people typed is escaped; code blocks are as they were. */
export function markdownOf(report: Report): string {
  const parts = [
    `# ${escaped(report.title)}`,
    written(report.description),
    facts(report.facts),
    section('Details', facts(report.variables)),
    section('Steps', report.steps.map(step).join('\n\n')),
    section('Also tried', report.fallbacks.map(fallback).join('\n\n')),
    section('Also done', report.additions.map(addition).join('\n\n')),
    section('Supporting data', report.evidence.map(evidence).join('\n\n')),
    section('Notes', typed(report.notes)),
    section('Next steps', typed(report.nextSteps)),
  ]
  return `${joined(parts, '\n\n')}\n`
}

function section(title: string, content: string): string {
  return content && `## ${title}\n\n${content}`
}

function facts(list: readonly Fact[]): string {
  return list.map(({ label, value }) => `- **${escaped(label)}:** ${linesOf(value).map(valueLine).join('  \n')}`).join('\n')
}

/** Behind the first, as deep as the item's text. */
function valueLine(line: string, index: number): string {
  const said = escaped(line.trim())
  return index > 0 && said ? `  ${said}` : said
}

function step({ number, title, description, answer, time, note, fallbacks, additions, evidence: shown }: Step): string {
  const parts = [
    `### ${number}. ${escaped(title)}`,
    written(description),
    `**Answer:** ${escaped(answer)} (${time})`,
    note && `**Note:**\n\n${typed(note)}`,
    ...fallbacks.map(fallback),
    ...additions.map(addition),
    ...shown.map(evidence),
  ]
  return joined(parts, '\n\n')
}

function fallback({ title, outcome, note }: Fallback): string {
  return joined([`**Instead:** ${escaped(title)} – ${outcome}`, typed(note)], '\n\n')
}

function addition({ title, description, source }: Addition): string {
  return joined([`**Also done:** ${escaped(title)} (${source})`, written(description)], '\n\n')
}

function evidence({ kind, title, content }: Evidence): string {
  if (kind === 'screenshot') return joined([`**Screenshot:** ${escaped(title)}`, typed(content)], '\n\n')
  return `**${escaped(title)}**\n\n${fenced(content, '')}`
}

function typed(text: string): string {
  return blocks(typedBlocks(text))
}

function written(text: string): string {
  return blocks(writtenBlocks(text))
}

function blocks(list: readonly Block[]): string {
  let made = ''
  let before = ''
  for (const block of list) {
    made += `${made === '' ? '' : block.kind === 'item' && before === 'item' ? '\n' : '\n\n'}${oneBlock(block)}`
    before = block.kind
  }
  return made
}

function oneBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return fenced(block.text, block.language)
    case 'title':
      return `**${inline(block.spans)}**`
    case 'item':
      return `${'   '.repeat(block.depth)}${block.marker} ${inline(block.spans)}`
    case 'plain':
      return block.lines.map(plainLine).join('  \n')
  }
}

function plainLine(spans: readonly Span[]): string {
  const line = inline(spans)
  return isBlank(line.charCodeAt(0)) || isBlank(line.charCodeAt(line.length - 1)) ? line.replace(/^[ \t\u00a0]+|[ \t]+$/g, '') : line
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0xa0

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  if (!text.includes('`')) return `\`\`\`${language}\n${text}\n\`\`\``
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function inline(spans: readonly Span[]): string {
  let made = ''
  for (const span of spans) made += oneSpan(span)
  return made
}

function oneSpan({ text, as, href }: Span): string {
  if (as === 'code') return codeSpan(text)
  if (as === 'strong') return `**${escaped(text.trim())}**`
  return as === 'link' ? `[${escaped(text)}](<${href}>)` : escaped(text)
}

function codeSpan(text: string): string {
  return text.includes('`') ? escaped(plainText([{ text }])) : `\`${text}\``
}

const atStart = /^[ \t]*(?:([-+=])|(\d{1,9})([.)])(?=\s|$))/
const [marks, signs] = [1, 2]
const kinds = new Uint8Array(128)
for (const mark of '\\`*_[]<>|~&#') kinds[mark.charCodeAt(0)] = marks
for (const sign of '-+=0123456789 \t') kinds[sign.charCodeAt(0)] = signs

/** On one line, and meaning nothing but itself. */
function escaped(text: string): string {
  let marked = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a) return escaped(text.replace(/\s*\n\s*/g, ' '))
    if (code < 128 && kinds[code] === marks) {
      marked += `${text.slice(from, at)}\\`
      from = at
    }
  }
  marked = marked === '' ? text : marked + text.slice(from)
  if (kinds[text.charCodeAt(0)] !== signs) return marked
  return marked.replace(atStart, (_, sign, digits, mark) => (sign ? `\\${sign}` : `${digits}\\${mark}`))
}
