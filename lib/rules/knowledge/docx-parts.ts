import { spend, spendBytes } from '#rules/budget.ts'
import { walkXml, type XmlAttributes, type XmlHandlers } from '#rules/text/walk-xml.ts'
import { ArticleError } from './blocks.ts'
import { createShown } from './docx-shown.ts'

// Reads the XML files inside a Word document. The element names are those of Office Open XML (ECMA-376).

const maxDepth = 300
// A text that others refer to is limited, because each reference repeats it.
export const maxTargetLength = 2000
const maxStyleNameLength = 100
/** Bytes of memory of a prefix, of a style, and of a text that is kept by its id. */
const [prefixBytes, styleBytes] = [60, 400]
export const entryBytes = 150

const namespaces: [RegExp, string][] = [
  [/\/wordprocessingml\/(?:2006\/)?main$/, 'w'],
  [/\/officeDocument\/(?:2006\/)?relationships$/, 'r'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  [/\/drawingml\/2006\/wordprocessingDrawing$|\/drawingml\/wordprocessingDrawing$/, 'wp'],
  [/\/officeDocument\/(?:2006\/)?math$/, 'm'],
  [/\/office\/word\/2010\/wordml$/, 'w14'],
  [/\/office\/word\/2010\/wordprocessingShape$/, 'wps'],
  [/^urn:schemas-microsoft-com:vml$/, 'v'],
]

/**
 * Parse one of a document's XML files; a missing one has no tags. Programs name the namespaces as they like;
 * the handlers get the usual prefixes. Throw an ArticleError if it is invalid.
 */
export function walkDocxXml(xml: string | undefined, handlers: XmlHandlers): void {
  const createError = (reason: string) => new ArticleError(`The document ${reason}`)
  /** The usual prefixes of the others, around each open element and in it; that of names without one is ''. */
  const scopes: ReadonlyMap<string, string>[] = []
  let prefixes: ReadonlyMap<string, string> = new Map()
  const rename = (name: string, isAttribute: boolean): string => {
    if (prefixes.size === 0) return name
    const colon = name.indexOf(':')
    if (colon < 0 && isAttribute) return name
    const prefix = prefixes.get(name.slice(0, Math.max(0, colon)))
    return prefix === undefined ? name : `${prefix}:${name.slice(colon + 1)}`
  }
  const { onOpenTag, onCloseTag, onText } = handlers
  if (!xml) return
  walkXml(
    xml,
    { maxDepth, createError },
    {
      onOpenTag(name, attributes) {
        const declared = findPrefixes(attributes)
        scopes.push(prefixes)
        if (declared.length > 0) {
          spend(prefixes.size * 5)
          spendBytes((prefixes.size + declared.length) * prefixBytes)
          prefixes = new Map([...prefixes, ...declared])
        }
        const renamedAttributes =
          prefixes.size === 0
            ? attributes
            : Object.fromEntries(Object.entries(attributes).map(([key, value]) => [rename(key, true), value]))
        onOpenTag(rename(name, false), renamedAttributes)
      },
      onCloseTag(name) {
        onCloseTag?.(rename(name, false))
        prefixes = scopes.pop() ?? prefixes
      },
      ...(onText ? { onText } : {}),
    },
  )
}

/** Return the usual prefixes of the unusual ones that an element declares. */
function findPrefixes(attributes: XmlAttributes): readonly [string, string][] {
  const found: [string, string][] = []
  for (const key in attributes) {
    if (!key.startsWith('xmlns')) continue
    const [, prefix = key === 'xmlns' ? '' : null] = /^xmlns:(.+)$/.exec(key) ?? []
    const usual = namespaces.find(([pattern]) => pattern.test(attributes[key] ?? ''))?.[1]
    if (prefix !== null && usual !== undefined && prefix !== usual) found.push([prefix, usual])
  }
  return found
}

/** The files of a document, by what it uses them for. */
export interface DocxFiles {
  document: string
  links: string
  styles: string
  numbering: string
  footnotes: string
  endnotes: string
}

const defaultDocument = 'word/document.xml'

/** Return the name of the main file. `_rels/.rels` names it: Word for the web writes `word/document2.xml`. */
export function findMainFile(relations: string | undefined): string {
  return findTargets(relations, '').get('officeDocument') ?? defaultDocument
}

export const nameRelations = (file: string): string => file.replace(/(?<![^/])([^/]*)$/, '_rels/$1.rels')

/** Return the names of the files that the main file uses. */
export function findFiles(document: string, relations: string | undefined): DocxFiles {
  const folder = document.replace(/(?<![^/])[^/]*$/, '')
  const targets = findTargets(relations, folder)
  const getName = (use: string) => targets.get(use) ?? `${folder}${use}.xml`
  return {
    document,
    links: nameRelations(document),
    styles: getName('styles'),
    numbering: getName('numbering'),
    footnotes: getName('footnotes'),
    endnotes: getName('endnotes'),
  }
}

/** Return the targets inside of the document by the last part of their type. */
function findTargets(relations: string | undefined, folder: string): Map<string, string> {
  const targets = new Map<string, string>()
  walkDocxXml(relations, {
    onOpenTag: (name, { Type = '', Target = '', TargetMode }) => {
      if (!/(?:^|:)Relationship$/.test(name) || TargetMode === 'External' || Target.length > maxTargetLength)
        return
      targets.set(
        Type.slice(Type.lastIndexOf('/') + 1),
        Target.startsWith('/') ? Target.slice(1) : folder + Target.replace(/^\.\//, ''),
      )
    },
  })
  return targets
}

/** Parse the depth of a list level, which is 0 to 8. Return 0 for anything else. */
export function parseListDepth(value: string | undefined): number {
  return /^[0-8]$/.test(value ?? '') ? Number(value) : 0
}

/** Return the targets of web and e-mail links by their relationship id. */
export function parseLinkTargets(xml: string | undefined): Map<string, string> {
  const targetById = new Map<string, string>()
  walkDocxXml(xml, {
    onOpenTag: (name, { Id, Target }) => {
      if (!/(?:^|:)Relationship$/.test(name) || !Id || !Target || Target.length > maxTargetLength) return
      spendBytes(entryBytes)
      if (/^(?:https?|mailto):/i.test(Target)) targetById.set(Id, Target)
    },
  })
  return targetById
}

/** Whether a text is struck or hidden; null leaves it to others. */
export interface Look {
  isStruck: boolean | null
  isHidden: boolean | null
}

/** What a style says about its paragraphs and runs. */
export interface Style extends Look {
  /** Names of built-in styles are always English. */
  name: string
  basedOn: string
  /** 1 to 9 for an outline level of its own, or null. */
  outlineLevel: number | null
  listId: string
  listDepth: number
}

export interface Styles {
  /** Ids are in the author's language. */
  byId: ReadonlyMap<string, Style>
  /** The style of what names none, by its type, such as `paragraph`. */
  ofType: ReadonlyMap<string, Style>
  /** What holds beside all styles. */
  defaults: Look
}

const plainLook: Look = { isStruck: null, isHidden: null }

/** Return the styles. Each has the look of those that it is based on, unless it has one of its own. */
export function parseStyles(xml: string | undefined): Styles {
  const byId = new Map<string, Style>()
  const ofType = new Map<string, Style>()
  const defaults = { ...plainLook }
  const shown = createShown()
  let style: Style | null = null
  /** What the properties of runs are about: those of some cells of a table are not read. */
  let look: Look | null = null
  walkDocxXml(xml, {
    onOpenTag: (name, attributes) => {
      shown.open(name, attributes)
      if (!shown.isShown()) return
      const value = attributes['w:val'] ?? ''
      if (name === 'w:style') {
        style = { ...plainLook, name: '', basedOn: '', outlineLevel: null, listId: '', listDepth: 0 }
        look = style
        spendBytes(styleBytes)
        const { 'w:styleId': id, 'w:type': type, 'w:default': isDefault } = attributes
        if (id) byId.set(id, style)
        if (isDefault && type && isOn({ 'w:val': isDefault })) ofType.set(type, style)
      } else if (name === 'w:rPrDefault') look = defaults
      else if (name === 'w:tblStylePr') look = null
      else if (look && (name === 'w:strike' || name === 'w:dstrike')) look.isStruck = isOn(attributes)
      else if (look && name === 'w:vanish') look.isHidden = isOn(attributes)
      else if (look && name === 'w:specVanish') look.isHidden = isOn(attributes) || look.isHidden
      else if (!style) return
      else if (name === 'w:name') style.name = value.slice(0, maxStyleNameLength)
      else if (name === 'w:basedOn') style.basedOn = value
      else if (name === 'w:outlineLvl') style.outlineLevel = parseOutlineLevel(value)
      else if (name === 'w:numId') style.listId = value
      else if (name === 'w:ilvl') style.listDepth = parseListDepth(value)
    },
    onCloseTag: (name) => {
      shown.close(name)
      if (name === 'w:tblStylePr') look = style
      if (name === 'w:rPrDefault') look = null
    },
  })
  inheritLooks(byId)
  return { byId, ofType, defaults }
}

/** Give each style the look of those that it is based on. Each is looked at once. */
function inheritLooks(styles: ReadonlyMap<string, Style>): void {
  const seen = new Set<Style>()
  for (const first of styles.values()) {
    const chain: Style[] = []
    let style: Style | undefined = first
    while (style && !seen.has(style)) {
      seen.add(style)
      chain.push(style)
      style = styles.get(style.basedOn)
    }
    for (const each of chain.reverse()) {
      const base = styles.get(each.basedOn)
      each.isStruck ??= base?.isStruck ?? null
      each.isHidden ??= base?.isHidden ?? null
    }
  }
}

/** Return 1 to 9, or null for a body text. */
export function parseOutlineLevel(value: string | undefined): number | null {
  return /^[0-8]$/.test(value ?? '') ? Number(value) + 1 : null
}

const maxAncestors = 10

/** Return a style and those that it is based on, the nearest first. */
export function listStyles(styles: ReadonlyMap<string, Style>, id: string): Style[] {
  const found: Style[] = []
  for (let style = styles.get(id); style && found.length < maxAncestors; style = styles.get(style.basedOn))
    found.push(style)
  return found
}

/** Whether a property is switched on, as it is without a value. */
export function isOn(attributes: XmlAttributes): boolean {
  return !/^(?:0|false|off)$/.test(attributes['w:val'] ?? '')
}
