import { spend } from '#rules/budget.ts'
import { removeComments } from './css-comments.ts'
import { type Element, listElements } from './html-tree.ts'

// Editors put what strikes a text through into a style sheet of the page, as Google Docs does with `.c4`.

/** The selectors of one element whose text a style sheet strikes through, such as `.c4`, `p.old` and `#a`. */
type Selectors = ReadonlySet<string>

/** Give each element that a style sheet of the page strikes through this style as its own. */
export function applyStruckStyles(root: Element): void {
  const sheets = listSheets(root)
  if (!sheets.some((sheet) => sheet.includes('line-through'))) return
  const struck = new Set(sheets.flatMap(listStruckSelectors))
  if (struck.size > 0) markStruck(root, struck)
}

function listSheets(element: Element): string[] {
  if (element.name === 'style')
    return [element.children.filter((child) => typeof child === 'string').join('')]
  return listElements(element).flatMap(listSheets)
}

function listStruckSelectors(sheet: string): string[] {
  spend(sheet.length * 5)
  return removeComments(sheet)
    .split('}')
    .flatMap((rule) => {
      const at = rule.lastIndexOf('{')
      if (!/text-decoration[^;:]{0,20}:[^;]{0,100}line-through/i.test(rule.slice(at + 1))) return []
      const selectors = rule.slice(rule.lastIndexOf('{', at - 1) + 1, at).split(',')
      return selectors.map((selector) => selector.trim().replace(/^\w+/, (name) => name.toLowerCase()))
    })
}

function markStruck(element: Element, struck: Selectors): void {
  const { name, attributes } = element
  const classes = (attributes.class ?? '').split(/\s+/).filter(Boolean)
  spend(20 + (attributes.class ?? '').length * 5)
  const matching = [name, `#${attributes.id}`, ...classes.flatMap((each) => [`.${each}`, `${name}.${each}`])]
  if (matching.some((selector) => struck.has(selector))) attributes.style = 'text-decoration: line-through'
  else for (const child of listElements(element)) markStruck(child, struck)
}
