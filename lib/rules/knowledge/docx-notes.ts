import { spendBytes } from '#rules/budget.ts'
import { entryBytes, isOn, maxTargetLength, type Styles, walkDocxXml } from './docx-parts.ts'
import { findLossOfRun, plainRun, type Run } from './docx-properties.ts'
import { createShown } from './docx-shown.ts'
import { countLoss, type Losses } from './losses.ts'

/**
 * Return the texts of footnotes or endnotes by their id, without white space at their ends. What a document
 * does not show is left out of its notes too.
 */
export function parseNotes(xml: string | undefined, styles: Styles, losses: Losses): Map<string, string> {
  const textById = new Map<string, string>()
  const shown = createShown()
  let [id, isInText, isInParagraphProperties] = ['', false, false]
  let run: Run = plainRun
  let paragraphStyleId = ''
  let tableStyleId: string | null = null
  const append = (text: string) => {
    const before = textById.get(id) ?? ''
    if (before === '') spendBytes(entryBytes)
    if (before.length < maxTargetLength)
      textById.set(id, before + text.slice(0, maxTargetLength - before.length))
  }
  const setRun = (change: Partial<Run>) => {
    if (!isInParagraphProperties) run = { ...run, ...change }
  }
  walkDocxXml(xml, {
    onOpenTag: (name, attributes) => {
      shown.open(name, attributes)
      if (name === 'w:footnote' || name === 'w:endnote')
        id = attributes['w:type'] ? '' : (attributes['w:id'] ?? '')
      isInText = name === 'w:t' || name === 'm:t'
      if (name === 'w:p' && textById.has(id)) append(' ')
      else if (name === 'w:pPr') isInParagraphProperties = true
      else if (name === 'w:r' || name === 'm:r') run = plainRun
      else if (name === 'w:strike' || name === 'w:dstrike') setRun({ isStruck: isOn(attributes) })
      else if (name === 'w:vanish') setRun({ isHidden: isOn(attributes) })
      else if (name === 'w:specVanish' && isOn(attributes)) setRun({ isHidden: true })
      else if (name === 'w:rStyle') setRun({ styleId: attributes['w:val'] ?? '' })
      else if (name === 'w:pStyle') paragraphStyleId = attributes['w:val'] ?? ''
      else if (name === 'w:tbl') tableStyleId = ''
      else if (name === 'w:tblStyle') tableStyleId = attributes['w:val'] ?? ''
    },
    onCloseTag: (name) => {
      shown.close(name)
      isInText = false
      if (name === 'w:pPr') isInParagraphProperties = false
      if (name === 'w:r' || name === 'm:r') run = plainRun
      if (name === 'w:p') paragraphStyleId = ''
      if (name === 'w:tbl') tableStyleId = null
    },
    onText: (text) => {
      if (!isInText || id === '' || !shown.isShown()) return
      const lost = findLossOfRun(run, paragraphStyleId, tableStyleId, styles)
      if (lost === null) append(text)
      else if (text.trim() !== '') countLoss(losses, lost)
    },
  })
  return new Map(Array.from(textById, ([noteId, text]) => [noteId, text.trim()]))
}
