import { type Block, joined, linesOf, plainText, typedBlocks, writtenBlocks } from './prose.ts'
import type { Addition, Evidence, Fact, Fallback, Report, Step } from './report.ts'

/** A report as plain text, to be read as it is. */
export function textOf(report: Report): string {
  const title = oneLine(report.title)
  const parts = [
    `${title}\n${'='.repeat(Math.min(72, widthOf(title)))}`,
    written(report.description),
    facts(report.facts),
    section('DETAILS', facts(report.variables)),
    section('STEPS', report.steps.map(step).join('\n\n')),
    section('ALSO TRIED', report.fallbacks.map(fallback).join('\n')),
    section('ALSO DONE', report.additions.map(addition).join('\n')),
    section('SUPPORTING DATA', report.evidence.map(evidence).join('\n\n')),
    section('NOTES', typed(report.notes)),
    section('NEXT STEPS', typed(report.nextSteps)),
  ]
  return `${joined(parts, '\n\n')}\n`
}

function section(title: string, content: string): string {
  return content && `${title}\n${'-'.repeat(title.length)}\n${content}`
}

function facts(list: readonly Fact[]): string {
  const width = Math.min(24, Math.max(0, ...list.map(({ label }) => label.length)))
  return list.map(({ label, value }) => `${`${oneLine(label)}:`.padEnd(width + 2)}${hanging(value, width + 2)}`).join('\n')
}

/** Lines of a value, those behind the first below it. */
export function hanging(value: string, indent: number): string {
  return linesOf(value).join(`\n${' '.repeat(indent)}`)
}

function step({ number, title, description, answer, time, note, fallbacks, additions, evidence: shown }: Step): string {
  const parts = [
    `Answer: ${oneLine(answer)} (${time})`,
    labelled('Note', typed(note)),
    ...fallbacks.map(fallback),
    ...additions.map(addition),
    ...shown.map(evidence),
  ]
  const body = joined([written(description), ...parts], '\n')
  return `${number}. ${oneLine(title)}\n${indented(body)}`
}

function fallback({ title, outcome, note }: Fallback): string {
  return joined([`Instead: ${oneLine(title)} - ${outcome}`, indented(typed(note))], '\n')
}

function addition({ title, description, source }: Addition): string {
  return joined([`Also done: ${oneLine(title)} (${source})`, indented(written(description))], '\n')
}

/** A snippet, or the place of a picture. */
export function evidence({ kind, title, content }: Evidence): string {
  const first = kind === 'screenshot' ? `[Screenshot: ${oneLine(title)}]` : `${oneLine(title)}:`
  return joined([first, indented(linesOf(content).join('\n').trimEnd())], '\n')
}

function labelled(label: string, content: string): string {
  return content.includes('\n') ? `${label}:\n${indented(content)}` : content && `${label}: ${content}`
}

/** As it was typed, without the fences of its code. */
export function typed(text: string): string {
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
  if (block.kind === 'code') return indented(block.text)
  if (block.kind === 'plain') return block.lines.map((line) => plainText(line).trimEnd()).join('\n')
  const said = plainText(block.spans)
  return block.kind === 'title' ? said : `${'  '.repeat(block.depth)}${block.marker} ${said}`
}

export function indented(text: string): string {
  if (text === '') return ''
  return `${text.startsWith('\n') ? '' : '   '}${text.replace(/\n(?=[^\n])/g, '\n   ')}`
}

export function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\s*[\r\n]+\s*/g, ' ') : text
}

/** Columns in a font of fixed width: Han, kana and hangul take two. */
function widthOf(text: string): number {
  return Array.from(text).length + (text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)?.length ?? 0)
}
