import { SaxesParser } from 'saxes'
import { spend, spendBytes } from '#rules/budget.ts'
import { normaliseLineBreaks } from './line-breaks.ts'
import { countMarkupSteps, countXmlPieces, maxAttributes } from './xml.ts'

export type XmlAttributes = Record<string, string>

export interface XmlHandlers {
  onOpenTag(name: string, attributes: XmlAttributes): void
  onCloseTag?(name: string): void
  onText?(text: string): void
}

interface XmlLimits {
  maxDepth: number
  /**
   * Create the error of a text that is refused. `reason` is a sentence without its subject, such as "is
   * nested too deeply".
   */
  createError(reason: string): Error
}

/**
 * Parse XML in one pass. Throw an error when it is not well-formed or nested too deeply, and 422 when it
 * takes too much work. Document types are refused, because they could define entities that expand to huge
 * texts.
 */
export function walkXml(xml: string, { maxDepth, createError }: XmlLimits, handlers: XmlHandlers): void {
  const pieces = countXmlPieces(xml)
  spend(countMarkupSteps(xml) + pieces.steps)
  spendBytes(pieces.bytes)
  const parser = new SaxesParser({ fragment: false })
  let depth = 0
  let attributeCount = 0
  parser.on('error', ({ message }) => {
    throw createError(`is not well-formed XML: ${message.split('\n')[0]}`)
  })
  parser.on('doctype', () => {
    throw createError('declares a document type')
  })
  parser.on('opentagstart', () => {
    attributeCount = 0
  })
  parser.on('attribute', () => {
    if (++attributeCount > maxAttributes) throw createError('has a tag with too many attributes')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth++
    if (depth > maxDepth) throw createError('is nested too deeply')
    handlers.onOpenTag(name, attributes as XmlAttributes)
  })
  parser.on('closetag', ({ name }) => {
    depth--
    handlers.onCloseTag?.(name)
  })
  parser.on('text', (text) => handlers.onText?.(text))
  // The parser would copy the text for each carriage return.
  parser.write(normaliseLineBreaks(xml)).close()
}
