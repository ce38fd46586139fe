import { spend } from '#rules/budget.ts'
import type { XmlAttributes } from '#rules/text/walk-xml.ts'

// Writes the formulas of a Word document on one line, such as `(a+b)/2`: ECMA-376, part 1, 22.1.

export interface FormulaReader {
  open(name: string, attributes: XmlAttributes): void
  isInText(): boolean
  addText(text: string): void
  /** Close the last open element. Return the formula if that was its outermost element, otherwise ''. */
  close(): string
}

interface Part {
  name: string
  /** The parts in it by their names, in their order. */
  texts: { name: string; text: string }[]
  /** The values of its properties, such as `chr`. */
  values: Map<string, string>
}

const maxValueLength = 10
const propertyElement = /^(?:chr|begChr|endChr|sepChr|type|degHide)$/

export function createFormulaReader(): FormulaReader {
  const parts: Part[] = []
  return {
    open(prefixed, attributes) {
      const name = prefixed.slice(2)
      const outer = parts.at(-2)
      // Properties are in an element of their own, such as `naryPr`.
      if (outer && propertyElement.test(name))
        outer.values.set(name, (attributes['m:val'] ?? '').slice(0, maxValueLength))
      parts.push({ name, texts: [], values: new Map() })
    },
    isInText: () => parts.at(-1)?.name === 't',
    addText(text) {
      parts.at(-1)?.texts.push({ name: 't', text })
    },
    close() {
      const part = parts.pop()
      if (!part) return ''
      const text = writePart(part)
      spend(10 + text.length)
      const outer = parts.at(-1)
      if (!outer) return text
      if (text !== '' || part.name === 'e') outer.texts.push({ name: part.name, text })
      return ''
    },
  }
}

function writePart({ name, texts, values }: Part): string {
  const get = (wanted: string) => texts.find((part) => part.name === wanted)?.text ?? ''
  const list = () => texts.filter((part) => part.name === 'e' || part.name === 'mr').map(({ text }) => text)
  const raise = (sign: string, text: string) => (text === '' ? '' : sign + group(text))
  switch (name) {
    case 'f':
      return values.get('type') === 'noBar'
        ? `(${get('num')} ${get('den')})`
        : `${group(get('num'))}/${group(get('den'))}`
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return group(get('e')) + raise('_', get('sub')) + raise('^', get('sup'))
    case 'sPre':
      return raise('_', get('sub')) + raise('^', get('sup')) + group(get('e'))
    case 'rad':
      return `${get('deg') ? `root ${get('deg')} of ` : '√'}(${get('e')})`
    case 'nary':
      return `${values.get('chr') ?? '∫'}${raise('_', get('sub'))}${raise('^', get('sup'))} ${get('e')}`
    case 'd':
      return `${values.get('begChr') ?? '('}${list().join(values.get('sepChr') || '|')}${values.get('endChr') ?? ')'}`
    case 'func':
      return `${get('fName')} ${group(get('e'))}`
    case 'limLow':
      return get('e') + raise('_', get('lim'))
    case 'limUpp':
      return get('e') + raise('^', get('lim'))
    case 'mr':
      return list().join(', ')
    case 'm':
      return `[${list().join('; ')}]`
    case 'eqArr':
      return list().join('; ')
    case 'oMathPara':
      return texts.map(({ text }) => text).join(' ')
    default:
      return texts.map(({ text }) => text).join('')
  }
}

/** Put an expression of several signs in brackets. */
const group = (text: string) => (/^(?:[\p{L}\p{M}]+|[\d.,]+|.|\([^()]*\))$/u.test(text) ? text : `(${text})`)
