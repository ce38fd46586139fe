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

/** Two by two, the pair that is shortest together, until there are few enough or nothing fits any more. */
function mergedNeighbours(given: readonly Piece[]): Piece[] {
  const pieces = [...given]
  while (pieces.length > mostNodes) {
    let best = -1
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at + 1 < pieces.length; at++) {
      const [one, next] = [pieces[at] as Piece, pieces[at + 1] as Piece]
      const length = one.text.length + next.text.length
      if (length >= least || next.kind === 'section' || !hasRoom(one, next.text)) continue
      best = at
      least = length
    }
    const [one, next] = [pieces[best], pieces[best + 1]]
    if (!one || !next) break
    pieces.splice(best, 2, together(one, next.text, next.kind === 'step'))
  }
  return pieces
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
