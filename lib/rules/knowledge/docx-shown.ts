import type { XmlAttributes } from '#rules/text/walk-xml.ts'
import { readDeclarations } from './css-declarations.ts'

/** Copies for older programs, text that was moved elsewhere, and the formatting before a tracked change. */
const ignoredElements = new Set([
  'mc:Fallback',
  'w:moveFrom',
  'w:pPrChange',
  'w:rPrChange',
  'w:sectPrChange',
  'w:tblPrChange',
  'w:tcPrChange',
  'w:trPrChange',
])
/** In the properties of a paragraph, a row or a formula, `w:del` has no content. */
const propertyElements = new Set(['w:pPr', 'w:rPr', 'w:trPr', 'm:ctrlPr'])

/** What a drawing and a shape of a group are called, and whether they are hidden. */
const namesOfDrawings = new Set(['wp:docPr', 'wps:cNvPr'])

/** Return whether a shape of an older program is hidden. Its places have no units, so they say nothing. */
function isHiddenShape({ style = '' }: XmlAttributes): boolean {
  const declarations = readDeclarations(style)
  return ['display', 'visibility'].some((property) => declarations.get(property)?.hides)
}

/** Follows which elements of a document are shown. Each element must be opened and closed. */
export interface Shown {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  /** Leave out the rest of an open element: 1 is the one around the innermost, 2 the one around that. */
  ignoreAround(distance: number): void
  isShown(): boolean
}

export function createShown(): Shown {
  /** Whether each open element is left out. */
  const openElements: boolean[] = []
  /** Whether each open list of alternatives had its first one. The others are copies for other programs. */
  const alternatives: boolean[] = []
  let [ignored, properties] = [0, 0]
  const isIgnored = (name: string) => {
    if (name === 'w:del') return properties === 0
    if (name !== 'mc:Choice') return ignoredElements.has(name)
    const isCopy = alternatives.at(-1) === true
    alternatives[Math.max(0, alternatives.length - 1)] = true
    return isCopy
  }
  const ignoreAround = (distance: number) => {
    const place = openElements.length - 1 - distance
    if (openElements[place] !== false) return
    openElements[place] = true
    ignored++
  }
  return {
    open(name, attributes) {
      const isLeftOut = isIgnored(name) || (name.startsWith('v:') && isHiddenShape(attributes))
      openElements.push(isLeftOut)
      if (isLeftOut) ignored++
      if (name === 'mc:AlternateContent') alternatives.push(false)
      if (propertyElements.has(name)) properties++
      // A drawing that was hidden in the list of the objects of a page.
      if (namesOfDrawings.has(name) && /^(?:1|true|on)$/.test(attributes.hidden ?? '')) ignoreAround(1)
      if (name === 'w:cellDel') ignoreAround(2)
    },
    close(name) {
      if (openElements.pop()) ignored--
      if (name === 'mc:AlternateContent') alternatives.pop()
      if (propertyElements.has(name)) properties--
    },
    ignoreAround,
    isShown: () => ignored === 0,
  }
}
