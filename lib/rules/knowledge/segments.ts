import { escapeMarkdown } from '#rules/markup/markdown.ts'
import { ArticleError, type Block, maxNodeLength } from './blocks.ts'
import { isStatement, markDecisions } from './decisions.ts'
import { describeMerges, findShortestPairs, foldUnits, mergePairs } from './merge-segments.ts'
import { appendText, canAppend, type MergeScope, maxNodes, mergeScopes, type Segment } from './segment.ts'

export interface Segmentation {
  segments: Segment[]
  /** What was merged because an article has a limited number of nodes, as sentences. */
  warnings: string[]
}

/**
 * Split an article into at most 100 segments that contain all blocks in order. Code and tables are joined to
 * the text before them. If there are too many segments, the shortest neighbours of a section are merged. If
 * that is not enough, each section of the lowest level becomes one segment. Only then are sections merged,
 * and finally decisions.
 */
export function splitIntoSegments(blocks: readonly Block[]): Segmentation {
  const levels = [...new Set(blocks.filter(({ kind }) => kind === 'heading').map(({ level }) => level - 1))]
  const lowestLevels = [6, ...levels.toSorted((a, b) => b - a)]
  for (const scope of mergeScopes) {
    for (const lowestLevel of lowestLevels) {
      const segments = foldUnits(markDecisions(createSegments(blocks, lowestLevel)))
      // Sections cannot be merged.
      if (segments.filter(({ kind }) => kind === 'section').length > maxNodes) continue
      const mergedSegments = mergeShortest(segments, scope)
      if (mergedSegments.length <= maxNodes)
        return { segments: mergedSegments, warnings: describeMerges(mergedSegments) }
    }
  }
  throw new ArticleError(`The article does not fit into ${maxNodes} nodes`)
}

const linkItem = /^[-*+•]\s+(?:<[^>\s]+>|\[[^\]]*\]\(\S*\)|https?:\S+)\s*$/
const bulletItem = /^[-*+•]\s/
/** Headings of sections whose items are facts, not instructions. */
export const factHeading =
  /^(?:(?:problem|issue|status|question)s?\s*:?$|(?:meaning|impact|symptoms?|(?:possible |probable )?causes?|background|overview|introduction|summary|description|purpose|scope|context|applies to|notes?|remarks?|examples?|sample output|references?|see also|further reading|(?:additional |related )?resources|more information|links|known issues|limitations|improvements)\b)/i
const metadata =
  /^[-*+•\s]*[*_]{0,2}(?:original (?:product version|kb number)|kb (?:number|id)|article (?:id|number)|applies to|(?:last )?(?:updated|modified|reviewed|changed)(?: (?:on|by))?|published|authors?|owners?|product(?: version)?s?|versions?|category|tags?|keywords|date|severity|reviewed by)[*_]{0,2}\s*:[*_]{0,2}\s*\S/i

/** Whether each line of a text is about the article itself, such as “Last updated: 3 May”. */
export function isMetadata(text: string): boolean {
  return text
    .trim()
    .split('\n')
    .every((line) => metadata.test(line))
}

const noteLabel = /^\W*(?:note|notice|warning|caution|important|tip|hint|info|danger|attention)\W*$/i

// Articles and pronouns, with which no instruction begins, a term in code with what it means, and a measure.
const factItem =
  /^[-*+•]\s+[*_]{0,2}(?:(?:the|this|these|those|it|its|they|an?|there|each|both|some|der|die|das|ein|eine|es|le|la|les|un|une|il|elle|el|los|las)\s|`[^`\n]{1,200}`(?:(?:,| and| or| und| oder| et| ou| y| o)? `[^`\n]{1,200}`){0,5}[*_]{0,2}\s*(?:$|[:=–—-])|[^:`\n]{1,40}:[*_]{0,2}\s*[~<>≈≤≥]?\s?\d)/iu
/**
 * `Other things to check:`, `It happens when:`: what completes such a sentence in lower case tells nobody
 * what to do.
 */
const factIntro =
  /\b(?:check|look for|look at|such as|caused by|causes?|reasons?|happens?|occurs?|due to|because|contains?|includes?|consists? of|means|differs?|depends on|ursachen?|gründe?|causas?)\b[^.!?\n]{0,80}:[*_]{0,2}$/i
const exampleIntro =
  /^\W*(?:for example|for instance|e\.g\.|an? example|example|sample|expected|here is an example|zum beispiel|beispiel|par exemple|exemple|por ejemplo|ejemplo|(?:the )?(?:example |sample )?output)\b/i

/**
 * Return the places of the items of bullet lists that say something instead of telling what to do: two items
 * of three, at least two.
 */
function findFactItems(blocks: readonly Block[]): Set<number> {
  const places = new Set<number>()
  for (let start = 0; start < blocks.length; start++) {
    let end = start
    while (blocks[end]?.kind === 'item' && bulletItem.test(blocks[end]?.text ?? '')) end++
    const items = blocks.slice(start, end)
    const intro = blocks[start - 1]?.text ?? ''
    const [isCompleted, isStated] = [factIntro.test(intro), isStatement(intro)]
    const isFact = ({ text }: Block) =>
      isStated || factItem.test(text) || (isCompleted && /^[-*+•]\s+\p{Ll}/u.test(text))
    const factCount = items.filter((item) => isFact(item) && !item.text.includes('```')).length
    if (factCount >= 2 && factCount * 3 >= items.length * 2)
      for (let place = start; place < end; place++) places.add(place)
    if (end > start) start = end
  }
  return places
}

const maxIntroLength = 500
const readLastLine = (text: string) => {
  const start = text.lastIndexOf('\n') + 1
  return text.slice(start, start + maxIntroLength)
}

/** Headings up to `lowestLevel` become sections, each lower one starts a unit. */
function createSegments(blocks: readonly Block[], lowestLevel: number): Segment[] {
  const segments: Segment[] = []
  let isInFacts = false
  let isInUnit = false
  const factPlaces = findFactItems(blocks)
  for (const [place, { kind, level, text }] of blocks.entries()) {
    const lastSegment = segments.at(-1)
    if (kind === 'heading') {
      isInFacts = factHeading.test(text)
      const line = `${'#'.repeat(level)} ${escapeMarkdown(text)}`
      // A heading that marks and escapes make too long for a node stays a section.
      isInUnit = level > lowestLevel && line.length <= maxNodeLength
      if (isInUnit)
        segments.push({ kind: 'note', level, text: line, startsUnit: true, isInUnit, partCount: 0 })
      else segments.push({ kind: 'section', level, text, partCount: 1 })
      continue
    }
    const isExample = lastSegment?.kind === 'note' && exampleIntro.test(readLastLine(lastSegment.text))
    const segmentKind = factPlaces.has(place) || isExample ? 'note' : getKind(kind, text, isInFacts)
    const isLabelled =
      lastSegment?.kind === 'note' &&
      lastSegment.text.length <= maxIntroLength &&
      noteLabel.test(lastSegment.text)
    const isAfterTable = lastSegment?.kind === 'note' && lastSegment.text.startsWith('|')
    const isAddition = isLabelled || kind === 'table' || (kind === 'code' && !isAfterTable)
    const startsWithHeading = lastSegment?.partCount === 0
    if (lastSegment && (isAddition || startsWithHeading) && canAppend(lastSegment, text))
      segments[segments.length - 1] = { ...appendText(lastSegment, text, segmentKind), partCount: 1 }
    else segments.push({ kind: segmentKind, level: 0, text, partCount: 1, ...(isInUnit ? { isInUnit } : {}) })
  }
  return segments
}

function getKind(kind: Block['kind'], text: string, isInFacts: boolean): 'step' | 'note' {
  if (kind !== 'item') return kind === 'code' && !isInFacts ? 'step' : 'note'
  const isFact = linkItem.test(text) || isMetadata(text) || (isInFacts && bulletItem.test(text))
  return isFact ? 'note' : 'step'
}

/**
 * Merge pairs of neighbours, the shortest first, until there are few enough segments or no pair fits into a
 * node.
 */
function mergeShortest(initialSegments: readonly Segment[], scope: MergeScope): Segment[] {
  let segments = [...initialSegments]
  while (segments.length > maxNodes) {
    const pairStarts = findShortestPairs(segments, segments.length - maxNodes, scope)
    if (pairStarts.size === 0) break
    segments = mergePairs(segments, pairStarts)
  }
  return segments
}
