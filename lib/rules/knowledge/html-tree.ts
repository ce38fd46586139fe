import type { Handler } from 'htmlparser2'
import { spend, spendBytes } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { createHtmlParser } from '#rules/text/html-parser.ts'
import { countMarkup } from '#rules/text/xml.ts'
import { ArticleError } from './blocks.ts'
import { areHiding, areStriking, readDeclarations } from './css-declarations.ts'
import { createGrowingText, type GrowingText } from './growing-text.ts'
import { lineBreak } from './prose.ts'

export interface Element {
  name: string
  attributes: Record<string, string>
  children: (Element | string)[]
}

/** Elements whose content is not shown. */
export const ignoredElements = new Set(
  'script style template noscript noembed noframes iframe object svg'.split(' '),
)
export const inlineElements = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr ac:link ac:emoticon ac:link-body ac:plain-text-link-body ri:page ri:user ri:url ri:attachment ac:image ac:inline-comment-marker'.split(
    ' ',
  ),
)
const maxDepth = 200
/** Steps and bytes of memory of a sign that may start a reference, such as `&amp;`. */
const [stepsPerReference, referenceBytes] = [30, 70]

/** Parse a page. Throw an ArticleError if it is nested too deeply, and 422 when it takes too much work. */
export function parseHtml(html: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] }
  const openElements = [root]
  const { steps, bytes } = countMarkup(html)
  // The parser gives the text around each sign of a reference in parts.
  const references = countPlaces(html, '&')
  spend(steps + references * stepsPerReference)
  spendBytes(bytes + references * referenceBytes)
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      const isTask =
        isCheckbox({ name, attributes }) && openElements.some((outer) => /^(?:li|p)$/.test(outer.name))
      const element: Element = { name, attributes, children: [] }
      const { children } = openElements.at(-1) ?? root
      if (isTask) children.push(isChecked(attributes) ? '☑ ' : '☐ ')
      children.push(element)
      openElements.push(element)
      if (openElements.length > maxDepth) throw new ArticleError('The page is nested too deeply')
    },
    ontext(text) {
      const { children } = openElements.at(-1) ?? root
      // The parser gives the text around an entity in parts.
      if (typeof children.at(-1) === 'string') children[children.length - 1] += text
      else children.push(text)
    },
    onclosetag() {
      openElements.pop()
    },
  }
  // XHTML and the storage format of Confluence have code in sections of character data.
  createHtmlParser(handler, { recognizeCDATA: true }).end(html)
  return root
}

export type Tag = Pick<Element, 'name' | 'attributes'>

const openedNames = /tab|panel|collaps|accordion|toggle|expand|spoiler|step/i

/**
 * Return why the text of an element is not read, or null: what is struck through does not apply any more. What a
 * reader can open, such as a tab, is shown.
 */
export function findLoss({ name, attributes }: Tag): 'struck' | 'hidden' | null {
  const { hidden, open, style = '', role = '', class: names = '' } = attributes
  const declarations = readDeclarations(style)
  if (/^(?:del|s|strike)$/.test(name) || areStriking(declarations)) return 'struck'
  const isHidden =
    hidden !== undefined || (name === 'dialog' && open === undefined) || areHiding(declarations)
  return isHidden && !openedNames.test(`${role} ${names}`) ? 'hidden' : null
}

/** The box of a task, which editors write as an input or as an element with its role or class. */
const isCheckbox = ({ name, attributes: { type, role, class: names = '' } }: Tag) =>
  (name === 'input' && type?.toLowerCase() === 'checkbox') ||
  role === 'checkbox' ||
  /(?:^|\s)checkbox-(?:on|off)(?:\s|$)/.test(names)
const isChecked = (attributes: Tag['attributes']) =>
  attributes.checked !== undefined ||
  attributes['aria-checked'] === 'true' ||
  /(?:^|\s)checkbox-on(?:\s|$)/.test(attributes.class ?? '')

/** Return the child elements, without the texts between them. */
export function listElements({ children }: Element): Element[] {
  return children.filter((child) => typeof child !== 'string')
}

const lineEnd = new RegExp(` ?${lineBreak} ?`, 'g')

/** Collapse white space, and replace the marks of `<br>` with line breaks. */
export function collapseSpaces(text: string): string {
  return text
    .replace(/[\t\n\f\r ]+/g, ' ')
    .replaceAll(lineEnd, '\n')
    .trim()
}

/**
 * Return the text of an element and of those in it, with spaces around blocks, bullets before list items, and
 * line breaks.
 */
export function getText(element: Element): string {
  const text = createGrowingText()
  appendElementText(element, text)
  return text.read()
}

/** Return the text of preformatted code. Each block element starts and ends a line. */
export function getCode(element: Element): string {
  const text = createGrowingText()
  let [isAtStart, needsLine] = [true, false]
  const append = (part: string) => {
    if (part === '') return
    if (needsLine && !isAtStart) text.append('\n')
    needsLine = false
    text.append(part)
    isAtStart = part.endsWith('\n')
  }
  const read = ({ name, children }: Element) => {
    if (ignoredElements.has(name)) return
    const isBlock = !inlineElements.has(name) && name !== 'br' && name !== 'pre'
    if (isBlock) needsLine = true
    if (name === 'br') append('\n')
    for (const child of children) {
      // Between block elements, white space is no part of the code.
      if (typeof child !== 'string') read(child)
      else if (!needsLine || child.trim() !== '') append(child)
    }
    if (isBlock) needsLine = true
  }
  read(element)
  return text.read().replace(/^\n/, '')
}

/**
 * Append what follows the content of an element. For an image it is the alternative text; for a link, its
 * address unless the text ends with it.
 */
export function appendAttributeText({ name, attributes }: Element, text: GrowingText): void {
  if (name === 'img' && attributes.alt) text.append(` ${attributes.alt} `)
  const href = name === 'a' ? (attributes.href ?? '') : ''
  const isAddress = /^(?:https?|mailto):/i.test(href)
  if (isAddress && !text.endsWith(href)) text.append(` (${href})`)
}

function appendElementText(element: Element, text: GrowingText): void {
  const { name, children } = element
  if (ignoredElements.has(name)) return
  if (name === 'br') text.append('\n')
  const needsNoSpaces = inlineElements.has(name) || name === 'br' || name === 'pre' || name === 'title'
  const space = needsNoSpaces ? '' : ' '
  text.append(name === 'li' ? ' • ' : space)
  for (const child of children) {
    if (typeof child === 'string') text.append(child)
    else appendElementText(child, text)
  }
  appendAttributeText(element, text)
  text.append(space)
}
