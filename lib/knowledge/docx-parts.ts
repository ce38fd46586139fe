import { SaxesParser } from 'saxes'
import { ArticleError } from './blocks.ts'

export type Attributes = Record<string, string>
const mostDepth = 300

/** How many tags may still be read in all parts of a document: reading one takes far longer than unpacking it. */
export interface Budget {
  tags: number
}
export const mostTags = 200_000

/** Where the links of a document lead, by their ids; only to pages and addresses. */
export function addresses(xml: string, budget: Budget): Map<string, string> {
  const found = new Map<string, string>()
  walkXml(xml, budget, {
    open: (name, { Id, Target }) => {
      if (name === 'Relationship' && Id && Target && /^(?:https?|mailto):/i.test(Target)) found.set(Id, Target)
    },
  })
  return found
}

/** The names of styles by their ids: the ids are in the writer's language, the names of built-in ones are not. */
export function styleNames(xml: string, budget: Budget): Map<string, string> {
  const found = new Map<string, string>()
  let id = ''
  walkXml(xml, budget, {
    open: (name, given) => {
      if (name === 'w:style') id = given['w:styleId'] ?? ''
      else if (name === 'w:name' && id) found.set(id, given['w:val'] ?? '')
    },
  })
  return found
}

/** `list depth` of those that count. */
export function orderedLists(xml: string, budget: Budget): Set<string> {
  const levels = new Map<string, string[]>()
  const found = new Set<string>()
  const at = { abstract: '', level: '', list: '' }
  walkXml(xml, budget, {
    open: (name, given) => {
      if (name === 'w:abstractNum') at.abstract = given['w:abstractNumId'] ?? ''
      else if (name === 'w:lvl') at.level = given['w:ilvl'] ?? ''
      else if (name === 'w:numFmt' && !/^(?:bullet|none)$/.test(given['w:val'] ?? 'none'))
        levels.set(at.abstract, [...(levels.get(at.abstract) ?? []), at.level])
      else if (name === 'w:num') at.list = given['w:numId'] ?? ''
      else if (name === 'w:abstractNumId') for (const level of levels.get(given['w:val'] ?? '') ?? []) found.add(`${at.list} ${level}`)
    },
  })
  return found
}

interface Seen {
  open(name: string, given: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/** One pass over a part. A document type is refused: it is where entities would come from. */
export function walkXml(xml: string, budget: Budget, seen: Seen): void {
  if (!xml) return
  const parser = new SaxesParser({ fragment: false })
  let depth = 0
  parser.on('error', () => {
    throw new ArticleError('The document is damaged')
  })
  parser.on('doctype', () => {
    throw new ArticleError('The document declares a document type; Word’s have none')
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > mostDepth) throw new ArticleError('The document is nested too deep')
    if (--budget.tags < 0) throw new ArticleError('The document is too large once unpacked')
    seen.open(name, attributes as Attributes)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    seen.close?.(name)
  })
  parser.on('text', (text) => seen.text?.(text))
  parser.write(xml).close()
}
