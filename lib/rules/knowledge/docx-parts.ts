import type { Budget } from '#rules/budget.ts'
import { walkXml, type XmlHandlers } from '#rules/text/walk-xml.ts'
import { ArticleError } from './blocks.ts'

// Reads the XML files inside a Word document. The element names are those of Office Open XML (ECMA-376).

const maxDepth = 300
// A text that others refer to is limited, because each reference repeats it.
const maxTargetLength = 2000
const maxStyleNameLength = 100
export const maxListDepth = 8

/** Parse one of a document's XML files; a missing one has no tags. Throw an ArticleError if it is invalid. */
export function walkDocxXml(xml: string | undefined, budget: Budget, handlers: XmlHandlers): void {
  const createError = (reason: string) => new ArticleError(`The document ${reason}`)
  if (xml) walkXml(xml, { maxDepth, budget, createError }, handlers)
}

/** Parse the depth of a list level, which is 0 to 8. Return 0 for anything else. */
export function parseListDepth(value: string | undefined): number {
  return /^[0-8]$/.test(value ?? '') ? Number(value) : 0
}

/** Return the targets of web and e-mail links by their relationship id. */
export function parseLinkTargets(xml: string | undefined, budget: Budget): Map<string, string> {
  const targetById = new Map<string, string>()
  walkDocxXml(xml, budget, {
    onOpenTag: (name, { Id, Target }) => {
      if (name !== 'Relationship' || !Id || !Target || Target.length > maxTargetLength) return
      if (/^(?:https?|mailto):/i.test(Target)) targetById.set(Id, Target)
    },
  })
  return targetById
}

/** Return the names of styles by their id. Ids are in the author's language; names of built-in styles are always English. */
export function parseStyleNames(xml: string | undefined, budget: Budget): Map<string, string> {
  const nameById = new Map<string, string>()
  let styleId = ''
  walkDocxXml(xml, budget, {
    onOpenTag: (name, attributes) => {
      if (name === 'w:style') styleId = attributes['w:styleId'] ?? ''
      else if (name === 'w:name' && styleId) nameById.set(styleId, (attributes['w:val'] ?? '').slice(0, maxStyleNameLength))
    },
  })
  return nameById
}

/** Return the list levels that are numbered, each as `listId depth`. */
export function parseOrderedLists(xml: string | undefined, budget: Budget): Set<string> {
  const orderedDepthsByDefinition = new Map<string, Set<number>>()
  const orderedLevels = new Set<string>()
  let definitionId = ''
  let depth = 0
  let listId = ''
  walkDocxXml(xml, budget, {
    onOpenTag: (name, attributes) => {
      if (name === 'w:abstractNum') definitionId = attributes['w:abstractNumId'] ?? ''
      else if (name === 'w:lvl') depth = parseListDepth(attributes['w:ilvl'])
      else if (name === 'w:numFmt') {
        const isOrdered = !/^(?:bullet|none)$/.test(attributes['w:val'] ?? 'none')
        const depths = orderedDepthsByDefinition.get(definitionId) ?? new Set()
        if (isOrdered) orderedDepthsByDefinition.set(definitionId, depths.add(depth))
      } else if (name === 'w:num') listId = attributes['w:numId'] ?? ''
      else if (name === 'w:abstractNumId') {
        const depths = orderedDepthsByDefinition.get(attributes['w:val'] ?? '') ?? []
        for (const orderedDepth of depths) orderedLevels.add(`${listId} ${orderedDepth}`)
      }
    },
  })
  return orderedLevels
}
