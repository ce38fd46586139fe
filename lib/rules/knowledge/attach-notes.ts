import { escapeMarkdown } from '#rules/markup/markdown.ts'
import { maxNodeLength } from './blocks.ts'
import { removeMarkup, unescapeMarkdown } from './derive-title.ts'
import type { KbNode } from './nodes.ts'
import { isMetadata } from './segments.ts'

/**
 * Attach each note to what it belongs to: to the step after it if it ends with a colon, to the step before
 * it, or to the section that it starts. Notes that are apart stay where they are. The result contains the
 * other nodes, and the notes for which there is none of these or no room.
 */
export function attachNotes(
  nodes: readonly KbNode[],
  isApart: (note: KbNode) => boolean = () => false,
): KbNode[] {
  const attached: KbNode[] = []
  let introduction: KbNode | null = null
  for (const [index, node] of nodes.entries()) {
    const host = findHost(attached.at(-1), node)
    if (node.kind === 'note' && !introduction && isApart(node)) attached.push(node)
    else if (
      node.kind === 'note' &&
      introduces(node, nodes[index + 1], host) &&
      (!introduction || fits(introduction, node))
    )
      introduction = introduction ? joinNotes(introduction, node) : node
    else if (introduction) {
      attached.push(...joinIntroduction(introduction, node))
      introduction = null
    } else if (node.kind === 'note' && host && fits(host, node))
      attached[attached.length - 1] = { ...host, content: joinTexts(getOwnText(host), getNoteText(node)) }
    else attached.push(node)
  }
  return attached
}

/** Join the options of each decision to it. An option with nodes below it stays on its own. */
export function joinOptions(nodes: readonly KbNode[]): KbNode[] {
  const parentIds = new Set(nodes.map(({ parent_id }) => parent_id))
  const joinedNodes: KbNode[] = []
  for (const node of nodes) {
    const last = joinedNodes.at(-1)
    const isOption = last?.kind === 'decision' && node.parent_id === last.id && !parentIds.has(node.id)
    if (isOption && fits(last, node))
      joinedNodes[joinedNodes.length - 1] = {
        ...last,
        content: joinTexts(getOwnText(last), getNoteText(node)),
      }
    else joinedNodes.push(node)
  }
  return joinedNodes
}

function introduces(note: KbNode, next: KbNode | undefined, host: KbNode | undefined): boolean {
  if (isMetadata(note.content)) return host === undefined && next?.parent_id === note.parent_id
  return (
    next?.kind === 'step' && next.parent_id === note.parent_id && /:[*_]{0,2}$/.test(note.content.trimEnd())
  )
}

function joinNotes(note: KbNode, next: KbNode): KbNode {
  return { ...note, content: joinTexts(getNoteText(note), next.content) }
}

function joinIntroduction(note: KbNode, step: KbNode): KbNode[] {
  return fits(note, step) ? [{ ...step, content: joinTexts(getNoteText(note), step.content) }] : [note, step]
}

/** Return the node that a note can be added to. */
function findHost(last: KbNode | undefined, note: KbNode): KbNode | undefined {
  const isSection = last?.kind === 'section' && last.id === note.parent_id
  const isSibling = last?.kind !== 'section' && last?.kind !== 'note' && last?.parent_id === note.parent_id
  return isSection || isSibling ? last : undefined
}

function fits(node: KbNode, addition: KbNode): boolean {
  return getOwnText(node).length + getNoteText(addition).length + node.title.length + 10 <= maxNodeLength
}

const listMarker = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/

/** Return the content of a node, or nothing if it only repeats the title. */
function getOwnText({ title, content }: KbNode): string {
  return unescapeMarkdown(content.replace(listMarker, '').trim()) === title.trim() ? '' : content
}

/** Return the content, below the title if that is not a part of the content. */
function getNoteText({ title, content }: KbNode): string {
  const keepLetters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
  const plainText = content
    .split('\n')
    .map((line) => removeMarkup(line))
    .join(' ')
  return [content, plainText].some((text) => keepLetters(text).includes(keepLetters(title)))
    ? content
    : joinTexts(`**${escapeMarkdown(title.trim())}**`, content)
}

function joinTexts(text: string, addition: string): string {
  const separator = listMarker.test(addition) && listMarker.test(text) ? '\n' : '\n\n'
  return [text, addition].filter((part) => part.trim()).join(separator)
}
