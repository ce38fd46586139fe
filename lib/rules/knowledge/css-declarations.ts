import { spend, spendBytes } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'

// Reads which declarations of CSS strike or hide an element: https://www.w3.org/TR/css-syntax-3/

/** Whether a declaration strikes or hides its element; of several of one property, the highest rank counts. */
export interface Declaration {
  hides: boolean
  rank: number
}
/** The declarations of an element by their property. */
export type Declarations = ReadonlyMap<string, Declaration>

const farAway = /(?:^|\s)-(?:\d{4}|999|\d{3}(?:r?em|%|vw))/
const place = [farAway, /^(?:-?[\d.]|auto)/] as const
const height = [/^0(?:\.0*)?(?:[a-z%]|$)/, /^(?:[\d.]|auto|none|min|max|fit|calc)/] as const
const overflow = [/^(?:hidden|clip)/, /^(?:visible|auto|scroll)/] as const
const line = [/line-through/, /./] as const
/**
 * The values of each property that hide, and those that do not. A browser takes no notice of others. Not opacity
 * 0, from which pages fade in, and not font size 0, which e-mails set again for what is inside.
 */
const values = new Map<string, readonly [RegExp, RegExp]>(
  Object.entries({
    display: [/^none$/, /^(?:block|inline|flow|flex|grid|table|list-item|contents|ruby|-webkit-|-moz-|-ms-)/],
    visibility: [/^(?:hidden|collapse)$/, /^visible$/],
    'content-visibility': [/^hidden$/, /^(?:visible|auto)$/],
    // A rectangle without a height or a width.
    clip: [
      /^rect\(\s*([\d.]+)[a-z]*[\s,]+([\d.]+)[a-z]*[\s,]+(?:\1[a-z]*[\s,]|[\d.]+[a-z]*[\s,]+\2[a-z]*\s*\))/,
      /^(?:auto|rect)/,
    ],
    'clip-path': [/^(?:inset\((?:[5-9]\d|100)%|circle\(0)/, /^(?:none|[a-z]+\()/],
    'text-indent': place,
    left: place,
    right: place,
    top: place,
    margin: place,
    'margin-left': place,
    'margin-top': place,
    height,
    'max-height': height,
    overflow,
    'overflow-y': overflow,
    'text-decoration': line,
    'text-decoration-line': line,
  }),
)
const shownAnyway = /^(?:initial|inherit|unset|revert)/
const importantRank = 1e13
const escapeBytes = 100

/** Read the declarations that strike or hide an element, or undo that. `rank` is that of the last one. */
export function readDeclarations(css: string, rank = 0): Map<string, Declaration> {
  const found = new Map<string, Declaration>()
  if (css === '') return found
  spend(css.length * 5)
  for (const [, property = '', text = ''] of toPlainCss(css)
    .toLowerCase()
    .matchAll(/(?:^|;)\s*([a-z-]{1,20})\s*:([^;]{0,200})/g)) {
    const [hiding, showing] = values.get(property) ?? []
    if (!hiding) continue
    const [value = '', important = ''] = text.split('!', 2).map((part) => part.trim())
    const hides = hiding.test(value)
    if (!(hides || showing?.test(value) || shownAnyway.test(value))) continue
    const declaration = { hides, rank: rank + (/important/.test(important) ? importantRank : 0) }
    if ((found.get(property)?.rank ?? 0) <= declaration.rank) found.set(property, declaration)
  }
  return found
}

const isAnyOn = (declarations: Declarations, pattern: RegExp) =>
  [...declarations].some(([property, { hides }]) => hides && pattern.test(property))

export const areStriking = (declarations: Declarations): boolean => isAnyOn(declarations, /^text-decoration/)
export const areHiding = (declarations: Declarations): boolean =>
  isAnyOn(declarations, /^(?!text-decoration|.*height|overflow)/) ||
  (isAnyOn(declarations, /height/) && isAnyOn(declarations, /overflow/))

/** Return CSS without comments, and with the letters for which it has escapes. */
export function toPlainCss(css: string): string {
  const plain = css.includes('/*') ? removeComments(css) : css
  if (!plain.includes('\\')) return plain
  spendBytes(countPlaces(plain, '\\') * escapeBytes)
  return plain.replace(/\\(?:([\da-f]{1,6})\s?|[^\da-f\n])/gi, (whole: string, code?: string) => {
    const point = Number.parseInt(code ?? '', 16)
    const letter = code ? (point <= 0x10ffff ? String.fromCodePoint(point) : '') : whole.slice(1)
    // A sign of CSS that is escaped is none.
    return /^(?:[\w-]|\P{ASCII})$/u.test(letter) ? letter : whole
  })
}

/**
 * Replace the comments of a style sheet with spaces. As in a browser, a comment without an end goes to the end
 * of the sheet.
 */
function removeComments(sheet: string): string {
  const parts: string[] = []
  let at = 0
  for (let start = sheet.indexOf('/*'); start >= 0; start = sheet.indexOf('/*', at)) {
    parts.push(sheet.slice(at, start))
    const end = sheet.indexOf('*/', start + 2)
    if (end < 0) return parts.join(' ')
    at = end + 2
  }
  return [...parts, sheet.slice(at)].join(' ')
}
