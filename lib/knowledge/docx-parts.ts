import { SaxesParser } from 'saxes'
import { ArticleError } from './blocks.ts'

// Reads the XML files inside a Word document. The element names are those of Office Open XML (ECMA-376).

export type XmlAttributes = Record<string, string>
const maxDepth = 300

/** The number of tags that may still be read in all files of a document. Reading a tag takes much longer than decompressing it. */
export interface TagBudget {
  tags: number
}
export const maxTags = 200_000

/** Return the targets of web and e-mail links by their relationship id. */
export function parseLinkTargets(xml: string, budget: TagBudget): Map<string, string> {
  const targetById = new Map<string, string>()
  walkXml(xml, budget, {
    onOpenTag: (name, { Id, Target }) => {
      if (name === 'Relationship' && Id && Target && /^(?:https?|mailto):/i.test(Target)) targetById.set(Id, Target)
    },
  })
  return targetById
}

/** Return the names of styles by their id. Ids are in the author's language; names of built-in styles are always English. */
export function parseStyleNames(xml: string, budget: TagBudget): Map<string, string> {
  const nameById = new Map<string, string>()
  let styleId = ''
  walkXml(xml, budget, {
    onOpenTag: (name, attributes) => {
      if (name === 'w:style') styleId = attributes['w:styleId'] ?? ''
      else if (name === 'w:name' && styleId) nameById.set(styleId, attributes['w:val'] ?? '')
    },
  })
  return nameById
}

/** Return the list levels that are numbered, each as `listId depth`. */
export function parseOrderedLists(xml: string, budget: TagBudget): Set<string> {
  const orderedDepthsByDefinition = new Map<string, string[]>()
  const orderedLevels = new Set<string>()
  let definitionId = ''
  let depth = ''
  let listId = ''
  walkXml(xml, budget, {
    onOpenTag: (name, attributes) => {
      if (name === 'w:abstractNum') definitionId = attributes['w:abstractNumId'] ?? ''
      else if (name === 'w:lvl') depth = attributes['w:ilvl'] ?? ''
      else if (name === 'w:numFmt') {
        const isOrdered = !/^(?:bullet|none)$/.test(attributes['w:val'] ?? 'none')
        if (isOrdered) orderedDepthsByDefinition.set(definitionId, [...(orderedDepthsByDefinition.get(definitionId) ?? []), depth])
      } else if (name === 'w:num') listId = attributes['w:numId'] ?? ''
      else if (name === 'w:abstractNumId') {
        const depths = orderedDepthsByDefinition.get(attributes['w:val'] ?? '') ?? []
        for (const orderedDepth of depths) orderedLevels.add(`${listId} ${orderedDepth}`)
      }
    },
  })
  return orderedLevels
}

interface XmlHandlers {
  onOpenTag(name: string, attributes: XmlAttributes): void
  onCloseTag?(name: string): void
  onText?(text: string): void
}

/**
 * Parse an XML file in one pass. Throw an ArticleError if it is invalid or too large. Document types are refused, because they could
 * define entities that expand to huge texts.
 */
export function walkXml(xml: string, budget: TagBudget, handlers: XmlHandlers): void {
  if (!xml) return
  const parser = new SaxesParser({ fragment: false })
  let depth = 0
  parser.on('error', () => {
    throw new ArticleError('The document is damaged')
  })
  parser.on('doctype', () => {
    throw new ArticleError('The document declares a document type; Word documents have none')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth++
    budget.tags--
    if (depth > maxDepth) throw new ArticleError('The document is nested too deeply')
    if (budget.tags < 0) throw new ArticleError('The document is too large after decompression')
    handlers.onOpenTag(name, attributes as XmlAttributes)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    handlers.onCloseTag?.(name)
  })
  parser.on('text', (text) => handlers.onText?.(text))
  parser.write(xml).close()
}
