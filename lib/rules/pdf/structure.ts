import {
  addStream,
  formatTextString,
  type PdfObjects,
  reserveObject,
  setObject,
  setPackedObject,
} from './objects.ts'

// The structure of a document, by which screen readers read it: PDF/UA-1 (ISO 14289-1) and the structure types
// of ISO 32000-1, 14.8.4.

export type StructureType =
  | 'Document'
  | 'P'
  | 'BlockQuote'
  | 'L'
  | 'LI'
  | 'Lbl'
  | 'LBody'
  | 'Table'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure'
  | `H${number}`

/** An element has either children or content: a marked sequence of operators on each of its pages. */
export interface StructureElement {
  type: StructureType
  /** Further entries of its dictionary. */
  entries: string
  children: StructureElement[]
  content: { page: number; id: number }[]
}

/** Operators with the element that they show. Without one they are decoration, which nobody reads out. */
export interface PageOperators {
  element: StructureElement | null
  operators: string
}

/** A heading, to which a bookmark leads. `y` is the upper end of its line. */
export interface Bookmark {
  title: string
  level: number
  page: number
  y: number
}

export function createElement(type: StructureType, entries = ''): StructureElement {
  return { type, entries, children: [], content: [] }
}

/** Add a child to an element and return it. */
export function addElement(
  parent: StructureElement | null,
  type: StructureType,
  entries = '',
): StructureElement {
  const element = createElement(type, entries)
  parent?.children.push(element)
  return element
}

/** Return the content of a page. Operators in a row that show the same element are one sequence. */
export function writePageContent(operators: readonly PageOperators[], page: number): string {
  const parts: string[] = []
  let current: StructureElement | null | undefined
  let nextId = 0
  for (const { element, operators: text } of operators) {
    if (element !== current) {
      if (current !== undefined) parts.push('EMC')
      if (element === null) parts.push('/Artifact BMC')
      else {
        element.content.push({ page, id: nextId })
        parts.push(`/${element.type}<</MCID ${nextId++}>>BDC`)
      }
      current = element
    }
    parts.push(text)
  }
  if (current !== undefined) parts.push('EMC')
  return parts.join('\n')
}

/** A cell without content keeps its place in its row. */
const keepsPlace = new Set<StructureType>(['TD', 'TH'])

/** Whether an element, or a child of it, has content. */
function isShown({ type, children, content }: StructureElement): boolean {
  return content.length > 0 || keepsPlace.has(type) || children.some(isShown)
}

/**
 * Add the elements and the tree that finds those of each page. Return the number of the root. `pages` has the
 * numbers of the page objects.
 */
export function addStructure(
  objects: PdfObjects,
  document: StructureElement,
  pages: readonly number[],
): number {
  const root = reserveObject(objects)
  const parents = pages.map((): number[] => [])
  const add = (element: StructureElement, parent: number): number => {
    const number = reserveObject(objects)
    const [first] = element.content
    const isOnOnePage = element.content.every(({ page }) => page === first?.page)
    const kids = element.content.map(({ page, id }) => {
      const ids = parents[page]
      if (ids) ids[id] = number
      return isOnOnePage ? String(id) : `<</Type/MCR/Pg ${pages[page]} 0 R/MCID ${id}>>`
    })
    for (const child of element.children) if (isShown(child)) kids.push(`${add(child, number)} 0 R`)
    const page = isOnOnePage && first ? `/Pg ${pages[first.page]} 0 R` : ''
    setPackedObject(
      objects,
      number,
      `<</S/${element.type}/P ${parent} 0 R${page}${element.entries}/K[${kids.join(' ')}]>>`,
    )
    return number
  }
  const top = add(document, root)
  const entries = parents.map((ids, page) => `${page}[${ids.map((id) => `${id} 0 R`).join(' ')}]`)
  const parentTree = reserveObject(objects)
  setPackedObject(objects, parentTree, `<</Nums[${entries.join('')}]>>`)
  setObject(
    objects,
    root,
    `<</Type/StructTreeRoot/K ${top} 0 R/ParentTree ${parentTree} 0 R/ParentTreeNextKey ${pages.length}>>`,
  )
  return root
}

/** Add the bookmarks, each below the one before it with a higher level. Return the number of their root. */
export function addOutline(
  objects: PdfObjects,
  bookmarks: readonly Bookmark[],
  pages: readonly number[],
): number {
  interface Item extends Bookmark {
    number: number
    children: Item[]
  }
  const root: Item = {
    title: '',
    level: 0,
    page: 0,
    y: 0,
    number: reserveObject(objects),
    children: [],
  }
  const path = [root]
  for (const bookmark of bookmarks) {
    while (path.length > 1 && (path.at(-1)?.level ?? 0) >= bookmark.level) path.pop()
    const item: Item = { ...bookmark, number: reserveObject(objects), children: [] }
    path.at(-1)?.children.push(item)
    path.push(item)
  }
  const describeChildren = ({ children }: Item, sign: string) =>
    children.length === 0
      ? ''
      : `/First ${children[0]?.number} 0 R/Last ${children.at(-1)?.number} 0 R/Count ${sign}${children.length}`
  const write = (item: Item) => {
    for (const [index, child] of item.children.entries()) {
      const [previous, next] = [item.children[index - 1], item.children[index + 1]]
      const siblings = `${previous ? `/Prev ${previous.number} 0 R` : ''}${next ? `/Next ${next.number} 0 R` : ''}`
      setPackedObject(
        objects,
        child.number,
        // A negative count closes the item, so that the sections of a long session are seen at once.
        `<</Title ${formatTextString(child.title)}/Parent ${item.number} 0 R${siblings}${describeChildren(child, '-')}/Dest[${pages[child.page]} 0 R/XYZ null ${Math.round(child.y)} null]>>`,
      )
      write(child)
    }
  }
  write(root)
  setObject(objects, root.number, `<</Type/Outlines${describeChildren(root, '')}>>`)
  return root.number
}

const escapeXml = (text: string) =>
  text
    .toWellFormed()
    // XML 1.0 has no character for these.
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')

/** Add the metadata that says which standard the document follows. Return the number of the stream. */
export function addMetadata(objects: PdfObjects, title: string, author: string): number {
  const entry = (name: string, list: string, attributes: string, text: string) =>
    `<${name}><rdf:${list}><rdf:li${attributes}>${escapeXml(text)}</rdf:li></rdf:${list}></${name}>`
  const xmp = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
${entry('dc:title', 'Alt', ' xml:lang="x-default"', title)}${entry('dc:creator', 'Seq', '', author)}<pdf:Producer>Support Flow</pdf:Producer><pdfuaid:part>1</pdfuaid:part>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`
  // Not compressed, so that programs find it without reading the document.
  return addStream(objects, '/Type/Metadata/Subtype/XML', new TextEncoder().encode(xmp))
}
