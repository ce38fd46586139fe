import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

// Generates texts that make a regular expression slow, from its parts: what leads to a repeated part, the part
// many times, and a character that nothing takes.

/** A text of any length: `before`, `unit` many times, `after`. */
export interface HostileText {
  before: string
  unit: string
  after: string
}

const refused = '\u0001'
const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ...'\n\t\rÄéß\u00a0。٣日’“',
]
/** Repetitions up to this many are a constant factor. */
const maxConstant = 200
const maxUnits = 24

type CharacterNode = AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass
const isCharacterNode = (node: AST.Node): node is CharacterNode =>
  node.type === 'CharacterSet' || node.type === 'CharacterClass' || node.type === 'ExpressionCharacterClass'

/** Return texts of every length that may make a pattern slow, at most `most`. */
export function createHostileTexts(pattern: string, flags: string, most: number): HostileText[] {
  const isUnicode = flags.includes('u')
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, {
    unicode: isUnicode,
    unicodeSets: flags.includes('v'),
  })
  const classes = new Map<string, Set<string>>()
  const quantifiers: AST.Quantifier[] = []
  const alternatives: AST.Alternative[] = []
  const onClass = (node: AST.Node) => {
    if (classes.has(node.raw)) return
    const isOne = new RegExp(`^${node.raw}$`, flags.replace(/[gymd]/g, ''))
    classes.set(node.raw, new Set(alphabet.filter((character) => isOne.test(character))))
  }
  visitRegExpAST(ast, {
    onCharacterClassEnter: onClass,
    onExpressionCharacterClassEnter: onClass,
    onCharacterSetEnter: onClass,
    onAlternativeEnter: (node) => void alternatives.push(node),
    onQuantifierEnter: (node) => void quantifiers.push(node),
  })
  const literals = new Set(['\n', '\r', ' ', ...(pattern.match(/[\s\p{P}\p{S}\d]/gu) ?? [])])
  // After a refused character stands each that a part may refuse.
  const end = `${refused}${[...literals].join('')}${refused}`
  /** Return characters of a class, one for each combination of the other classes and literals. */
  const listCharacters = (node: CharacterNode) => {
    const kinds = new Map<string, string>()
    for (const character of classes.get(node.raw) ?? []) {
      const others = [...classes.values()].map((set) => Number(set.has(character))).join('')
      kinds.set(`${others}${literals.has(character) ? character : ''}`, character)
    }
    return [...kinds.values()]
  }
  const samples = new Map<AST.Node, string>()
  const sample = (node: AST.Node): string => {
    const known = samples.get(node) ?? write(node)
    samples.set(node, known)
    return known
  }
  const write = (node: AST.Node): string => {
    if (isCharacterNode(node)) return listCharacters(node)[0] ?? 'a'
    switch (node.type) {
      case 'Character':
        return String.fromCodePoint(node.value)
      case 'Alternative':
        return node.elements.map(sample).join('')
      case 'Quantifier':
        return sample(node.element).repeat(Math.min(node.min, maxConstant))
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.map(sample).reduce((a, b) => (b.length < a.length ? b : a))
      default:
        return ''
    }
  }
  const listUnits = (node: AST.Node): string[] => {
    if (isCharacterNode(node)) return listCharacters(node)
    if (!('alternatives' in node)) return [sample(node)]
    return node.alternatives.flatMap((alternative) => {
      if (!('elements' in alternative)) return [sample(alternative)]
      const inner = alternative.elements.length === 1 ? alternative.elements.flatMap(listUnits) : []
      // A part may be optional, and two of them may take the same.
      const once = alternative.elements.map((element) =>
        element.type === 'Quantifier' ? sample(element.element) : sample(element),
      )
      return [sample(alternative), ...inner, ...once, once.join('')]
    })
  }
  const findBefore = (node: AST.Node): string => {
    const { parent } = node
    if (!parent) return ''
    const siblings = parent.type === 'Alternative' ? parent.elements : []
    return (
      findBefore(parent) +
      siblings
        .slice(0, siblings.indexOf(node as never))
        .map(sample)
        .join('')
    )
  }
  const texts = new Map<string, HostileText>()
  const add = (before: string, unit: string) => {
    if (!unit) return
    for (const start of ['', refused])
      for (const after of [refused, `\n${refused}`, end]) {
        const text = { before: start + before, unit, after }
        texts.set(JSON.stringify(text), text)
      }
  }
  for (const quantifier of quantifiers) {
    if (quantifier.max <= maxConstant) continue
    const before = findBefore(quantifier)
    for (const unit of new Set(listUnits(quantifier.element).slice(0, maxUnits))) {
      add(before, unit)
      add('', unit)
      if (before) add('', before + unit)
    }
    if (before) add('', before)
  }
  if (quantifiers.some(({ max }) => max > maxConstant))
    for (const alternative of alternatives) {
      add(findBefore(alternative), sample(alternative))
      add('', sample(alternative))
    }
  const step = Math.max(1, texts.size / most)
  return [...texts.values()].filter((_, index) => index % step < 1)
}

export const writeHostileText = ({ before, unit, after }: HostileText, length: number): string =>
  before + unit.repeat(Math.ceil(length / unit.length)) + after
