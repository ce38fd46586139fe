import { spend, spendBytes } from '#rules/budget.ts'
import {
  areHiding,
  areStriking,
  type Declaration,
  type Declarations,
  readDeclarations,
  toPlainCss,
} from './css-declarations.ts'
import { type Element, listElements, type Tag } from './html-tree.ts'

// Editors put what strikes or hides a text into a style sheet of the page, as Google Docs does with `.c4`. Only
// selectors of an element, a class, an id, or an element with one of these are decided.

/** Give an element what the style sheets of its page say of it, as a style of its own. */
export type PageStyles = (tag: Tag) => void

/** Apply the style sheets of a page to its elements. */
export function applySheets(root: Element): void {
  const sheets = listTexts(root, 'style')
  const styles = readSheets(sheets, () => listTexts(root, 'script'))
  if (styles) applyStyles(root, styles)
}

export function applyStyles(element: Element, styles: PageStyles): void {
  styles(element)
  for (const child of listElements(element)) applyStyles(child, styles)
}

/** Return the texts of the elements of a name, without those for paper and for browsers without scripts. */
function listTexts(element: Element, name: string): string[] {
  if (/^(?:noscript|template)$/.test(element.name) || !isForScreen(element.attributes.media)) return []
  if (element.name === name) return [element.children.filter((child) => typeof child === 'string').join('')]
  return listElements(element).flatMap((child) => listTexts(child, name))
}

const [ruleBytes, stepsPerDeclaration] = [400, 10]
const simpleSelector = /^([a-z][\w-]*)?([.#](?:[\w-]|\P{ASCII})+)?$/iu
/** The ranks of a selector by its parts. A later rule ranks higher by one. */
const [elementRank, classRank, idRank, styleRank] = [1e9, 1e10, 1e11, 1e12]

/** Read style sheets; null if they hide and strike nothing. What a script of the page names may be opened. */
export function readSheets(
  sheets: readonly string[],
  listScripts: () => readonly string[],
): PageStyles | null {
  const rules = new Map<string, Map<string, Declaration>>()
  /** The classes and ids that hide, and those that something shows again, with the property if only of that one. */
  const [hiding, opened] = [new Set<string>(), new Set<string>()]
  let order = 0
  const read = (selectors: string, found: Declarations) => {
    spend(selectors.length * (15 + found.size * stepsPerDeclaration))
    for (const [text] of selectors.replace(/\([^()]*\)/g, '()').matchAll(/[^,]+/g)) {
      const selector = text.trim()
      const [, name = '', part = ''] = simpleSelector.exec(selector) ?? []
      if (name + part === '') {
        // What comes before and after an element does not show it.
        const element = selector.slice(findLast(selector, ' >+~') + 1)
        if (/::|:before|:after/.test(element)) continue
        for (const [word] of element.matchAll(/[.#](?:[\w-]|\P{ASCII})+/gu))
          for (const [property, { hides }] of found)
            if (!hides && !opened.has(`${word}{${property}`)) {
              spendBytes(ruleBytes)
              opened.add(`${word}{${property}`)
            }
        continue
      }
      const rank =
        ++order +
        (name === '' ? 0 : elementRank) +
        (part === '' ? 0 : part.startsWith('.') ? classRank : idRank)
      const key = name.toLowerCase() + part
      if (!rules.has(key)) spendBytes(ruleBytes)
      const rule = rules.get(key) ?? new Map<string, Declaration>()
      rules.set(key, rule)
      for (const [property, declaration] of found) {
        addDeclaration(rule, property, { ...declaration, rank: declaration.rank + rank })
        if (declaration.hides) hiding.add(part)
      }
    }
  }
  for (const sheet of sheets)
    for (const [selectors, declarations] of listRules(sheet)) {
      const found = readDeclarations(declarations)
      if (found.size > 0) read(selectors, found)
    }
  if (hiding.size === 0) return null
  for (const script of listScripts()) {
    spend(script.length * 10)
    for (const [word] of script.matchAll(/[\w-]+/g))
      for (const sign of '.#') if (hiding.has(sign + word)) opened.add(sign + word)
  }
  return (tag) => applyRules(tag, rules, opened)
}

/** Return the place of the last of some signs, or -1. */
const findLast = (text: string, signs: string) =>
  [...signs].reduce((last, sign) => Math.max(last, text.lastIndexOf(sign)), -1)

/** Return whether one of a list of media is a screen, whatever its size. */
const isForScreen = (media = '') =>
  media
    .slice(0, maxMediaLength)
    .split(',')
    .some((query) => /^(?:only\s{1,9})?(?:all|screen|)$/i.test(query.trim()))
const maxMediaLength = 200

/** Return whether the rules in another one are read. */
function isAround(selectors: string): boolean {
  const [, name = '', media] = /^@(layer|supports(?!\s*not)|media)\b(.*)/is.exec(selectors) ?? []
  return name !== '' && (name.toLowerCase() !== 'media' || isForScreen(media))
}

/** Yield the selectors and declarations of each rule for a screen. */
function* listRules(sheet: string): Generator<[selectors: string, declarations: string]> {
  spend(sheet.length * 5)
  const open: { selectors: string; isRead: boolean }[] = []
  // As in a browser, the end of the sheet ends what is open.
  const css = `${toPlainCss(sheet)}}`
  let start = 0
  for (const { 0: sign, index } of css.matchAll(/[{}]/g)) {
    const text = css.slice(start, index)
    start = index + 1
    const outer = open.at(-1)
    if (sign === '{') {
      const selectors = text.slice(text.lastIndexOf(';') + 1).trim()
      open.push({ selectors, isRead: !outer || (outer.isRead && isAround(outer.selectors)) })
    } else if (open.pop()?.isRead && outer) yield [outer.selectors, text]
  }
}

function addDeclaration(declared: Map<string, Declaration>, property: string, added: Declaration): void {
  if ((declared.get(property)?.rank ?? 0) <= added.rank) declared.set(property, added)
}

function applyRules(
  { name, attributes }: Tag,
  rules: ReadonlyMap<string, Declarations>,
  opened: ReadonlySet<string>,
): void {
  const { class: names = '', id = '', style = '' } = attributes
  // A page may hide all of itself until its script runs.
  if (/^(?:html|body|)$/.test(name)) return
  spend(100 + names.length * 20)
  const declared = readDeclarations(style, styleRank)
  const parts = new Set(['', `#${id}`, ...names.split(/\s+/).map((each) => `.${each}`)])
  for (const part of parts)
    for (const key of part === '' ? [name] : [part, name + part])
      for (const [property, declaration] of rules.get(key) ?? []) {
        spend(stepsPerDeclaration)
        const isOpened = declaration.hides && (opened.has(part) || opened.has(`${part}{${property}`))
        if (!isOpened) addDeclaration(declared, property, declaration)
      }
  const own = [
    areStriking(declared) ? 'text-decoration:line-through' : '',
    areHiding(declared) ? 'display:none!important' : '',
  ]
  if (own.join('') !== '') attributes.style = [style, ...own].join(';')
}
