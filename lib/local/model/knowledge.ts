import { cut, sentencesOf } from './words.ts'

interface Article {
  pieces?: { number: number; kind: string; text: string }[]
}

const orders =
  /^(?:add|apply|ask|change|check|clear|click|close|collect|configure|confirm|connect|copy|create|delete|disable|download|enable|enter|find|go|identify|install|investigate|log ?in|make sure|move|open|ping|press|reboot|remove|reset|restart|restore|review|run|scale|see|select|send|set|start|stop|test|try|type|uninstall|update|use|validate|verify|wait)\b/i
const ends = /\b(?:is (?:now )?(?:resolved|fixed|solved)|works? again|close the ticket|that is all|done)\b/i
const mark = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/

/** What begins with an order is a step, a question keeps its answers; a line that only introduces the next piece joins it. */
export function articleNodes({ pieces = [] }: Article) {
  const groups: { first: number; last: number; kind: string; title: string }[] = []
  let begun: number | null = null
  for (const [index, { number, kind, text }] of pieces.entries()) {
    if (kind === 'section') continue
    const next = pieces[index + 1]
    const introduces = kind === 'note' && text.length < 200 && /:\**$/.test(text.trim()) && next?.kind === 'step' && !mark.test(next.text)
    begun ??= number
    if (introduces) continue
    const first = begun
    const own = pieces.find((piece) => piece.number === first)?.text ?? text
    groups.push({ first, last: number, kind: kindOf(kind, own), title: titleOf(own) })
    begun = null
  }
  return { groups }
}

function kindOf(kind: string, text: string): string {
  if (kind === 'decision' || kind === 'option') return kind
  const line = text.replace(mark, '').replace(/^[*_`]+/, '')
  if (ends.test(line)) return 'solution'
  return kind === 'step' || orders.test(line) ? 'step' : 'note'
}

function titleOf(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(?:`{3}|~{3})/.test(line) && /[\p{L}\p{N}]/u.test(line))
  const [first = text] = sentencesOf((lines[0] ?? text).replace(mark, '').replace(/[*_`]{1,3}/g, ''))
  return cut(first.replace(/:$/, ''), 100) || 'Untitled'
}
