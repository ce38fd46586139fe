import { isFurnitureLine, isFurnitureTitle, readNames } from './furniture-names.ts'
import { type Element, ignoredElements, listElements } from './html-tree.ts'

// Finds the parts of an HTML page that do not belong to its article: navigation, banners, forms, lists of
// related pages.

const furnitureElements = new Set(
  'nav footer aside button select option optgroup datalist textarea input dialog menu noscript audio video canvas map'.split(
    ' ',
  ),
)
const furnitureRoles = new Set(
  'navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar tablist button'.split(
    ' ',
  ),
)
const anchorText = /^[\s\u200b¶#§🔗]*$/u

/**
 * Return the part of the page that contains its article, without page furniture. Elements with the main
 * heading or with most of the text stay, whatever their class is called. Takes linear time.
 */
export function removeFurniture(root: Element): Element {
  const traits = measureElements(root)
  const hasHeading = [...traits.keys()].some(({ name }) => name === 'h1')
  const cleanedRoot = cleanElement(root, {
    traits,
    maxLength: countPlainText(root) / 2,
    isBeforeHeading: hasHeading,
  })
  const cleanedTraits = measureElements(cleanedRoot)
  return cleanedTraits.get(cleanedRoot)?.length ? findMainElement(cleanedRoot, cleanedTraits) : root
}

interface ElementTraits {
  /** The number of characters of text. */
  length: number
  /** The number of characters of text in links. */
  linkLength: number
  /** The beginning of the text. */
  shortText: string
  /** Whether the main heading or the main part of the page is in it. */
  hasMain: boolean
  hasHeading: boolean
  /** Whether a heading, a list, a table, code or a paragraph is in it. */
  hasBlocks: boolean
}
type TraitsByElement = ReadonlyMap<Element, ElementTraits>

const headingName = /^h[1-6]$/
const blockElements = new Set('h1 h2 h3 h4 h5 h6 ol ul table pre p dl'.split(' '))
const maxShortText = 120
/** Before the main heading, these are menus if they contain only links. */
const menuElements = new Set(['ul', 'ol', 'table', 'div', 'p'])

function measureElements(root: Element): TraitsByElement {
  const traitsByElement = new Map<Element, ElementTraits>()
  const measure = (element: Element): ElementTraits => {
    const { name } = element
    const hasHeading = headingName.test(name)
    const traits = {
      length: 0,
      linkLength: 0,
      shortText: '',
      hasMain: isMain(element),
      hasHeading,
      hasBlocks: blockElements.has(name),
    }
    for (const child of element.children) {
      if (typeof child === 'string') addText(traits, child)
      else if (!ignoredElements.has(child.name)) addTraits(traits, measure(child))
    }
    if (name === 'a') traits.linkLength = traits.length
    traitsByElement.set(element, traits)
    return traits
  }
  measure(root)
  return traitsByElement
}

function addText(traits: ElementTraits, text: string): void {
  traits.length += text.trim().length
  if (traits.shortText.length < maxShortText) traits.shortText += text.slice(0, maxShortText)
}

function addTraits(
  traits: ElementTraits,
  { length, linkLength, shortText, hasMain, hasHeading, hasBlocks }: ElementTraits,
): void {
  traits.length += length
  traits.linkLength += linkLength
  if (traits.shortText.length < maxShortText) traits.shortText += shortText.slice(0, maxShortText)
  traits.hasMain ||= hasMain
  traits.hasHeading ||= hasHeading
  traits.hasBlocks ||= hasBlocks
}

/** Count the characters outside of links and of elements that are always furniture. */
function countPlainText({ children }: Element): number {
  return children.reduce((sum, child) => {
    if (typeof child === 'string') return sum + child.trim().length
    const isCounted = child.name !== 'a' && !ignoredElements.has(child.name) && !isAlwaysFurniture(child)
    return isCounted ? sum + countPlainText(child) : sum
  }, 0)
}

function isAlwaysFurniture({ name, attributes }: Element): boolean {
  return furnitureElements.has(name) || furnitureRoles.has(attributes.role ?? '')
}

function isMain({ name, attributes }: Element): boolean {
  return name === 'h1' || name === 'main' || attributes.role === 'main'
}

interface Cleaning {
  traits: TraitsByElement
  /** An element with more characters outside of links is not furniture because of its class. */
  maxLength: number
  /** Whether the main heading is still to come. */
  isBeforeHeading: boolean
}

/** Copy an element without the furniture in it. */
function cleanElement(element: Element, cleaning: Cleaning): Element {
  const getTraits = (child: Element) => cleaning.traits.get(child) as ElementTraits
  const isHeading = headingName.test(element.name)
  const children: Element['children'] = []
  const elements = listElements(element)
  let elementIndex = 0
  let isAfterTitle = false
  for (const child of element.children) {
    if (typeof child === 'string') {
      children.push(child)
      if (child.trim()) isAfterTitle = false
      continue
    }
    elementIndex++
    if (child.name === 'h1') cleaning.isBeforeHeading = false
    if (ignoredElements.has(child.name)) continue
    const traits = getTraits(child)
    const next = elements[elementIndex]
    const isTitle =
      isTitleOfFurniture(child, traits) &&
      next !== undefined &&
      cleaning.traits.has(next) &&
      isOnlyLinks(getTraits(next))
    const isListOfTitle: boolean = isAfterTitle && isOnlyLinks(traits)
    isAfterTitle = isTitle || isListOfTitle
    const isMenu = cleaning.isBeforeHeading && menuElements.has(child.name) && isOnlyLinks(traits)
    const isPart =
      isAfterTitle ||
      isMenu ||
      isTableOfContents(child, cleaning.traits) ||
      isFurniture(child, traits, cleaning.maxLength)
    // The text of a heading can be a link to it, or a button that opens the section below.
    const isTextOfHeading = isHeading && traits.length === getTraits(element).length
    if (isPart && !traits.hasMain && !isTextOfHeading) continue
    children.push(cleanElement(child, cleaning))
  }
  return { ...element, children }
}

function isOnlyLinks({ length, linkLength }: ElementTraits): boolean {
  return length > 0 && linkLength * 10 >= length * 9
}

function isFurniture(element: Element, traits: ElementTraits, maxLength: number): boolean {
  const { name, attributes } = element
  if (name === 'html' || name === 'body' || name === 'article') return false
  const namedTraits = readNames(attributes)
  if (name === 'a' && (namedTraits.isHeadingAnchor || isAnchorSign(attributes, traits))) return true
  if (name === 'aside' || attributes.role === 'complementary') return !namedTraits.isNote
  if (name === 'form') return !traits.hasBlocks
  if (name === 'header') return !traits.hasHeading
  if (isAlwaysFurniture(element)) return true
  const isPartOfArticle =
    headingName.test(name) || /^t(?:body|r)$/.test(name) || traits.length - traits.linkLength > maxLength
  if (namedTraits.isFurniture && !isPartOfArticle) return true
  return traits.length < maxShortText && isFurnitureLine(traits.shortText)
}

/** Return whether a link only marks the place of a heading, such as “¶”. */
function isAnchorSign({ href = '' }: Element['attributes'], { shortText, length }: ElementTraits): boolean {
  return href.includes('#') && length > 0 && anchorText.test(shortText)
}

function isTitleOfFurniture({ name }: Element, { length, shortText }: ElementTraits): boolean {
  return length <= 40 && /^(?:h[1-6]|p|div|span|strong|b)$/.test(name) && isFurnitureTitle(shortText)
}

/**
 * Return whether a list has at least two items, all of them links to places of the same page. Links such as
 * “If …” are options.
 */
function isTableOfContents(element: Element, traitsByElement: TraitsByElement): boolean {
  if (element.name !== 'ul' && element.name !== 'ol') return false
  const items = listElements(element)
  return items.length >= 2 && items.every((item) => isInPageLink(item, traitsByElement))
}

function isInPageLink(item: Element, traitsByElement: TraitsByElement): boolean {
  const [link, ...others] = listElements(item)
  if (item.name !== 'li' || link?.name !== 'a' || !/^#./.test(link.attributes.href ?? '')) return false
  const hasOwnText = item.children.some((child) => typeof child === 'string' && child.trim())
  const isOption = /^\s*(?:if|when|yes|no)\b/i.test(traitsByElement.get(link)?.shortText ?? '')
  return !isOption && !hasOwnText && others.every(({ name }) => name === 'ul' || name === 'ol')
}

/** Return the only `<main>` element if it contains most of the text, otherwise the root. */
function findMainElement(root: Element, traitsByElement: TraitsByElement): Element {
  const mainElements = [...traitsByElement.keys()].filter(
    ({ name, attributes }) => name === 'main' || attributes.role === 'main',
  )
  const [main] = mainElements
  const getLength = (element: Element) => traitsByElement.get(element)?.length ?? 0
  return mainElements.length === 1 && main && getLength(main) * 2 >= getLength(root) ? main : root
}
