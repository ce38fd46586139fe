import { deriveTitle } from '#rules/knowledge/derive-title.ts'
import { truncate } from './text.ts'

interface Article {
  pieces?: { number: number; kind: string; text: string }[]
}

const imperativePattern =
  /^(?:add|apply|ask|change|check|clear|click|close|collect|configure|confirm|connect|copy|create|delete|disable|download|enable|enter|find|go|identify|install|investigate|log ?in|make sure|move|open|ping|press|reboot|remove|reset|restart|restore|review|run|scale|see|select|send|set|start|stop|test|try|type|uninstall|update|use|validate|verify|wait)\b/i
const endPattern =
  /\b(?:is (?:now )?(?:resolved|fixed|solved)|works? again|close the ticket|that is all|done)\b/i
const listMarkerPattern = /^\s*(?:#{1,6}|[-*+•–]|\(?\d{1,3}[.)])\s+/

/**
 * Group the pieces of an article into nodes. A piece that starts with an imperative is a step; decisions and
 * options keep their kind. A short line that only introduces the next step belongs to that step.
 */
export function createArticleNodes({ pieces = [] }: Article) {
  const groups: { first: number; last: number; kind: string; title: string }[] = []
  let groupStart: number | null = null
  for (const [index, { number, kind, text }] of pieces.entries()) {
    if (kind === 'section') continue
    const next = pieces[index + 1]
    const isIntroduction =
      kind === 'note' &&
      text.length < 200 &&
      /:\**$/.test(text.trim()) &&
      next?.kind === 'step' &&
      !listMarkerPattern.test(next.text)
    groupStart ??= number
    if (isIntroduction) continue
    const first = groupStart
    const firstText = pieces.find((piece) => piece.number === first)?.text ?? text
    groups.push({ first, last: number, kind: classifyPiece(kind, firstText), title: createTitle(firstText) })
    groupStart = null
  }
  return { groups }
}

function classifyPiece(kind: string, text: string): string {
  if (kind === 'decision' || kind === 'option') return kind
  const line = text.replace(listMarkerPattern, '').replace(/^[*_`]+/, '')
  if (endPattern.test(line)) return 'solution'
  return kind === 'step' || imperativePattern.test(line) ? 'step' : 'note'
}

function createTitle(text: string): string {
  return truncate(deriveTitle(text).replace(/:$/, ''), 100) || 'Untitled'
}
