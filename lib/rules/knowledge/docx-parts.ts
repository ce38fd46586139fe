import { spendBytes } from '#rules/budget.ts'
import { walkXml, type XmlAttributes, type XmlHandlers } from '#rules/text/walk-xml.ts'
import { ArticleError } from './blocks.ts'

// Reads the XML files inside a Word document. The element names are those of Office Open XML (ECMA-376).

const maxDepth = 300
// A text that others refer to is limited, because each reference repeats it.
export const maxTargetLength = 2000
const maxStyleNameLength = 100
/** Bytes of memory of a style, and of a text that is kept by its id. */
const styleBytes = 400
export const entryBytes = 150

const namespaces: [RegExp, string][] = [
  [/\/wordprocessingml\/(?:2006\/)?main$/, 'w'],
  [/\/officeDocument\/(?:2006\/)?relationships$/, 'r'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  [/\/drawingml\/2006\/wordprocessingDrawing$|\/drawingml\/wordprocessingDrawing$/, 'wp'],
  [/\/officeDocument\/(?:2006\/)?math$/, 'm'],
  [/\/office\/word\/2010\/wordml$/, 'w14'],
]

/**
 * Parse one of a document's XML files; a missing one has no tags. Programs name the namespaces as they like;
 * the handlers get the usual prefixes. Throw an ArticleError if it is invalid.
 */
export function walkDocxXml(xml: string | undefined, handlers: XmlHandlers): void {
  const createError = (reason: string) => new ArticleError(`The document ${reason}`)
  /**
   * The usual prefix of each other prefix of the root element; `w` for elements without one, if that is their
   * namespace.
   */
  let prefixes: Map<string, string> | null = null
  const rename = (name: string, isAttribute: boolean): string => {
    if (!prefixes || prefixes.size === 0) return name
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
        prefixes ??= findPrefixes(attributes)
        const renamedAttributes =
          prefixes.size === 0
            ? attributes
            : Object.fromEntries(Object.entries(attributes).map(([key, value]) => [rename(key, true), value]))
        onOpenTag(rename(name, false), renamedAttributes)
      },
      ...(onCloseTag ? { onCloseTag: (name) => onCloseTag(rename(name, false)) } : {}),
      ...(onText ? { onText } : {}),
    },
  )
}

/** Return the unusual prefixes of the known namespaces. */
function findPrefixes(attributes: XmlAttributes): Map<string, string> {
  const declared = Object.entries(attributes).flatMap(([key, value]): [string, string][] => {
    const [, prefix = key === 'xmlns' ? '' : null] = /^xmlns:(.+)$/.exec(key) ?? []
    const usual = namespaces.find(([pattern]) => pattern.test(value))?.[1]
    return prefix === null || usual === undefined || prefix === usual ? [] : [[prefix, usual]]
  })
  return new Map(declared)
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

/** What a style says about its paragraphs and runs. */
export interface Style {
  /** Names of built-in styles are always English. */
  name: string
  basedOn: string
  /** 1 to 9 for an outline level of its own, or null. */
  outlineLevel: number | null
  listId: string
  listDepth: number
  /** Whether it strikes or hides its text, or null. */
  isStruck: boolean | null
  isHidden: boolean | null
}

/** Return the styles by their id. Ids are in the author's language. */
export function parseStyles(xml: string | undefined): Map<string, Style> {
  const styleById = new Map<string, Style>()
  let style: Style | null = null
  walkDocxXml(xml, {
    onOpenTag: (name, attributes) => {
      const value = attributes['w:val'] ?? ''
      if (name === 'w:style') {
        style = {
          name: '',
          basedOn: '',
          outlineLevel: null,
          listId: '',
          listDepth: 0,
          isStruck: null,
          isHidden: null,
        }
        spendBytes(styleBytes)
        if (attributes['w:styleId']) styleById.set(attributes['w:styleId'], style)
      } else if (!style) return
      else if (name === 'w:name') style.name = value.slice(0, maxStyleNameLength)
      else if (name === 'w:basedOn') style.basedOn = value
      else if (name === 'w:outlineLvl') style.outlineLevel = parseOutlineLevel(value)
      else if (name === 'w:numId') style.listId = value
      else if (name === 'w:ilvl') style.listDepth = parseListDepth(value)
      else if (name === 'w:strike' || name === 'w:dstrike') style.isStruck = isOn(attributes)
      else if (name === 'w:vanish') style.isHidden = isOn(attributes)
    },
  })
  return styleById
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
