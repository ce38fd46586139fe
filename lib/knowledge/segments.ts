import { ArticleError, type Block, nodeCharacters } from './blocks.ts'

export const mostNodes = 100

/** What becomes a node, or part of one: a section by its heading, or texts that stand together. */
export interface Piece {
  kind: 'section' | 'step' | 'note' | 'decision' | 'option'
  /** Of a section, 1 to 6; else 0. */
  level: number
  text: string
}

/**
 * The pieces of an article, at most a hundred, which together hold all of its blocks in their order: what belongs to a paragraph joins it;
 * of what is too much the shortest neighbours are merged, then the lowest headings become text.
 */
export function piecesOf(blocks: readonly Block[]): Piece[] {
  for (let level = 6; level >= 0; level--) {
    const pieces = joined(blocks, level)
    if (pieces.filter(({ kind }) => kind === 'section').length > mostNodes) continue
    const merged = mergedNeighbours(pieces)
    if (merged.length <= mostNodes) return withDecisions(merged)
  }
  throw new ArticleError(`The article does not fit into ${mostNodes} nodes`)
}

function joined(blocks: readonly Block[], lowest: number): Piece[] {
  const pieces: Piece[] = []
  for (const { kind, level, text } of blocks) {
    const last = pieces.at(-1)
    if (kind === 'heading' && level <= lowest) pieces.push({ kind: 'section', level, text })
    else if ((kind === 'code' || kind === 'table') && last && hasRoom(last, text))
      pieces.splice(-1, 1, together(last, text, kind === 'code'))
    else if (kind === 'heading') pieces.push({ kind: 'note', level: 0, text: `${'#'.repeat(level)} ${text}` })
    else pieces.push({ kind: kind === 'code' || kind === 'item' ? 'step' : 'note', level: 0, text })
  }
  return pieces
}

function hasRoom(piece: Piece, text: string): boolean {
  return piece.kind !== 'section' && piece.text.length + 2 + text.length <= nodeCharacters
}

function together(piece: Piece, text: string, isStep: boolean): Piece {
  return { ...piece, kind: isStep ? 'step' : piece.kind, text: `${piece.text}\n\n${text}` }
}

/** Two by two, the shortest pairs first, until there are few enough or nothing fits any more. */
function mergedNeighbours(given: readonly Piece[]): readonly Piece[] {
  let pieces = given
  while (pieces.length > mostNodes) {
    const begins = shortestPairs(pieces, pieces.length - mostNodes)
    if (begins.size === 0) break
    pieces = pieces.flatMap((piece, at) => {
      const next = pieces[at + 1]
      if (begins.has(at) && next) return together(piece, next.text, next.kind === 'step')
      return begins.has(at - 1) ? [] : piece
    })
  }
  return pieces
}

/** Where pairs begin that may be merged, at most so many, none sharing a piece. */
function shortestPairs(pieces: readonly Piece[], most: number): Set<number> {
  const pairs = pieces.flatMap((piece, at) => {
    const next = pieces[at + 1]
    return next && next.kind !== 'section' && hasRoom(piece, next.text) ? { at, length: piece.text.length + next.text.length } : []
  })
  const begins = new Set<number>()
  for (const { at } of pairs.toSorted((one, other) => one.length - other.length)) {
    if (begins.size === most) break
    if (!begins.has(at - 1) && !begins.has(at + 1)) begins.add(at)
  }
  return begins
}

const condition = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+[*_]{0,2}(?:if|when|in case)\b/i

/** A question with at least two answers of the kind `- If …` is a decision between them. */
function withDecisions(pieces: readonly Piece[]): Piece[] {
  const marked = pieces.map((piece) => ({ ...piece }))
  for (let at = 0; at < marked.length; at++) {
    let end = at + 1
    while (condition.test(marked[end]?.text ?? '') && marked[end]?.kind !== 'section') end++
    const asks = /[:?]\**$/.test(marked[at]?.text.trim() ?? '') && marked[at]?.kind === 'note'
    if (end - at < 3 || !asks) continue
    for (const [index, piece] of marked.slice(at, end).entries()) piece.kind = index === 0 ? 'decision' : 'option'
    at = end - 1
  }
  return marked
}
