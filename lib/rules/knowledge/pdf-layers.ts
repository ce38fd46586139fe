import { spend } from '#rules/budget.ts'
import type { PdfFile } from './pdf-file.ts'
import { isRef, type PdfDict, type PdfValue } from './pdf-syntax.ts'

const stepsPerLayer = 10

/**
 * Return a function that says whether a layer, or a combination of layers, is switched off when the file is
 * opened: ISO 32000-1, 8.11. A combination by an expression counts as shown.
 */
export function readLayers(file: PdfFile): (value: PdfValue | undefined) => boolean {
  const properties = file.readDict(file.findCatalog()?.get('OCProperties'))
  if (!properties) return () => false
  const start = file.readDict(properties.get('D'))
  const listRefs = (value: PdfValue | undefined) => {
    const items = file.readArray(value)
    spend(items.length * stepsPerLayer)
    return items.flatMap((item) => (isRef(item) ? [item.ref] : []))
  }
  const isOff = file.readName(start?.get('BaseState')) === 'OFF'
  const off = new Set(isOff ? listRefs(properties.get('OCGs')) : [])
  if (isOff) for (const ref of listRefs(start?.get('ON'))) off.delete(ref)
  for (const ref of listRefs(start?.get('OFF'))) off.add(ref)
  const isCombinationOff = (combination: PdfDict) => {
    const groups = combination.get('OCGs')
    const refs = isRef(groups) && !Array.isArray(file.resolve(groups)) ? [groups.ref] : listRefs(groups)
    const states = refs.map((ref) => off.has(ref))
    if (states.length === 0 || combination.has('VE')) return false
    switch (file.readName(combination.get('P'))) {
      case 'AllOn':
        return states.some(Boolean)
      case 'AnyOff':
        return !states.some(Boolean)
      case 'AllOff':
        return !states.every(Boolean)
      default:
        return states.every(Boolean)
    }
  }
  return (value) => {
    if (isRef(value) && off.has(value.ref)) return true
    const dict = off.size > 0 ? file.readDict(value) : undefined
    return dict !== undefined && file.readName(dict.get('Type')) === 'OCMD' && isCombinationOff(dict)
  }
}
