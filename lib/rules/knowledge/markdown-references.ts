import { spend } from '#rules/budget.ts'
import { countPlaces } from '#rules/text/count-places.ts'
import { maxArticleLength, tooLongError } from './blocks.ts'
import { countLoss, type Losses, losePicture } from './losses.ts'

// A step has a part of the text only. So what the text says elsewhere about a part is put into it: the
// address of a link, the text of a footnote.

const definition =
  /^ {0,3}\[([^\]^][^\]]{0,200})\]:[ \t]+(?:<([^<>]{1,2000})>|(\S{1,2000}))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$/
const dataDefinition = /^ {0,3}\[([^\]^][^\]]{0,200})\]:[ \t]+<?data:/i
const footnote = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*(?![ \t])(.*)$/
const fenceStart = /^[ \t>]{0,30}(?:[-*+•]|\d{1,9}[.)])?[ \t]{0,10}(`{3,}|~{3,})/
/** A picture in the text or in a file beside it. One at an address becomes a link to it. */
const lostImage =
  // Bounded: `resolveText` counts the brackets.
  /!\[([^\]]{0,500})\]\(\s*<?(?!(?:https?:)?\/\/)(data:[^()\s]*|[^()\s<>"]{1,500}|(?<=<)[^<>\n]{1,500})>?(?:\s+(?:"[^"]{0,500}"|'[^']{0,500}'|=[\dx%]{1,12}))?\s*\)(?:\{[^{}]{0,200}\})?/gi
/** Obsidian and other wikis: `![[file.png]]`. */
const wikiImage = /!\[\[([^\][|]{1,300})(?:\|[^\][]{0,100})?\]\]/g
/** `[[page]]` and `[[page#part|text]]`. With spaces at its ends it is a test of Bash. */
const wikiLink = /(?<!!)\[\[(?=[^\s|])([^\][|\n]{1,300})(?:\|([^\][\n]{1,300}))?(?<=\S)\]\]/g
const baseName = (target: string) => (/^data:/i.test(target) ? '' : (target.split(/[\\/]/).at(-1) ?? ''))
/** `[text][label]`, `[text][]` or `[label]`, perhaps of an image, and not the start of `[text](address)`. */
// Bounded: `resolveText` counts the brackets.
const reference = /(!?)\[((?:[^\][\\]|\\.){1,500})\](?:\[([^\][]{0,200})\])?(?![([:])/g
const footnoteReference = /\[\^([^\]\s]{1,100})\]/g
const maxNoteLength = 2000
/** Steps of asking a line whether it is a definition or a comment, and of a label that is kept or looked up. */
const [stepsPerLine, stepsPerLabel] = [60, 200]

interface Definitions {
  addresses: Map<string, string>
  notes: Map<string, string>
  /** The labels that a text refers to, those of notes with a `^`. */
  used: Set<string>
  /** How many characters of addresses and notes were put where they are used. */
  repeated: number
}

/**
 * Put the addresses of reference links and the texts of footnotes where they are used, and name the pictures
 * that are not at an address. Code is unchanged.
 */
export function resolveReferences(text: string, losses: Losses): string {
  const lines = text.split('\n')
  spend(lines.length * stepsPerLine)
  const definitions: Definitions = { addresses: new Map(), notes: new Map(), used: new Set(), repeated: 0 }
  const labels = lines.map(skipCode((line) => takeDefinition(line, definitions), null))
  let length = 0
  const resolve = skipCode((line) => resolveLine(line, definitions, losses), null)
  return (
    lines
      .map((line, index) => {
        if (labels[index] !== null) return line
        const resolvedLine = resolve(line) ?? line
        length += resolvedLine.length
        if (length > 2 * maxArticleLength) throw tooLongError()
        return resolvedLine
      })
      // A definition that nothing refers to is a text of the article.
      .filter((_, index) => !definitions.used.has(labels[index] ?? ''))
      .join('\n')
  )
}

/**
 * Return a function that is called with each line in turn, and calls `read` for those outside of code blocks.
 */
export function skipCode<T>(read: (line: string) => T, inCode: T): (line: string) => T {
  let fence = ''
  return (line) => {
    const [, mark = ''] = fenceStart.exec(line) ?? []
    const isFence = fence === '' ? mark !== '' : mark.startsWith(fence) && line.trim() === mark
    if (isFence) fence = fence === '' ? mark : ''
    return isFence || fence !== '' ? inCode : read(line)
  }
}

/** Return the label that a line defines, or null. */
function takeDefinition(line: string, { addresses, notes, used }: Definitions): string | null {
  if (!line.includes(']:')) return null
  spend(stepsPerLabel)
  const [, note, noteText] = footnote.exec(line) ?? []
  if (note !== undefined && noteText) {
    if (!notes.has(note)) notes.set(note, noteText.trim().slice(0, maxNoteLength))
    return `^${note}`
  }
  const [, dataLabel] = dataDefinition.exec(line) ?? []
  const [, label, bracketed, bare] = definition.exec(line) ?? []
  const name = dataLabel ?? label
  if (name === undefined) return null
  const key = normaliseLabel(name)
  if (!addresses.has(key)) addresses.set(key, dataLabel === undefined ? (bracketed ?? bare ?? '') : 'data:')
  // The data of a picture is no text.
  if (dataLabel !== undefined) used.add(key)
  return key
}

const normaliseLabel = (label: string) => label.replace(/\s+/g, ' ').trim().toLowerCase()

/** A code span, an escaped character, or a text that is struck through. */
const struck = /(?<!`)(`+)(?!`)[^`\n]*\1(?!`)|\\.|(?<!~)~~(?=\S)((?:[^~\n]|~(?!~))+)~~(?!~) ?/g
const onlyMarker = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s*)?(?:(?<=\s)\[[ x]\]\s*)?$/i

function leaveOutStruck(line: string, losses: Losses): string {
  if (!line.includes('~~')) return line
  const left = line.replace(struck, (whole, _, content: string | undefined) => {
    if (content === undefined) return whole
    countLoss(losses, 'struck')
    return ''
  })
  return left !== line && onlyMarker.test(left) ? '' : left
}

/** Replace the parts of a line that are no code spans. */
function mapText(line: string, replace: (part: string) => string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((part, index) => (index % 2 === 1 ? part : replace(part)))
    .join('')
}

/** From each bracket, the end of a text of 500 characters is looked for. */
const stepsPerBracket = 300

function resolveLine(source: string, definitions: Definitions, losses: Losses): string {
  const line = leaveOutStruck(source, losses)
  if (!line.includes('[')) return line
  return mapText(line, (part) => resolveText(part, definitions, losses))
}

/** Return a text that each use repeats, so that a line could grow without limit. */
function repeat(text: string, definitions: Definitions): string {
  definitions.repeated += text.length
  if (definitions.repeated > 2 * maxArticleLength) throw tooLongError()
  return text
}

function resolveText(text: string, definitions: Definitions, losses: Losses): string {
  const { addresses, notes, used } = definitions
  const lose = (source: string) =>
    source
      .replace(lostImage, (_, alt: string, target: string) => losePicture(losses, alt || baseName(target)))
      .replace(wikiImage, (_, target: string) => losePicture(losses, baseName(target)))
      .replace(
        wikiLink,
        (_, page: string, shown?: string) => shown ?? page.replace(/^#/, '').replace('#', ' > '),
      )
  spend(countPlaces(text, '![') * stepsPerBracket)
  const withoutLost = lose(text)
  const withNotes =
    notes.size === 0
      ? withoutLost
      : withoutLost.replace(footnoteReference, (use, label: string) => {
          spend(stepsPerLabel)
          const note = notes.get(label)
          if (note === undefined) return use
          used.add(`^${label}`)
          return repeat(` (${note})`, definitions)
        })
  if (addresses.size === 0) return withNotes
  spend(countPlaces(withNotes, '[') * stepsPerBracket)
  return withNotes.replace(reference, (use, image: string, content: string, label: string | undefined) => {
    const key = normaliseLabel(label || content)
    const address = addresses.get(key)
    if (address === undefined) return use
    used.add(key)
    if (address === 'data:') return losePicture(losses, content)
    const target = repeat(/[()\s]/.test(address) ? `<${address}>` : address, definitions)
    const link = `${image}[${content}](${target})`
    return image === '' ? link : lose(link)
  })
}

/** A link to nowhere, which is how people write a comment in markdown: `[//]: # (text)`. */
/** A comment of Obsidian. A variable of a batch file, such as `%%i`, has no space after its signs. */
const wikiComment = /(?<!%)%%\s[^%\n]{0,500}\s%%(?!%)/g

/** Remove comments between `%%` outside of code blocks, in a line or between two lines that have only this. */
function removeWikiComments(lines: readonly string[]): string[] {
  const isMark = lines.map(skipCode((line) => line.trim() === '%%', false))
  const last = isMark.lastIndexOf(true)
  let isInComment = false
  const removeInLine = skipCode((line) => mapText(line, (part) => part.replace(wikiComment, '')), null)
  return lines.flatMap((line, index) => {
    // A mark without another stays.
    const isPaired = isMark[index] && (isInComment || index < last)
    if (isPaired) isInComment = !isInComment
    return isPaired || isInComment ? [] : [removeInLine(line) ?? line]
  })
}

const linkComment = /^ {0,3}\[(?:\/\/|comment|_)[^\]]{0,50}\]:[ \t]*(?:#|<#?>)/i

/** Remove comments outside of code blocks. One of HTML without an end stays. */
export function removeComments(text: string): string {
  if (!/<!--|\]:|%%/.test(text)) return text
  const isComment = skipCode((line) => linkComment.test(line), false)
  const lines = removeWikiComments(text.split('\n')).filter((line) => !isComment(line))
  const isCode = lines.map(skipCode(() => false, true))
  const parts: string[] = []
  let isInComment = false
  /** The lines of the comment that is open, from the one that starts it. */
  let openComment = { at: 0, lines: [] as string[] }
  for (const [index, line] of lines.entries()) {
    if (!isInComment && (isCode[index] || !line.includes('<!--'))) {
      parts.push(line)
      continue
    }
    let rest = line
    let keptText = ''
    while (rest !== '') {
      const end = isInComment ? rest.indexOf('-->') : rest.indexOf('<!--')
      if (end < 0) break
      if (!isInComment) keptText += rest.slice(0, end)
      rest = rest.slice(end + (isInComment ? 3 : 4))
      isInComment = !isInComment
      if (isInComment) openComment = { at: parts.length, lines: [] }
    }
    if (isInComment) openComment.lines.push(line)
    else keptText += rest
    if (keptText.trim() !== '' || line.trim() === '') parts.push(keptText)
  }
  return (isInComment ? [...parts.slice(0, openComment.at), ...openComment.lines] : parts).join('\n')
}
