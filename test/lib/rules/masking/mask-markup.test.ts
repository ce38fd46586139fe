import { describe, expect, it } from 'vitest'
import type { Block, Span } from '#rules/markup/blocks.ts'
import { escapeMarkdown, toMarkdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { deepLine } from '#rules/markup/parser.ts'
import { night, someByDay } from '#test/support/night.ts'
import { mask, maskShown } from '#test/support/with-budget.ts'
import { linesToMask } from './mask-corpus.ts'
import { deviceLines } from './mask-corpus-devices.ts'
import { logLines } from './mask-corpus-logs.ts'
import { markupLines, secretLabels } from './mask-corpus-markup.ts'
import { shellLines } from './mask-corpus-shell.ts'
import { ticketLines } from './mask-corpus-tickets.ts'
import { buildLabelledLines, type SecretLine } from './mask-lines.ts'
import { ordinaryLines } from './mask-ordinary.ts'
import { ordinaryCorpus } from './mask-ordinary-lines.ts'

const maskMarkdown = (text: string) => maskShown(text, { form: 'markdown' })

/** Everything that a reader of a markdown text sees: its source, and what is shown of it. */
function listViews(markdown: string): string[] {
  const showSpans = (spans: readonly Span[]) => spans.map(({ text }) => text).join('')
  const showBlock = (block: Block): string => {
    switch (block.kind) {
      case 'code':
        return block.text
      case 'rule':
        return ''
      case 'quote':
        return block.blocks.map(showBlock).join('\n')
      case 'list':
        return block.items.flatMap(({ blocks }) => blocks.map(showBlock)).join('\n')
      case 'table':
        return block.rows.map((cells) => cells.map(showSpans).join(' | ')).join('\n')
      case 'heading':
        return showSpans(block.spans)
      case 'paragraph':
        return block.lines.map(showSpans).join('\n')
    }
  }
  const links: string[] = []
  const listLinks = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value))
      if (key === 'href' || key === 'title') links.push(String(part))
      else listLinks(part)
  }
  const blocks = parseMarkdown(toMarkdown(markdown))
  listLinks(blocks)
  return [markdown, blocks.map(showBlock).join('\n\n'), ...links]
}

// Each form writes a text as an author could, so that the reader of the result sees the text.

type Form = (line: string) => string
const write = (text: string) =>
  text
    .split('\n')
    .map((line) => escapeMarkdown(line))
    .join('\n')
const toReferences = (write: (code: number) => string) => (text: string) =>
  text.replace(/[^\p{L}\p{N}\s]/gu, (char) => write(char.codePointAt(0) ?? 0))
/** Escape a line, with emphasis around the character in the middle of each word. */
const emphasise = (text: string) =>
  text.replace(/[A-Za-z0-9]{6,}/g, (word) => `${word.slice(0, 3)}**${word[3]}**${word.slice(4)}`)

const lineForms: Record<string, Form> = {
  'as it is': (line) => line,
  escaped: write,
  'with decimal references': (line) => toReferences((code) => `&#${code};`)(line.trim()),
  'with hexadecimal references': (line) => toReferences((code) => `&#x${code.toString(16)};`)(line.trim()),
  bold: (line) =>
    line
      .split('\n')
      .map((part) => part.trim() && `**${escapeMarkdown(part.trim())}**`)
      .join('  \n'),
  'with emphasis inside of words': (line) => emphasise(write(line.trim())),
  'in a list': (line) => `Steps\n\n- ${write(line).replaceAll('\n', '\n  ')}\n- done`,
  'in a numbered list': (line) => `1. First\n2. ${write(line).replaceAll('\n', '\n   ')}`,
  'in a quote': (line) => `> ${write(line).replaceAll('\n', '\n> ')}`,
  'in a cell': (line) =>
    `| a | b |\n|---|---|\n| ${write(line).replaceAll('\n', ' ').replaceAll('|', '\\|')} | c |`,
  'as the text of a link': (line) => `[${write(line)}](https://example.com/)`,
  'as the title of a link': (line) => `[x](https://example.com/ "${write(line).replaceAll('"', '&quot;')}")`,
  'in a heading': (line) => `## ${write(line).replaceAll('\n', ' ')}\n\ntext`,
  'in a code block': (line) => `- code\n\n  \`\`\`\n  ${line.replaceAll('\n', '\n  ')}\n  \`\`\``,
  'in a code span': (line) => `Run \`\`\` ${line.replaceAll('\n', ' ')} \`\`\` now`,
}

/** Where markup puts a label and its value. */
const pairForms: Record<string, (label: string, value: string) => string> = {
  'in a heading and a paragraph': (label, value) => `## ${write(label)}\n\n${write(value)}`,
  'in a heading and a list': (label, value) => `## ${write(label)}\n\n- ${write(value)}\n- then restart`,
  'in a heading and a paragraph further down': (label, value) =>
    `## ${write(label)}\n\nFor the switch.\n\n${write(value)}`,
  'in a list and a list in it': (label, value) => `- ${write(label)}\n  - ${write(value)}`,
  'in a list and the second entry of a list in it': (label, value) =>
    `- ${write(label)}\n  - the switch\n  - ${write(value)}`,
  'in two entries of a list': (label, value) => `1. ${write(label)}:\n2. ${write(value)}`,
  'in two paragraphs': (label, value) => `**${write(label)}**\n\n*${write(value)}*`,
  'in a paragraph and a quote': (label, value) => `${write(label)}:\n\n> ${write(value)}`,
  'in a paragraph and a code block': (label, value) => `${write(label)}:\n\n\`\`\`\n${value}\n\`\`\``,
  'in two cells of a row': (label, value) =>
    `| Name | Value |\n|---|---|\n| **${write(label)}** | \`${value}\` |`,
  'in two cells of a column': (label, value) =>
    `| Server | ${write(label)} |\n|---|---|\n| SRV-01 | ${emphasise(write(value))} |`,
  'in two spans of code': (label, value) => `\`${label}\` \`${value}\``,
  'before a hard line break': (label, value) => `${write(label)}:\\\n${write(value)}`,
  ...Object.fromEntries(
    ['b', 'br', 'code', 'font', 'kbd', 'mark', 'span', 'u'].flatMap((tag) => [
      [`before <${tag}>`, (label: string, value: string) => `${label}: <${tag}>${value}</${tag}>`],
      [
        `before <${tag}> with an attribute`,
        (label: string, value: string) => `**${label}:** <${tag} style="color: red">${value}</${tag}>`,
      ],
    ]),
  ),
}

const corpora = [
  deviceLines,
  shellLines,
  logLines,
  ticketLines,
  markupLines,
  buildLabelledLines(secretLabels),
  linesToMask,
].flat()
const isShown = (views: readonly string[], { secretParts }: SecretLine) =>
  secretParts.some((part) => views.some((view) => view.includes(part)))
/** What the rules for plain texts hide, and our parser reads as markup. */
const secretLines = corpora.filter(
  (line) => !isShown([mask(line.line)], line) && !deepLine.test(lineForms['in a quote']?.(line.line) ?? ''),
)
const plainLines = [...ordinaryLines, ...ordinaryCorpus].filter((line) => mask(line) === line)

const values = ['Winter2026!', 'kp7-Mmz-33', 'Ab9#tyQ2', '9f8e7d6c5b4a']
const pairs = secretLabels.map((label, index) => ({ label, value: values[index % values.length] ?? '' }))

describe('a masked markdown text', () => {
  it.each(Object.entries(lineForms))(
    'SES-22 hides every secret of the corpora that stands %s',
    (name, form) => {
      const isOneLine = /cell|heading|span/.test(name)
      const tried = secretLines.filter(({ line }) => !isOneLine || !line.includes('\n'))
      const shown = someByDay(tried, 250).filter((line) =>
        isShown(listViews(maskMarkdown(form(line.line))), line),
      )
      expect(shown.map(({ line }) => form(line))).toEqual([])
      expect(tried.length).toBeGreaterThan(2000)
    },
  )

  it.each(Object.entries(pairForms))('SES-40 hides the value of every label that stands %s', (_, form) => {
    const texts = pairs.map(({ label, value }) => ({ line: form(label, value), secretParts: [value] }))
    expect(texts.filter((text) => isShown(listViews(maskMarkdown(text.line)), text))).toEqual([])
  })

  it('SES-41 leaves ordinary lines unchanged in every form', night, () => {
    for (const [name, form] of Object.entries(lineForms)) {
      const changed = plainLines.filter((line) => maskMarkdown(form(line)) !== form(line))
      // The line is beside another cell, whose label it may be.
      const allowed = name === 'in a cell' ? plainLines.length * 0.06 : 0
      expect(changed.length, `${name}: ${changed.slice(0, 3)}`).toBeLessThanOrEqual(allowed)
    }
  })
})
